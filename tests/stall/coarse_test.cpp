// Samples that are further apart than the stalls are long.
#include "stall/coarse.hpp"

#include "stall/recording.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

namespace {

/// Windows of 15 s, each of which ends so far into a stall, or at an idle time of one's own.
struct windows {
    void take(double idle, std::uint64_t operations = 900, double seconds = 15, double busy = 0.01,
              std::uint64_t bytes_each = 65536) {
        tick when;
        when.before = at(now).steady;
        now += seconds;
        when.at = at(now);
        const counter_sums before = sums;
        sums.operations += operations;
        sums.bytes += operations * bytes_each;
        sums.time_ns += static_cast<std::uint64_t>(busy * seconds * 1e9);
        sums.idle = base::nanoseconds(static_cast<std::int64_t>(idle * 1e9));
        look.step(when, before, sums);
    }
    /// A stall of 10 s every 11 s, as it looks every 15 s.
    void lose(int count) {
        for (int index = 0; index < count; ++index) {
            phase = phase + 4 >= 11 ? phase + 4 - 11 : phase + 4;
            take(phase < 10 ? phase : 0.01);
        }
    }

    detector_settings settings;
    coarse_look look{settings};
    counter_sums sums;
    double now = 100, phase = 0.5;
};

}  // namespace

TEST_CASE("stalls that recur are suspected after three minutes and probable after five") {
    windows seen;
    seen.lose(11);
    CHECK(seen.look.verdict() == level::none);
    seen.lose(1);
    CHECK(seen.look.verdict() == level::suspected);
    seen.lose(7);
    CHECK(seen.look.verdict() == level::suspected);
    seen.lose(1);
    CHECK(seen.look.verdict() == level::probable);
    seen.lose(100);
    CHECK(seen.look.verdict() == level::probable);  // never more
    seen.look.reset();
    CHECK(seen.look.verdict() == level::none);
}

TEST_CASE("one window that does not fit is enough to doubt") {
    windows idle, quiet, busy, small, irregular, late;
    for (windows* each : {&idle, &quiet, &busy, &small, &irregular, &late}) {
        each->lose(20);
        REQUIRE(each->look.verdict() == level::probable);
    }
    idle.take(12);  // longer than the time-out
    CHECK(idle.look.verdict() == level::none);
    quiet.take(5, 0);  // not one operation
    CHECK(quiet.look.verdict() == level::none);
    busy.take(5, 900, 15, 0.5);  // the host works
    CHECK(busy.look.verdict() == level::none);
    late.take(5, 900, 40);
    CHECK(late.look.verdict() == level::none);
    irregular.take(9.9);  // one gap began ...
    irregular.take(3.1, 900, 11);
    irregular.take(9.9, 900, 11);  // ... less than ten seconds after the one before
    CHECK(irregular.look.verdict() == level::none);
    for (int index = 0; index < 20; ++index) small.take(4.0 + index % 5, 2000, 15, 0.01, 512);  // no sequential reader
    CHECK(small.look.verdict() == level::none);
}

TEST_CASE("a stream without stalls is none") {
    windows seen;
    for (int index = 0; index < 40; ++index) seen.take(0.001);
    CHECK(seen.look.verdict() == level::none);
}
