#include "monitor/session.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::monitor;

TEST_CASE("a session becomes what answers") {
    session qmp;
    CHECK(qmp.current() == session::phase::listening);
    CHECK_FALSE(qmp.speaks().has_value());
    REQUIRE(
        qmp.receive(
               R"({"QMP": {"version": {"qemu": {"micro": 3, "minor": 1, "major": 11}, "package": "p"}, "capabilities": []}})")
            .has_value());
    CHECK(qmp.speaks() == protocol::qmp);
    CHECK(qmp.current() == session::phase::negotiating);
    CHECK(qmp.version() == "11.1.3");
    CHECK(qmp.package() == "p");
    CHECK_FALSE(qmp.take_output().empty());
    REQUIRE(qmp.receive(R"({"return": {}, "id": 0})").has_value());
    CHECK(qmp.current() == session::phase::ready);
    CHECK(qmp.execute_hmp("info name").has_error());
    CHECK(qmp.execute_qmp("query-status").has_value());

    session hmp;
    REQUIRE(hmp.receive("Q").has_value());
    CHECK_FALSE(hmp.speaks().has_value());
    REQUIRE(hmp.receive("EMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ").has_value());
    CHECK(hmp.speaks() == protocol::hmp);
    CHECK(hmp.version() == "7.2.22");
    CHECK(hmp.current() == session::phase::ready);
    CHECK(hmp.execute_qmp("query-status").has_error());
    CHECK(hmp.execute_hmp("info name").has_value());
    CHECK(hmp.current() == session::phase::asking);
}

TEST_CASE("telnet's negotiation before the banner is skipped") {
    session hmp;
    REQUIRE(hmp.receive("\xff\xfb\x01\xff\xfb\x03QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ")
                .has_value());
    CHECK(hmp.current() == session::phase::ready);
    CHECK(hmp.version() == "7.2.22");
}

TEST_CASE("nothing is written to a stranger") {
    session other;
    const auto received = other.receive("SSH-2.0-OpenSSH_9.2p1\r\n");
    CHECK(received.error().code == base::errc::not_a_monitor);
    CHECK(received.error().message.find("SSH-2.0") != std::string::npos);
    CHECK(other.take_output().empty());
    CHECK(other.execute_qmp("query-status").has_error());
    CHECK(other.execute_hmp("info name").has_error());
}

TEST_CASE("endless white space is a stranger too") {
    session other;
    base::errc code{};
    for (int i = 0; i < 10 && code == base::errc{}; ++i) {
        const auto received = other.receive(std::string(1000, '\n'));
        if (received.has_error()) code = received.error().code;
    }
    CHECK(code == base::errc::not_a_monitor);
}
