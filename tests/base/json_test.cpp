// Reading and writing of JSON texts.
#include "base/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace qmpwatch;

TEST_CASE("what is no JSON is of no type") {
    for (const char* text : {"", " ", "{", "[1,]", "nul", "{\"a\":1} x", "\"\xff\"", "01", "[1] [2]"}) {
        CAPTURE(text);
        CHECK(base::parse_json(text).is_discarded());
        CHECK(base::parse_json(text, 8).is_discarded());
        CHECK(base::parse_ordered_json(text).is_discarded());
        CHECK(base::parse_ordered_json(text, 8).is_discarded());
        CHECK_FALSE(base::is_json(text));
    }
}

TEST_CASE("a text may be nested as deep as it says") {
    const std::string three = R"([{"a": [1]}])";
    CHECK(base::parse_json(three, 3).is_array());
    CHECK(base::parse_json(three, 2).is_discarded());
    CHECK(base::parse_ordered_json(three, 3).is_array());
    CHECK(base::parse_ordered_json(three, 2).is_discarded());
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    CHECK(base::parse_json(deep, 1000).is_discarded());
    CHECK(base::is_json(deep));
}

TEST_CASE("the order of members is kept by the type that keeps it") {
    const std::string text = R"({"b":1,"a":[true,null,-2.5]})";
    CHECK(base::json_text(base::parse_ordered_json(text)) == text);
    CHECK(base::json_text(base::parse_json(text)) == R"({"a":[true,null,-2.5],"b":1})");
}

TEST_CASE("bytes that are not valid UTF-8 are replaced") {
    CHECK(base::json_text(nlohmann::json("a\xff")) == "\"a\xef\xbf\xbd\"");
    CHECK(base::json_text(nlohmann::ordered_json("a\xff")) == "\"a\xef\xbf\xbd\"");
}
