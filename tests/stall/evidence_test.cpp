// What one gap after the other does to the odds of a time-out.
#include "stall/evidence.hpp"

#include "stall/recording.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

TEST_CASE("odds rise with gaps in the band and fall with others, between a floor and a ceiling") {
    const detector_settings settings;
    evidence belief(settings);
    belief.attach("usb-storage");
    double start = 0;
    std::uint64_t burst = 100;
    const auto weigh = [&](double length, aftermath after = aftermath::stream) {
        guest_gap gap;
        gap.start = at(start += length + 1).steady;
        gap.likely_min = base::nanoseconds(static_cast<std::int64_t>(1e9 * (length - 0.05)));
        gap.likely_max = base::nanoseconds(static_cast<std::int64_t>(1e9 * (length + 0.05)));
        gap.operations_before = burst = burst * 5 % 1009 + 20;
        gap.after = after;
        return belief.weigh(gap);
    };
    CHECK(weigh(10.05) == band::seconds_10);
    CHECK(belief.odds(band::seconds_10) > settings.probable);
    CHECK(weigh(10.08) == band::seconds_10);
    CHECK(belief.odds(band::seconds_10) > settings.confirmed);
    for (int index = 0; index < 20; ++index) weigh(10.05);
    const double most = belief.odds(band::seconds_10);
    CHECK(most < settings.confirmed + 4);
    CHECK(!weigh(5));
    CHECK(belief.odds(band::seconds_10) < most - 2);
    CHECK(!weigh(10.05, aftermath::trickle));
    for (int index = 0; index < 20; ++index) weigh(4.5);
    CHECK(belief.odds(band::seconds_10) == settings.floor);
    belief.reset();
    CHECK(belief.odds(band::seconds_10) == 0);
    belief.attach("");
    CHECK(belief.odds(band::seconds_10) == doctest::Approx(-3));
}

TEST_CASE("the same work between gaps is a job with a timer") {
    const detector_settings settings;
    evidence belief(settings);
    belief.attach("usb-storage");
    for (int index = 0; index < 10; ++index) {
        guest_gap gap;
        gap.start = at(10.2 * index).steady;
        gap.likely_min = base::milliseconds(10000);
        gap.likely_max = base::milliseconds(10100);
        gap.operations_before = 200;
        const doubt why = belief.look(gap);
        CHECK(why == (index == 0 ? doubt::none : index < settings.same_work_times ? doubt::same_work : doubt::job));
        CHECK(!belief.confirmed_for(gap));
    }
    guest_gap other;
    other.start = at(200).steady;
    other.likely_min = base::milliseconds(10000);
    other.likely_max = base::milliseconds(10100);
    other.operations_before = 300;
    CHECK(belief.look(other) == doubt::none);
}

TEST_CASE("a gap that too little followed is in doubt where it matters only") {
    const detector_settings settings;
    evidence belief(settings);
    belief.attach("usb-storage");
    guest_gap gap;
    gap.operations_before = 50;
    gap.after = aftermath::too_little_to_tell;
    gap.likely_min = base::milliseconds(10000);
    gap.likely_max = base::milliseconds(10100);
    CHECK(belief.look(gap) == doubt::too_little);
    gap.operations_before = 100;
    gap.likely_min = base::milliseconds(7000);
    gap.likely_max = base::milliseconds(7100);
    CHECK(belief.look(gap) == doubt::none);
}

TEST_CASE("lengths that are hardly known say nothing") {
    const detector_settings settings;
    evidence belief(settings);
    belief.attach("usb-storage");
    guest_gap gap;
    gap.likely_min = base::seconds(2);
    gap.likely_max = base::seconds(16);
    CHECK(!belief.weigh(gap));
    CHECK(belief.odds(band::seconds_10) == 0);
}
