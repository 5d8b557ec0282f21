// The beat of the polls.
#include "base/cadence.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch::base;

TEST_CASE("a cadence ticks at its start and after each period") {
    const steady_time start{seconds(100)};
    const cadence beat(start, seconds(1));
    CHECK(beat.period() == seconds(1));
    CHECK(beat.next_after(start - seconds(5)) == start);
    CHECK(beat.next_after(start - nanoseconds(1)) == start);
    CHECK(beat.next_after(start) == start + seconds(1));
    CHECK(beat.next_after(start + milliseconds(999)) == start + seconds(1));
    CHECK(beat.next_after(start + seconds(1)) == start + seconds(2));
}

TEST_CASE("a cadence skips what it missed and does not drift") {
    const steady_time start{seconds(100)};
    const cadence beat(start, milliseconds(250));
    // A poll took 1.1 s: four ticks passed meanwhile, the next one is on the beat again.
    CHECK(beat.next_after(start + milliseconds(1100)) == start + milliseconds(1250));
    steady_time tick = start;
    for (int count = 0; count < 1000; ++count) tick = beat.next_after(tick + milliseconds(3));
    CHECK(tick == start + milliseconds(250) * 1000);
}

TEST_CASE("a cadence of one nanosecond and a day later") {
    const steady_time start{};
    const cadence beat(start, nanoseconds(1));
    CHECK(beat.next_after(start + std::chrono::hours(24)) == start + std::chrono::hours(24) + nanoseconds(1));
}
