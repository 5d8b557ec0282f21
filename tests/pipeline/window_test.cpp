#include "pipeline/window.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::pipeline;
using base::milliseconds;
using base::seconds;

namespace {

const base::steady_time origin{seconds(1000)};

sample::drive_counters reads(std::uint64_t operations, std::uint64_t size = 65536) {
    sample::drive_counters counters;
    counters[sample::operation::read].completed = operations;
    counters[sample::operation::read].bytes = operations * size;
    return counters;
}

}  // namespace

TEST_CASE("the first window shows no number, then the window slides with every sample") {
    sliding_window window({seconds(15), seconds(1)});
    CHECK_FALSE(window.rate().has_value());
    for (int second = 0; second <= 40; ++second) {
        CAPTURE(second);
        // 10 operations a second at first, 100 from second 20 on.
        const auto operations = static_cast<std::uint64_t>(second <= 20 ? second * 10 : 200 + (second - 20) * 100);
        window.add(origin + seconds(second), reads(operations));
        if (second < 15) {
            CHECK_FALSE(window.rate().has_value());
            continue;
        }
        REQUIRE(window.rate().has_value());
        CHECK(window.rate()->window == seconds(15));
        const double fast = second <= 20 ? 0 : second >= 35 ? 15 : second - 20;
        CHECK(window.rate()->read.operations_per_second == doctest::Approx((fast * 100 + (15 - fast) * 10) / 15));
    }
}

TEST_CASE("rates are divided by the time that really passed") {
    sliding_window window({seconds(15), seconds(1)});
    window.add(origin, reads(0));
    window.add(origin + milliseconds(17'500), reads(175));
    REQUIRE(window.rate().has_value());
    CHECK(window.rate()->window == milliseconds(17'500));
    CHECK(window.rate()->read.operations_per_second == doctest::Approx(10));
}

TEST_CASE("the jitter of samples does not keep a window from closing") {
    sliding_window window({seconds(15), seconds(1)});
    window.add(origin + milliseconds(7), reads(0));  // the first answer took a little longer
    for (int second = 1; second <= 15; ++second)
        window.add(origin + seconds(second), reads(static_cast<std::uint64_t>(second)));
    REQUIRE(window.rate().has_value());
    CHECK(window.rate()->window == milliseconds(14'993));
}

TEST_CASE("a counter that fell begins a new window, never a negative rate") {
    sliding_window window({seconds(3), seconds(1)});
    for (int second = 0; second <= 5; ++second) window.add(origin + seconds(second), reads(1000));
    REQUIRE(window.rate().has_value());
    window.add(origin + seconds(6), reads(10));
    CHECK_FALSE(window.rate().has_value());
    window.add(origin + seconds(9), reads(40));
    REQUIRE(window.rate().has_value());
    CHECK(window.rate()->read.operations_per_second == doctest::Approx(10));
}

TEST_CASE("a long window of many samples is still right") {
    const window_settings settings{seconds(600), milliseconds(100)};
    sliding_window window(settings);
    for (int i = 0; i <= 20'000; ++i) window.add(origin + milliseconds(100) * i, reads(static_cast<std::uint64_t>(i)));
    REQUIRE(window.rate().has_value());
    CHECK(window.rate()->read.operations_per_second == doctest::Approx(10));
    CHECK(window.rate()->window >= seconds(599));
    CHECK(window.rate()->window <= seconds(600 + 600 / 16 + 1));
}

TEST_CASE("report windows stand side by side and do not drift") {
    report_clock clock({seconds(15), seconds(1)});
    CHECK_FALSE(clock.first_window_left(origin).has_value());
    CHECK(clock.take(origin) == report_clock::tick::opens);
    CHECK(clock.first_window_left(origin + seconds(3)) == seconds(12));
    int closed = 0;
    for (int second = 1; second <= 150; ++second) {
        CAPTURE(second);
        // Each sample comes a little later or earlier than its beat.
        const auto jitter = milliseconds(second % 3 == 0 ? 40 : -20);
        const bool closes = clock.take(origin + seconds(second) + jitter) == report_clock::tick::closes;
        CHECK(closes == (second % 15 == 0));
        closed += closes ? 1 : 0;
    }
    CHECK(closed == 10);
    CHECK_FALSE(clock.first_window_left(origin + seconds(150)).has_value());
}

TEST_CASE("a late sample closes all windows that passed, in one") {
    report_clock clock({seconds(15), seconds(1)});
    clock.take(origin);
    CHECK(clock.take(origin + seconds(47)) == report_clock::tick::closes);
    CHECK(clock.take(origin + seconds(48)) == report_clock::tick::between);
    CHECK(clock.take(origin + seconds(60)) == report_clock::tick::closes);
    clock.reset();
    CHECK(clock.take(origin + seconds(61)) == report_clock::tick::opens);
}
