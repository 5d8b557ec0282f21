// The log of pauses: exact when they are heard, between bounds when they are asked for.
#include "stall/pause_log.hpp"

#include "stall/recording.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

TEST_CASE("pauses that are heard are exact, those that are asked have bounds") {
    const auto when = [](double seconds) { return at(seconds).steady; };
    pause_log heard;
    CHECK(heard.is_running());
    heard.heard(false, when(10));
    heard.heard(true, when(14));
    const paused_time exact = heard.within(when(8), when(18));
    CHECK(exact.estimate == base::seconds(4));
    CHECK(exact.min == base::seconds(4));
    CHECK(exact.max == base::seconds(4));
    CHECK(heard.within(when(12), when(13)).estimate == base::seconds(1));
    CHECK(heard.within(when(15), when(20)).max == base::seconds(0));

    pause_log asked;
    asked.asked(true, when(9));
    asked.asked(false, when(10));
    asked.asked(false, when(13));
    CHECK(asked.within(when(8), when(14)).min == base::seconds(3));
    CHECK(asked.within(when(8), when(14)).max == base::seconds(5));
    asked.asked(true, when(14));
    const paused_time vague = asked.within(when(8), when(20));
    CHECK(vague.min == base::seconds(3));
    CHECK(vague.estimate == base::seconds(4));
    CHECK(vague.max == base::seconds(5));
}

TEST_CASE("only the latest pauses are remembered, and repeated news are none") {
    pause_log log;
    for (int index = 0; index < 40; ++index) {
        log.heard(false, at(index).steady);
        log.heard(false, at(index + 0.1).steady);
        log.heard(true, at(index + 0.5).steady);
        log.heard(true, at(index + 0.6).steady);
    }
    CHECK(log.within(at(38).steady, at(40).steady).estimate == base::seconds(1));
    CHECK(log.within(at(0).steady, at(40).steady).estimate == base::seconds(8));
}
