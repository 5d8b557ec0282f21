// Formatting to the end of a string.
#include "base/format.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;

TEST_CASE("what is formatted comes after what was there") {
    std::string text = "a";
    base::append(text, "{}-{:03}", "b", 7);
    base::append(text, "{{}}");
    CHECK(text == "ab-007{}");
}
