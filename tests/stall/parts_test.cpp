// The parts of the detector by themselves: the table of signatures, the log of pauses, the evidence, names and totals.
#include "stall/cause.hpp"
#include "stall/evidence.hpp"
#include "stall/pause_log.hpp"
#include "stall/recording.hpp"
#include "stall/signature.hpp"
#include "stall/transition.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

TEST_CASE("causes, levels and changes have their documented names") {
    std::set<std::string_view> names;
    for (const cause each : causes) names.insert(name(each));
    CHECK(names == std::set<std::string_view>{"lost_completion", "slow_backend", "vm_paused", "monitor_blocked", "io_error",
                                              "throttled", "unknown"});
    CHECK(name(level::none) == "none");
    CHECK(name(level::suspected) == "suspected");
    CHECK(name(level::probable) == "probable");
    CHECK(name(level::confirmed) == "confirmed");
    CHECK(name(change::suspected) == "suspected");
    CHECK(name(change::closed) == "closed");
    CHECK(name(change::withdrawn) == "withdrawn");
    CHECK(name(change::level_changed) == "level_changed");
    CHECK(name(change::cleared) == "cleared");
}

TEST_CASE("the bands are in order, and each core lies inside its band") {
    base::nanoseconds before{};
    for (std::size_t which = 0; which < band_count; ++which) {
        const band_limits& each = limits_of(static_cast<band>(which));
        CHECK(before < each.low);
        CHECK(each.low < each.core_low);
        CHECK(each.core_low < each.nominal);
        CHECK(each.nominal <= each.core_high);
        CHECK(each.core_high < each.high);
        before = each.high;
    }
}

TEST_CASE("a signature belongs to device and length") {
    REQUIRE(find_signature(band::seconds_10, "usb-storage") != nullptr);
    CHECK(find_signature(band::seconds_10, "usb-storage")->name == "Windows' 10 s CD time-out on usb-storage");
    CHECK(find_signature(band::seconds_10, "usb-storage")->is_suspicious);
    CHECK(find_signature(band::seconds_30, "nvme")->name == "Linux' 30 s NVMe time-out");
    CHECK(find_signature(band::seconds_3, "nvme") == nullptr);
    REQUIRE(find_signature(band::seconds_10, "") != nullptr);
    CHECK(find_signature(band::seconds_10, "") == find_signature(band::seconds_10, "some-new-device"));
    CHECK(find_signature(band::seconds_10, "")->prior < find_signature(band::seconds_10, "usb-storage")->prior);
    CHECK(find_signature(band::seconds_36, "") == nullptr);
}

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
        belief.weigh(gap);
    }
    CHECK(belief.odds(band::seconds_10) < settings.confirmed);
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

TEST_CASE("totals fill their histogram") {
    cause_totals totals;
    for (const int milliseconds : {500, 9500, 9501, 10050, 200000}) totals.add(base::milliseconds(milliseconds));
    CHECK(totals.count == 5);
    CHECK(totals.lost == base::milliseconds(229551));
    CHECK(std::accumulate(totals.buckets.begin(), totals.buckets.end(), std::uint64_t{0}) == 5);
    CHECK(totals.buckets.front() == 1);
    CHECK(totals.buckets[6] == 1);  // 9.5 s is at the bound
    CHECK(totals.buckets.back() == 1);
}
