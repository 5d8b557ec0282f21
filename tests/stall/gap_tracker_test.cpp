// Gaps by themselves: where they begin and end, within which bounds, and what makes them useless.
#include "stall/gap_tracker.hpp"

#include "stall/recording.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

namespace {

/// A drive that completes a read of 64 KiB each 10 ms, looked at every half second.
struct reader {
    reader() { tracker.restart(when(false), sums); }

    tick when(bool is_late) {
        tick next;
        next.before = at(now).steady;
        now += 0.5;
        next.at = at(now);
        next.half_rtt = std::chrono::microseconds(250);
        next.is_late = is_late;
        return next;
    }
    std::optional<finished_gap> read(std::uint64_t operations, double first_latency = 0, bool is_late = false,
                                     std::uint64_t bytes_each = 65536) {
        const tick next = when(is_late);
        sums.operations += operations;
        sums.bytes += operations * bytes_each;
        sums.time_ns += operations * 100'000 + static_cast<std::uint64_t>(first_latency * 1e9);
        last = now - 0.002;
        sums.idle = base::milliseconds(2);
        return tracker.step(next, sums);
    }
    std::optional<finished_gap> wait() {
        const tick next = when(false);
        sums.idle = base::nanoseconds(static_cast<std::int64_t>((now - last) * 1e9));
        return tracker.step(next, sums);
    }
    void stream(int polls = 8) {
        for (int index = 0; index < polls; ++index) CHECK(!read(50));
    }

    detector_settings settings;
    gap_tracker tracker{settings};
    counter_sums sums;
    double now = 100, last = 100;
};

}  // namespace

TEST_CASE("all kinds of operations count, failed and refused ones too") {
    sample::drive_counters counters;
    counters[sample::operation::read] = {};
    counters[sample::operation::read].completed = 5;
    counters[sample::operation::read].bytes = 4096;
    counters[sample::operation::write].failed = 2;
    counters[sample::operation::flush].invalid = 1;
    counters.idle = base::seconds(3);
    const counter_sums sum = sum_of(counters);
    CHECK(sum.operations == 8);
    CHECK(sum.bytes == 4096);
    CHECK(sum.failed == 2);
    CHECK(sum.idle == base::nanoseconds(base::seconds(3)));
}

TEST_CASE("a gap begins with the last completion and ends inside its bounds") {
    reader drive;
    drive.stream();
    CHECK(drive.tracker.is_stream());
    CHECK(std::abs(drive.tracker.rate() - 100) < 10);
    const double start = drive.last;
    for (int index = 0; index < 2; ++index) drive.wait();
    CHECK(!drive.tracker.is_open());  // a second is no gap yet
    for (int index = 0; index < 10; ++index) CHECK(!drive.wait());
    CHECK(drive.tracker.is_open());
    CHECK(drive.tracker.is_after_stream());
    CHECK(std::abs(seconds_of(drive.tracker.start()) - start) < 0.001);
    const double silent_until = drive.now;
    const auto gap = drive.read(21);  // 0.2 s of them at the usual rate
    REQUIRE(gap);
    CHECK(!drive.tracker.is_open());
    CHECK(gap->after == aftermath::stream);
    CHECK(gap->is_after_stream);
    CHECK(!gap->is_spoilt);
    CHECK(!gap->has_failure);
    CHECK(std::abs(base::in_seconds(gap->min) - (silent_until - start)) < 0.001);
    CHECK(std::abs(base::in_seconds(gap->max) - (drive.last - start)) < 0.001);
    CHECK(std::abs(base::in_seconds(gap->length) - (drive.last - start - 0.2)) < 0.03);
    CHECK(gap->likely_min >= gap->min);
    CHECK(gap->likely_max <= gap->max);
    CHECK(gap->operations_before == 400);
    CHECK(gap->closing_operations == 21);
    CHECK(base::in_seconds(gap->excess) < 0.01);
}

TEST_CASE("the time of the operations that ended a gap shows whether they were under way in it") {
    reader drive;
    drive.stream();
    for (int index = 0; index < 20; ++index) drive.wait();
    const auto gap = drive.read(20, 10);
    REQUIRE(gap);
    CHECK(std::abs(base::in_seconds(gap->excess) - 10) < 0.1);
}

TEST_CASE("whether the stream goes on is known a second later at most") {
    reader one;
    one.stream();
    for (int index = 0; index < 20; ++index) one.wait();
    CHECK(!one.read(1));  // may be the first of many
    CHECK(one.tracker.is_closing());
    CHECK(one.read(50)->after == aftermath::stream);

    reader single;
    single.stream();
    for (int index = 0; index < 20; ++index) single.wait();
    CHECK(!single.read(1));
    std::optional<finished_gap> gap;
    for (int index = 0; index < 3 && !gap; ++index) gap = single.wait();
    REQUIRE(gap);
    CHECK(gap->after == aftermath::too_little_to_tell);

    reader small;
    small.stream();
    for (int index = 0; index < 20; ++index) small.wait();
    gap = small.read(3, 0, false, 512);
    for (int index = 0; index < 3 && !gap; ++index) gap = small.wait();
    REQUIRE(gap);
    CHECK(gap->after == aftermath::trickle);
    CHECK(!small.tracker.is_stream());
}

TEST_CASE("late polls and idle times that do not fit spoil a gap, and counters that fall do not continue") {
    reader late;
    late.stream();
    for (int index = 0; index < 10; ++index) late.wait();
    CHECK(late.read(20, 0, true)->is_spoilt);

    reader asleep;
    asleep.stream();
    for (int index = 0; index < 5; ++index) asleep.wait();
    asleep.last -= 7;
    asleep.wait();
    CHECK(asleep.tracker.is_spoilt());

    reader unseen;  // something completed that no counter shows
    unseen.stream();
    for (int index = 0; index < 8; ++index) unseen.wait();
    unseen.last = unseen.now;
    unseen.wait();
    CHECK(unseen.tracker.is_spoilt());
    CHECK(!unseen.tracker.is_open());

    counter_sums fewer = unseen.sums;
    CHECK(unseen.tracker.continues(fewer));
    --fewer.operations;
    CHECK(!unseen.tracker.continues(fewer));
}
