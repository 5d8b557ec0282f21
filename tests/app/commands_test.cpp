#include "app/commands.hpp"

#include "app/doctor.hpp"
#include "app/exit_code.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch::app;

TEST_CASE("what is asked for without a VM") {
    CHECK(run({"--help"}) == exit_done);
    CHECK(run({"--version"}) == exit_done);
    CHECK(run({"watch", "--help"}) == exit_done);
    CHECK(run({"simulate", "--help"}) == exit_done);
}

TEST_CASE("usage errors end with 2 before anything is opened") {
    CHECK(run({}) == exit_usage);
    CHECK(run({"wach"}) == exit_usage);
    CHECK(run({"/run/vm.sock"}) == exit_usage);
    CHECK(run({"watch"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--interval", "15"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--poll", "20s"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--format", "json"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--once", "--format", "xml"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--log.format", "xml"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--log.level", "loud"}) == exit_usage);
    CHECK(run({"--socket", "tcp:host", "--once"}) == exit_usage);
    CHECK(run({"--socket", "x.sock", "--web.listen-address", "127.0.0.1"}) == exit_usage);
    CHECK(run({"simulate"}) == exit_usage);
    CHECK(run({"simulate", "--socket", "/tmp/x.sock", "--protocol", "smtp"}) == exit_usage);
}

TEST_CASE("doctor ends with 2 when it cannot look, as for a wrong command line") {
    CHECK(run({"doctor", "--help"}) == exit_done);
    CHECK(run({"doctor"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "a.sock", "--socket", "b.sock"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "/nonexistent/*.sock"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "tcp:host"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "x.sock", "--format", "csv"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "x.sock", "--prove", "soon"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "x.sock", "--prove", "500ms"}) == exit_usage);
    CHECK(run({"doctor", "--socket", "/nonexistent/vm.sock"}) == exit_could_not_look);
}

TEST_CASE("what cannot be done ends with 1") {
    CHECK(run({"--socket", "/nonexistent/vm.sock", "--once"}) == exit_could_not);
    CHECK(run({"--socket", "/nonexistent/*.sock", "--once"}) == exit_could_not);
}
