// Durations as people write them.
#include "base/duration.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch::base;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;

namespace {

nanoseconds parsed(std::string_view text) {
    const auto span = parse_duration(text);
    REQUIRE_MESSAGE(span.has_value(), std::string(text));
    return *span;
}

}  // namespace

TEST_CASE("durations with one unit") {
    CHECK(parsed("500ms") == milliseconds(500));
    CHECK(parsed("15s") == seconds(15));
    CHECK(parsed("2m") == minutes(2));
    CHECK(parsed("1h") == hours(1));
    CHECK(parsed("0s") == nanoseconds(0));
    CHECK(parsed("0015s") == seconds(15));
}

TEST_CASE("durations with decimals") {
    CHECK(parsed("0.5s") == milliseconds(500));
    CHECK(parsed("0.25ms") == microseconds(250));
    CHECK(parsed("1.5m") == seconds(90));
    CHECK(parsed("0.1h") == minutes(6));
    CHECK(parsed("0.000001ms") == nanoseconds(1));
    CHECK(parsed("0.0000001ms") == nanoseconds(0));
    CHECK(parsed("0.333333333333333333333333333333s") == nanoseconds(333333333));
}

TEST_CASE("sums of durations") {
    CHECK(parsed("1m30s") == seconds(90));
    CHECK(parsed("1h2m3s4ms") == hours(1) + minutes(2) + seconds(3) + milliseconds(4));
    CHECK(parsed("1h500ms") == hours(1) + milliseconds(500));
    CHECK(parsed("1.5h0.5s") == minutes(90) + milliseconds(500));
}

TEST_CASE("what is no duration is refused as the user's error") {
    for (const char* text : {"",     " ",     "15",    "15 s",   " 15s", "15s ",  "-1s",  "+1s",        "s",     "ms",
                             ".5s",  "5.s",   "1..5s", "1,5s",   "1e3s", "15sec", "15S",  "1d",         "0x10s", "1s30",
                             "1m1m", "30s1m", "1s1s",  "1m-30s", "nan",  "inf",   "infs", "1\xc2\xb5s", "1.5.5s"}) {
        const auto span = parse_duration(text);
        CHECK_MESSAGE(!span.has_value(), text);
        if (!span) CHECK(span.error().code == errc::usage);
    }
    CHECK_FALSE(parse_duration(std::string_view("1s\0", 3)).has_value());
    CHECK(parse_duration("15").error().message ==
          "'15' is not a duration: expected a number with a unit (ms, s, m, h), such as 500ms, 15s or 1m30s");
}

TEST_CASE("durations that are too long are refused, not wrapped") {
    CHECK(parsed("2562046h") == hours(2562046));
    CHECK(parsed("2562047h47m16.854775807s") == nanoseconds::max());
    CHECK(format_duration(nanoseconds::max()) == "2562047h47m16.854775807s");
    for (const char* text : {"2562048h", "9223372036855s", "99999999999999999999s", "9223372036854775807h",
                             "18446744073709551616ms", "2562046h99999999m", "2562047h47m16.854775808s"}) {
        CHECK_MESSAGE(!parse_duration(text).has_value(), text);
    }
}

TEST_CASE("durations are written in the shortest form") {
    CHECK(format_duration(seconds(15)) == "15s");
    CHECK(format_duration(milliseconds(500)) == "500ms");
    CHECK(format_duration(seconds(90)) == "1m30s");
    CHECK(format_duration(minutes(2)) == "2m");
    CHECK(format_duration(hours(1)) == "1h");
    CHECK(format_duration(hours(1) + seconds(1)) == "1h1s");
    CHECK(format_duration(milliseconds(1500)) == "1.5s");
    CHECK(format_duration(minutes(1) + milliseconds(30)) == "1m0.03s");
    CHECK(format_duration(microseconds(10)) == "0.01ms");
    CHECK(format_duration(nanoseconds(1)) == "0.000001ms");
    CHECK(format_duration(seconds(0)) == "0s");
    CHECK(format_duration(seconds(100)) == "1m40s");
    CHECK(format_duration(milliseconds(100)) == "100ms");
    CHECK(format_duration(seconds(-3)) == "0s");
}

TEST_CASE("what was written reads back") {
    for (const nanoseconds span :
         {nanoseconds(0), nanoseconds(1000), nanoseconds(milliseconds(250)), nanoseconds(seconds(59)),
          nanoseconds(seconds(60)), nanoseconds(seconds(3599)), nanoseconds(hours(25)),
          nanoseconds(hours(3) + minutes(5) + milliseconds(4001)), nanoseconds(9'000'000'000'000'000'001)}) {
        CHECK(parsed(format_duration(span)) == span);
    }
}

TEST_CASE("lengths are rounded, to tenths of a second while they are short") {
    CHECK(format_length(nanoseconds(0)) == "0.0s");
    CHECK(format_length(milliseconds(-5)) == "0.0s");
    CHECK(format_length(milliseconds(340)) == "0.3s");
    CHECK(format_length(milliseconds(10'050)) == "10.1s");
    CHECK(format_length(milliseconds(99'949)) == "99.9s");
    CHECK(format_length(milliseconds(99'950)) == "100s");
    CHECK(format_length(milliseconds(141'400)) == "141s");
    CHECK(format_length(milliseconds(599'499)) == "599s");
    CHECK(format_length(milliseconds(599'500)) == "10m00s");
    CHECK(format_length(seconds(1230)) == "20m30s");
    CHECK(format_length(seconds(3599)) == "59m59s");
    CHECK(format_length(milliseconds(3'599'500)) == "1h00m");
    CHECK(format_length(hours(3) + minutes(5)) == "3h05m");
    CHECK(format_length(nanoseconds::max()).ends_with("m"));
}

TEST_CASE("ages never take more than five characters") {
    CHECK(format_age(nanoseconds(0)) == "0.0s");
    CHECK(format_age(milliseconds(-5)) == "0.0s");
    CHECK(format_age(milliseconds(300)) == "0.3s");
    CHECK(format_age(milliseconds(9999)) == "9.9s");
    CHECK(format_age(seconds(10)) == "10s");
    CHECK(format_age(seconds(12)) == "12s");
    CHECK(format_age(milliseconds(59999)) == "59s");
    CHECK(format_age(seconds(60)) == "1m00s");
    CHECK(format_age(seconds(250)) == "4m10s");
    CHECK(format_age(seconds(599)) == "9m59s");
    CHECK(format_age(minutes(10)) == "10m");
    CHECK(format_age(seconds(3599)) == "59m");
    CHECK(format_age(hours(3) + minutes(5)) == "3h05m");
    CHECK(format_age(hours(10)) == "10h");
    CHECK(format_age(hours(47)) == "47h");
    CHECK(format_age(hours(48)) == "2d");
    CHECK(format_age(hours(24 * 12)) == "12d");
    CHECK(format_age(nanoseconds::max()) == "9999d");
    for (std::int64_t age = 1; age < nanoseconds::max().count() / 3; age = age * 2 + 1) {
        CHECK(format_age(nanoseconds(age)).size() <= 5);
    }
}
