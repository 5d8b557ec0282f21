#include "monitor/backoff.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using base::milliseconds;

TEST_CASE("the delay doubles up to its bound and starts over after an answer") {
    monitor::backoff delay;
    CHECK(delay.next(0) == milliseconds(100));
    CHECK(delay.next(0) == milliseconds(200));
    CHECK(delay.next(0) == milliseconds(400));
    for (int i = 0; i < 10; ++i) delay.next(0);
    CHECK(delay.next(0) == milliseconds(5000));
    delay.reset();
    CHECK(delay.next(0) == milliseconds(100));
}

TEST_CASE("chance shortens a delay by up to a quarter and never lengthens it") {
    for (const double chance : {0.0, 0.3, 0.5, 0.999}) {
        CAPTURE(chance);
        monitor::backoff delay;
        const base::nanoseconds spread = delay.next(chance);
        CHECK(spread <= milliseconds(100));
        CHECK(spread >= milliseconds(75));
        CHECK(base::in_seconds(spread) == doctest::Approx(0.1 * (1 - chance / 4)));
    }
}
