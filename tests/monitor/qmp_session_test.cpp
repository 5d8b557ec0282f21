#include "monitor/qmp_session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace qmpwatch;
using namespace qmpwatch::monitor;

namespace {

constexpr std::string_view hello =
    R"({"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": ""}, "capabilities": ["oob"]}})"
    "\r\n";
constexpr std::string_view agreed = R"({"return": {}, "id": 0})"
                                    "\r\n";
constexpr std::string_view stop = R"({"timestamp": {"seconds": 1, "microseconds": 2}, "event": "STOP"})"
                                  "\r\n";

qmp_session ready_qmp_session() {
    qmp_session session;
    REQUIRE(session.receive(hello).has_value());
    session.take_output();
    REQUIRE(session.receive(agreed).has_value());
    REQUIRE(session.current() == qmp_session::phase::ready);
    return session;
}

}  // namespace

TEST_CASE("it listens first, negotiates, and is ready") {
    qmp_session session;
    CHECK(session.current() == qmp_session::phase::awaiting_greeting);
    CHECK(session.take_output().empty());
    CHECK(session.execute("query-status").error().code == base::errc::usage);

    REQUIRE(session.receive(hello).has_value());
    CHECK(session.current() == qmp_session::phase::negotiating);
    CHECK(session.take_output() == R"({"execute":"qmp_capabilities","arguments":{"enable":["oob"]},"id":0})"
                                   "\n");
    CHECK(session.take_output().empty());
    CHECK(session.execute("query-status").has_error());

    REQUIRE(session.receive(agreed).has_value());
    CHECK(session.current() == qmp_session::phase::ready);
    CHECK(session.greeted().version == "7.2.22");
}

TEST_CASE("an old QEMU without out-of-band commands is not asked for them") {
    qmp_session session;
    REQUIRE(session.receive(R"({"QMP": {"version": {}, "capabilities": []}})").has_value());
    CHECK(session.take_output() == "{\"execute\":\"qmp_capabilities\",\"id\":0}\n");
    CHECK_FALSE(session.can_out_of_band());
}

TEST_CASE("a whole conversation byte by byte, with events at every place") {
    qmp_session session;
    std::string script;
    for (const std::string_view part : {stop, hello, stop, agreed, stop}) script += part;
    for (const char c : script) REQUIRE(session.receive(std::string_view(&c, 1)).has_value());
    CHECK(session.current() == qmp_session::phase::ready);
    announcement event;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(session.take_event(event));
        CHECK(event.event == "STOP");
    }
    CHECK_FALSE(session.take_event(event));
}

TEST_CASE("answers find their questions, in any order and with strangers between them") {
    qmp_session session = ready_qmp_session();
    const ticket first = *session.execute("query-status");
    const ticket second = *session.execute("qom-get", R"({"path":"/machine","property":"type"})");
    CHECK(session.take_output() ==
          "{\"execute\":\"query-status\",\"id\":1}\n"
          "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"/machine\",\"property\":\"type\"},\"id\":2}\n");
    REQUIRE(session.receive(R"({"return": {}, "id": 99}{"return": {}, "id": "x"}{"return": {}})").has_value());
    REQUIRE(session.receive(R"({"id": 2, "error": {"class": "DeviceNotFound", "desc": "no such path"}})").has_value());
    REQUIRE(session.receive(R"({"return": {"status": "running"}, "id": 1})").has_value());
    answer heard;
    REQUIRE(session.take_answer(heard));
    CHECK(heard.to == second);
    CHECK(heard.text.error().code == base::errc::refused);
    CHECK(heard.text.error().message == "no such path");
    REQUIRE(session.take_answer(heard));
    CHECK(heard.to == first);
    CHECK(*heard.text == R"({"status": "running"})");
    CHECK_FALSE(session.take_answer(heard));
}

TEST_CASE("an answer counts once, and not at all when it was given up") {
    qmp_session session = ready_qmp_session();
    const ticket question = *session.execute("query-status");
    session.forget(question);
    REQUIRE(session.receive(R"({"return": {}, "id": 1})").has_value());
    answer heard;
    CHECK_FALSE(session.take_answer(heard));
    REQUIRE(session.execute("query-status").has_value());
    REQUIRE(session.receive(R"({"return": 1, "id": 2}{"return": 2, "id": 2})").has_value());
    REQUIRE(session.take_answer(heard));
    CHECK(*heard.text == "1");
    CHECK_FALSE(session.take_answer(heard));
}

TEST_CASE("out-of-band questions") {
    qmp_session session = ready_qmp_session();
    REQUIRE(session.execute("query-yank", {}, true).has_value());
    CHECK(session.take_output() == "{\"exec-oob\":\"query-yank\",\"id\":1}\n");
}

TEST_CASE("commands that change the VM never leave") {
    qmp_session session = ready_qmp_session();
    CHECK(session.execute("stop").error().code == base::errc::usage);
    CHECK(session.execute("human-monitor-command", R"({"command-line":"info block"})").has_error());
    CHECK(session.take_output().empty());
}

TEST_CASE("errors end the session") {
    SUBCASE("an error without id: QEMU did not understand us") {
        qmp_session session = ready_qmp_session();
        CHECK(session.receive(R"({"error": {"class": "GenericError", "desc": "JSON parse error"}})").error().code ==
              base::errc::protocol);
    }
    SUBCASE("garbage") {
        qmp_session session = ready_qmp_session();
        CHECK(session.receive("(qemu) ").error().code == base::errc::protocol);
    }
    SUBCASE("something else than a greeting") {
        qmp_session session;
        CHECK(session.receive(R"({"return": {}})").error().code == base::errc::not_a_monitor);
        CHECK(session.take_output().empty());
    }
    SUBCASE("negotiation refused") {
        qmp_session session;
        REQUIRE(session.receive(hello).has_value());
        CHECK(session.receive(R"({"id": 0, "error": {"class": "GenericError", "desc": "no"}})").error().code ==
              base::errc::protocol);
    }
}
