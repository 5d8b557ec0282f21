// Times in logs: the forms that scripts write, and what only looks like one.
#include "run/stamp.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace std::chrono_literals;
using base::nanoseconds;

namespace {

constexpr nanoseconds midnight = 1796083200s;  // 2026-12-01 in UTC
constexpr nanoseconds the_moment = midnight + 2h + 14min + 29s;

stamp found(std::string_view line) {
    const auto one = find_stamp(line);
    REQUIRE_MESSAGE(one.has_value(), std::string(line));
    return *one;
}

}  // namespace

TEST_CASE("a date, a time and a zone give the moment") {
    for (const char* line : {
             "2026-12-01T02:14:29Z",
             "2026-12-01T02:14:29z",
             "2026-12-01 02:14:29 UTC",
             "2026-12-01 02:14:29 +0000",
             "2026-12-01 02:14:29 GMT",
             "2026-12-01T03:14:29+01:00",
             "2026-12-01T03:14:29+01",
             "2026-11-30 21:14:29-05:00",
             "2026-11-30 21:14:29 EST",
             "2026-12-01T07:44:29+05:30",
             "2026/12/01 02:14:29 UTC",
             "2026-12-01_02:14:29Z",
             "[2026-12-01T02:14:29Z]",
             "=== 2026-12-01T02:14:29Z ===",
             "sample 17 at 2026-12-01T02:14:29Z: ",
             "Tue Dec  1 02:14:29 UTC 2026",
             "Tue Dec 01 02:14:29 UTC 2026",
             "Tue  1 Dec 02:14:29 UTC 2026",
             "Tue  1 Dec 2026 02:14:29 UTC",
             "Tue 01 Dec 2026 02:14:29 AM UTC",
             "Tue Dec  1 03:14:29 AM CET 2026",
             "Mon Nov 30 09:14:29 PM EST 2026",
             "Tue Dec  1 05:14:29 +03 2026",
             "Tue, 01 Dec 2026 02:14:29 +0000",
             "Dec 1, 2026 02:14:29 UTC",
             "=== Tue Dec  1 02:14:29 UTC 2026 ===",
             "1796091269",
             "1796091269 install_media:",
             "1796091269: ",
             "=== 1796091269 ===",
             "[1796091269]",
             "@1796091269",
             "1796091269000",
             "t=1796091269",
             "time: 1796091269",
         }) {
        const stamp one = found(line);
        INFO(std::string(line));
        CHECK(one.what == stamp::kind::wall_clock);
        CHECK(one.value.count() == the_moment.count());
    }
    CHECK_FALSE(found("1796091269").has_fraction);
    CHECK_FALSE(found("2026-12-01T02:14:29Z").has_fraction);
}

TEST_CASE("noon and midnight on a clock of twelve hours") {
    CHECK(found("Tue Dec  1 12:00:01 AM UTC 2026").value == midnight + 1s);
    CHECK(found("Tue Dec  1 12:00:01 PM UTC 2026").value == midnight + 12h + 1s);
    CHECK(found("Tue Dec  1 01:00:01 PM UTC 2026").value == midnight + 13h + 1s);
    CHECK_FALSE(find_stamp("Tue Dec  1 13:00:01 PM UTC 2026"));
}

TEST_CASE("fractions of a second") {
    CHECK(found("2026-12-01T02:14:29.25Z") == stamp{stamp::kind::wall_clock, the_moment + 250ms, true});
    CHECK(found("2026-12-01T02:14:29,5+00:00") == stamp{stamp::kind::wall_clock, the_moment + 500ms, true});
    CHECK(found("1796091269.5") == stamp{stamp::kind::wall_clock, the_moment + 500ms, true});
    CHECK(found("1796091269.123456789") == stamp{stamp::kind::wall_clock, the_moment + 123456789ns, true});
    CHECK(found("1796091269123456789") == stamp{stamp::kind::wall_clock, the_moment + 123456789ns, true});
    CHECK(found("1796091269123456") == stamp{stamp::kind::wall_clock, the_moment + 123456us, true});
    CHECK(found("02:14:29.042") == stamp{stamp::kind::time_of_day, 2h + 14min + 29s + 42ms, true});
    CHECK(found("t=12.5") == stamp{stamp::kind::seconds, 12500ms, true});
    CHECK(found("t=0.12345678912345") == stamp{stamp::kind::seconds, 123456789ns, true});
}

TEST_CASE("without a zone that is known it is a local time") {
    for (const char* line :
         {"2026-12-01 02:14:29", "2026-12-01T02:14:29", "2026-12-01 02:14:29 QEMU 7.2.22 monitor",
          "Tue Dec  1 02:14:29 CST 2026", "Tue Dec  1 02:14:29 2026", "Tue Dec  1 02:14:29 XYZ 2026"}) {
        INFO(std::string(line));
        CHECK(found(line) == stamp{stamp::kind::local_clock, the_moment, false});
    }
}

TEST_CASE("without a date, or with one that has no year, it is a time of day") {
    for (const char* line : {"02:14:29", "2:14:29", "[02:14:29]", "=== 02:14:29 ===", "t=02:14:29", "time: 02:14:29",
                             "Dec 01 02:14:29", "Dec  1 02:14:29 host script[17]: ", "-- 02:14:29 --", "02:14:29 AM"}) {
        INFO(std::string(line));
        CHECK(found(line) == stamp{stamp::kind::time_of_day, 2h + 14min + 29s, false});
    }
}

TEST_CASE("seconds since something") {
    for (const char* line :
         {"t=12", "t = 12", "T=12", "t: 12", "time=12s", "elapsed=12", "ts=12 ", "[t=12]", "at 12s", "t=12: "}) {
        INFO(std::string(line));
        CHECK(found(line) == stamp{stamp::kind::seconds, 12s, false});
    }
}

TEST_CASE("what is no time") {
    for (const char* line : {"",
                             " ",
                             "12",
                             "12.5",
                             "17:30",
                             "24:00:00",
                             "12:60:00",
                             "12:00:61",
                             "52:54:00:12:34:56",
                             "mac=52:54:00:12:34:56",
                             "0000:00:1f.2",
                             "fe80::1",
                             "7.2.22Debian",
                             "QEMU 7.2.22 monitor - type 'help' for more information",
                             "t=",
                             "t",
                             "t=x",
                             "at",
                             "total 1796091269",
                             "0796091269",
                             "179609126",
                             "17960912690",
                             "1796091269x",
                             "1796091269-12",
                             "2026-12-01",
                             "Tue Dec  1",
                             "2026-02-30 02:14:29 UTC",
                             "99999999999999999999999",
                             "t=9999999999999999999",
                             "9999999999999999999",
                             "1970-01-01 00:00:00 +01:00",
                             "12:000:00",
                             "112:00:00",
                             "x12:00:00",
                             "12:00:00:11"}) {
        INFO(std::string(line));
        CHECK_FALSE(find_stamp(line));
    }
}

TEST_CASE("a time is looked for at the beginning of a line only") {
    const std::string_view time = "02:14:29";
    CHECK(find_stamp(std::string(100, '-') + " " + std::string(time)));
    CHECK_FALSE(find_stamp(std::string(300, '-') + " " + std::string(time)));
    CHECK_FALSE(find_stamp(std::string(1 << 20, '1')));
}
