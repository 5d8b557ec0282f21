// Wall times as people and programs read them, and the names of errors.
#include "base/clock.hpp"
#include "base/error.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace qmpwatch::base;

TEST_CASE("wall times are written in UTC with milliseconds") {
    CHECK(rfc3339(wall_time{}) == "1970-01-01T00:00:00.000Z");
    CHECK(rfc3339(wall_time{seconds(951782399) + milliseconds(999)}) == "2000-02-28T23:59:59.999Z");
    CHECK(rfc3339(wall_time{seconds(951782400)}) == "2000-02-29T00:00:00.000Z");
    CHECK(rfc3339(wall_time{seconds(1796074153) + milliseconds(42)}) == "2026-11-30T21:29:13.042Z");
}

TEST_CASE("milliseconds are cut, not rounded, also before 1970") {
    const auto nearly = std::chrono::duration_cast<wall_time::duration>(nanoseconds(1'999'999));
    CHECK(rfc3339(wall_time{nearly}) == "1970-01-01T00:00:00.001Z");
    CHECK(rfc3339(wall_time{milliseconds(-1)}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("a duration in seconds") {
    CHECK(in_seconds(milliseconds(1500)) == doctest::Approx(1.5));
    CHECK(in_seconds(nanoseconds(1)) == doctest::Approx(1e-9));
}

TEST_CASE("the clocks run") {
    const instant first = now();
    const instant second = now();
    CHECK(second.steady >= first.steady);
    CHECK(first.wall > wall_time{seconds(1'600'000'000)});
}

TEST_CASE("an error is a value that throws only when it is taken for one") {
    const result<int> failed = fail(errc::busy, "another client is connected");
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().code == errc::busy);
    CHECK_THROWS_WITH_AS(failed.value(), "another client is connected", std::runtime_error);
}

TEST_CASE("every kind of error has its name and says whether the connection survives") {
    CHECK(name(errc::usage) == "usage");
    CHECK(name(errc::absent) == "absent");
    CHECK(name(errc::not_permitted) == "not_permitted");
    CHECK(name(errc::busy) == "busy");
    CHECK(name(errc::not_a_monitor) == "not_a_monitor");
    CHECK(name(errc::timed_out) == "timed_out");
    CHECK(name(errc::closed) == "closed");
    CHECK(name(errc::protocol) == "protocol");
    CHECK(name(errc::too_large) == "too_large");
    CHECK(name(errc::refused) == "refused");
    CHECK(name(errc::io) == "io");
    CHECK(name(errc::data) == "data");
    CHECK(connection_survives(errc::timed_out));
    CHECK(connection_survives(errc::refused));
    CHECK(connection_survives(errc::data));
    CHECK_FALSE(connection_survives(errc::protocol));
    CHECK_FALSE(connection_survives(errc::closed));
}
