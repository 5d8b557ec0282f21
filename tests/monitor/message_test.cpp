#include "monitor/message.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace qmpwatch;
using namespace qmpwatch::monitor;

namespace {

/// The framer is the owner of what a message's views point to.
struct decoded {
    json_framer framer;
    framed_object object;
    base::result<message> result = base::fail(base::errc::io, "");

    explicit decoded(std::string_view text) {
        framer.feed(text);
        REQUIRE(*framer.next(object));
        result = decode_message(object);
    }
    template <class Kind>
    const Kind& as() const {
        REQUIRE(result.has_value());
        REQUIRE(std::holds_alternative<Kind>(*result));
        return std::get<Kind>(*result);
    }
};

}  // namespace

TEST_CASE("greetings") {
    const decoded modern(
        R"({"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian 1:7.2"}, "capabilities": ["oob"]}})");
    CHECK(modern.as<greeting>().version == "7.2.22");
    CHECK(modern.as<greeting>().package == "Debian 1:7.2");
    CHECK(modern.as<greeting>().offers_oob);

    const decoded old(
        R"({"QMP": {"version": {"qemu": {"micro": 0, "minor": 5, "major": 2}, "package": ""}, "capabilities": []}})");
    CHECK(old.as<greeting>().version == "2.5.0");
    CHECK_FALSE(old.as<greeting>().offers_oob);

    for (const char* odd : {R"({"QMP": 5})", R"({"QMP": {}})", R"({"QMP": {"version": 7, "capabilities": {}}})",
                            R"({"QMP": {"version": {"qemu": [], "package": 1}, "capabilities": [1, null]}})"}) {
        CAPTURE(odd);
        CHECK_FALSE(decoded(odd).as<greeting>().offers_oob);
        CHECK(decoded(odd).as<greeting>().version.empty());
    }
}

TEST_CASE("replies are told by their id, in either order of members") {
    CHECK(decoded(R"({"return": {"status": "running"}, "id": 42})").as<reply>().id == 42);
    const decoded reversed(R"({"id": 18446744073709551615, "return": [1, 2]})");
    CHECK(reversed.as<reply>().id == 18446744073709551615ULL);
    CHECK(reversed.as<reply>().value == "[1, 2]");
}

TEST_CASE("replies with ids that are not ours are strangers") {
    for (const char* text : {R"({"return": {}})", R"({"return": {}, "id": "x"})", R"({"return": {}, "id": -1})",
                             R"({"return": {}, "id": 1.5})", R"({"return": {}, "id": null})",
                             R"({"return": {}, "id": 18446744073709551616})", R"({"return": {}, "id": {"a": [1]}})"}) {
        CAPTURE(text);
        decoded(text).as<stranger>();
    }
}

TEST_CASE("failures") {
    const decoded ours(
        R"({"id": 3, "error": {"class": "CommandNotFound", "desc": "The command nope has not been found"}})");
    CHECK(ours.as<failure>().id == 3U);
    CHECK(ours.as<failure>().error_class == "CommandNotFound");
    CHECK(ours.as<failure>().description == "The command nope has not been found");
    CHECK_FALSE(
        decoded(R"({"error": {"class": "GenericError", "desc": "JSON parse error"}})").as<failure>().id.has_value());
    CHECK(decoded(R"({"error": {}})").as<failure>().description.empty());
}

TEST_CASE("events") {
    const decoded with_data(
        R"({"timestamp": {"seconds": 1, "microseconds": 2}, "event": "RESET", "data": {"guest": true}})");
    CHECK(with_data.as<event>().name == "RESET");
    CHECK(with_data.as<event>().data == R"({"guest": true})");
    CHECK(decoded(R"({"event": "STOP", "timestamp": {}})").as<event>().data.empty());
}

TEST_CASE("what is not JSON inside is an error") {
    for (const char* text : {R"({"event": STOP})", R"({"event": 5})", R"({"error": nonsense})", R"({"error": []})",
                             R"({"QMP": {"version" 7}})"}) {
        CAPTURE(text);
        CHECK(decoded(text).result.has_error());
    }
}

TEST_CASE("objects of another kind are strangers") {
    decoded("{}").as<stranger>();
    decoded(R"({"jsonrpc": "2.0"})").as<stranger>();
}
