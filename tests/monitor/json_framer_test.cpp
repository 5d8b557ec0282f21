#include "monitor/json_framer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace qmpwatch;
using monitor::framed_object;
using monitor::json_framer;

namespace {

std::vector<std::string> frame(std::string_view bytes, std::size_t piece) {
    json_framer framer;
    framed_object object;
    std::vector<std::string> found;
    while (!bytes.empty()) {
        framer.feed(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        for (;;) {
            const auto whole = framer.next(object);
            REQUIRE(whole.has_value());
            if (!*whole) break;
            found.emplace_back(object.text);
        }
    }
    return found;
}

base::errc problem_with(std::string_view bytes) {
    json_framer framer;
    framed_object object;
    framer.feed(bytes);
    for (;;) {
        const auto whole = framer.next(object);
        if (whole.has_error()) return whole.error().code;
        REQUIRE(*whole);
    }
}

}  // namespace

TEST_CASE("objects come out whole wherever the bytes are cut") {
    const std::string bytes = "{\"a\": 1}\r\n \t{\"b\": {\"c\": [1, {\"d\": \"}]{\\\"\\\\\"}]}}{\"return\": "
                              "{}}\r\n{\r\n    \"x\": {\r\n    }\r\n}\r\n";
    const std::vector<std::string> expected{"{\"a\": 1}", "{\"b\": {\"c\": [1, {\"d\": \"}]{\\\"\\\\\"}]}}",
                                            "{\"return\": {}}", "{\r\n    \"x\": {\r\n    }\r\n}"};
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        CAPTURE(piece);
        CHECK(frame(bytes, piece) == expected);
    }
}

TEST_CASE("the outermost members are found, whatever the cut") {
    const std::string bytes = R"(  {"id": 7 , "return": [{"a":"x,y:z"},2] ,"empty":"", "nested":{"id":8}})";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        CAPTURE(piece);
        json_framer framer;
        framed_object object;
        bool is_whole = false;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            framer.feed(std::string_view(bytes).substr(at, piece));
            is_whole = *framer.next(object);
        }
        REQUIRE(is_whole);
        CHECK(object.member_count == 4);
        CHECK(object["id"] == "7");
        CHECK(object["return"] == R"([{"a":"x,y:z"},2])");
        CHECK(object["empty"] == R"("")");
        CHECK(object["nested"] == R"({"id":8})");
        CHECK(object["a"].empty());
    }
}

TEST_CASE("members of a second object do not mix with those of the first") {
    json_framer framer;
    framed_object object;
    framer.feed(R"({"a":1,"b":2}{"c":3})");
    REQUIRE(*framer.next(object));
    REQUIRE(*framer.next(object));
    CHECK(object.member_count == 1);
    CHECK(object["c"] == "3");
    CHECK(object["a"].empty());
}

TEST_CASE("more members than are listed do no harm") {
    std::string text = "{";
    for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
    text.back() = '}';
    json_framer framer;
    framed_object object;
    framer.feed(text);
    REQUIRE(*framer.next(object));
    CHECK(object.member_count == framed_object::max_members);
    CHECK(object["k15"] == "15");
    CHECK(object["k16"].empty());
}

TEST_CASE("an empty object has no members") {
    json_framer framer;
    framed_object object;
    framer.feed("{ }");
    REQUIRE(*framer.next(object));
    CHECK(object.text == "{ }");
    CHECK(object.member_count == 0);
}

TEST_CASE("bytes between objects that are no white space are refused") {
    CHECK(problem_with("hello") == base::errc::protocol);
    CHECK(problem_with("{\"a\":1}x") == base::errc::protocol);
    CHECK(problem_with("[1]") == base::errc::protocol);
    CHECK(problem_with("}") == base::errc::protocol);
}

TEST_CASE("depth is bounded at what QEMU itself can say") {
    const auto nested = [](std::size_t depth) {
        return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
    };
    CHECK(frame(nested(json_framer::max_depth), 4096).size() == 1);
    CHECK(problem_with(nested(json_framer::max_depth + 1)) == base::errc::too_large);
}

TEST_CASE("size is bounded, whether or not an end is in sight") {
    json_framer framer;
    framed_object object;
    const std::string block(1 << 20, 'x');
    framer.feed("{\"a\":\"");
    base::errc code{};
    for (int i = 0; i < 20 && code == base::errc{}; ++i) {
        framer.feed(block);
        const auto whole = framer.next(object);
        if (whole.has_error()) {
            code = whole.error().code;
            CHECK(i == 15);  // beyond 16 MiB
        }
    }
    CHECK(code == base::errc::too_large);
}

TEST_CASE("a long object that comes in small pieces is scanned once, not from its start each time") {
    // 8 MiB in pieces of 4 KiB: quadratic work would be 8 GiB of scanning and take many seconds.
    json_framer framer;
    framed_object object;
    const std::string piece(4096, ' ');
    framer.feed("{\"a\":1");
    for (int i = 0; i < 2048; ++i) {
        framer.feed(piece);
        REQUIRE_FALSE(*framer.next(object));
    }
    framer.feed("}");
    REQUIRE(*framer.next(object));
    CHECK(object["a"] == "1");
    CHECK_FALSE(framer.is_inside());
}
