#include "app/commands.hpp"

#include "app/doctor.hpp"
#include "app/exit_code.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::app;

TEST_CASE("what is asked for without a VM") {
    CHECK(app::run({"--help"}) == exit_done);
    CHECK(app::run({"--version"}) == exit_done);
    CHECK(app::run({"watch", "--help"}) == exit_done);
    CHECK(app::run({"simulate", "--help"}) == exit_done);
}

TEST_CASE("usage errors end with 2 before anything is opened") {
    CHECK(app::run({}) == exit_usage);
    CHECK(app::run({"wach"}) == exit_usage);
    CHECK(app::run({"/run/vm.sock"}) == exit_usage);
    CHECK(app::run({"watch"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--interval", "15"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--poll", "20s"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--format", "json"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--once", "--format", "xml"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--log.format", "xml"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--log.level", "loud"}) == exit_usage);
    CHECK(app::run({"--socket", "tcp:host", "--once"}) == exit_usage);
    CHECK(app::run({"--socket", "x.sock", "--web.listen-address", "127.0.0.1"}) == exit_usage);
    CHECK(app::run({"simulate"}) == exit_usage);
    CHECK(app::run({"simulate", "--socket", "/tmp/x.sock", "--protocol", "smtp"}) == exit_usage);
}

TEST_CASE("doctor ends with 2 when it cannot look, as for a wrong command line") {
    CHECK(app::run({"doctor", "--help"}) == exit_done);
    CHECK(app::run({"doctor"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "a.sock", "--socket", "b.sock"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "/nonexistent/*.sock"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "tcp:host"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "x.sock", "--format", "csv"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "x.sock", "--prove", "soon"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "x.sock", "--prove", "500ms"}) == exit_usage);
    CHECK(app::run({"doctor", "--socket", "/nonexistent/vm.sock"}) == exit_could_not_look);
}

TEST_CASE("what cannot be done ends with 1") {
    CHECK(app::run({"--socket", "/nonexistent/vm.sock", "--once"}) == exit_could_not);
    CHECK(app::run({"--socket", "/nonexistent/*.sock", "--once"}) == exit_could_not);
}
