#include "run/summary.hpp"

#include "run/synthetic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

using namespace qmpwatch;
using base::seconds;
using doctest::Approx;
using run::direction;
using run_test::at;
using run_test::run_of;
using run_test::synthetic_drive;

namespace {

double rounded(double value) { return std::round(value * 10) / 10; }

run::summary summary_of(const run::digest& all, base::nanoseconds window = seconds(15)) {
    return run::summarize(all, run::find_all_phases(all).value(), window);
}

/// Of installations on Windows, in MB/s over 15 s: from NVMe.
constexpr std::array nvme_windows{54.3, 84.7, 62.6, 66.6, 80.6, 79.8, 92.2};

synthetic_drive install_from_nvme(double step) {
    synthetic_drive drive("install_media", "nvme");
    drive.step = step;
    drive.rest(step);
    for (const double megabytes : nvme_windows) drive.move(15, megabytes * 1e6);
    drive.rest(2 * step);
    return drive;
}

run::stall_digest stall_at(std::string drive, double start, double length, stall::cause cause) {
    run::stall_digest one;
    one.drive = std::move(drive);
    one.cause = cause;
    one.start = at(start);
    one.length = one.length_min = one.length_max = at(length);
    return one;
}

}  // namespace

TEST_CASE("the seven windows of an install from NVMe, and how they compare with one from USB") {
    synthetic_drive usb("install_media", "usb-storage");
    usb.rest(3).move(225, 4.1e6).rest(20);
    const run::summary slow = summary_of(run_of(usb));
    for (const double step : {0.5, 1.0, 5.0, 15.0}) {
        CAPTURE(step);
        synthetic_drive nvme = install_from_nvme(step);
        const run::summary fast = summary_of(run_of(nvme));
        REQUIRE(fast.copied() != nullptr);
        REQUIRE(fast.copied()->read.windows);
        const run::distribution& windows = *fast.copied()->read.windows;
        CHECK(windows.windows == 7);
        CHECK(rounded(windows.mean / 1e6) == 74.4);
        CHECK(rounded(windows.median / 1e6) == 79.8);
        CHECK(windows.most == Approx(92.2e6));
        // Type 7: 0.6 and 5.4 places from the lowest.
        CHECK(windows.p10 == Approx((54.3 + 0.6 * (62.6 - 54.3)) * 1e6));
        CHECK(windows.p90 == Approx((84.7 + 0.4 * (92.2 - 84.7)) * 1e6));
        CHECK(fast.copy()->phase.length() == at(105));
        CHECK(*fast.copied()->read.bytes_per_second == Approx(74.4e6));

        REQUIRE(run::speed_ratio(slow, fast));
        CHECK(rounded(*run::speed_ratio(slow, fast)) == 18.1);
        CHECK(*run::speed_ratio(fast, slow) == Approx(4.1 / 74.4));
    }
}

TEST_CASE("quantiles of type 7") {
    CHECK(!run::distribution_of({}));
    const auto one = run::distribution_of({5});
    CHECK((one->mean == 5 && one->median == 5 && one->p10 == 5 && one->p90 == 5 && one->most == 5));
    const auto four = run::distribution_of({4, 1, 3, 2});
    CHECK(four->median == Approx(2.5));
    CHECK(four->p10 == Approx(1.3));
    CHECK(four->p90 == Approx(3.7));
    CHECK(four->mean == Approx(2.5));
    CHECK(four->most == 4);
    CHECK(four->windows == 4);
}

TEST_CASE("windows stand side by side; the last counts from half its length") {
    synthetic_drive drive("a");
    drive.move(40, 10e6);
    const run::progress& moved = drive.digest().moved;
    const auto rates = [&](double begin, double end, double window) {
        return run::window_rates(moved, direction::read, at(begin), at(end), at(window));
    };
    CHECK(rates(0, 30, 15).size() == 2);
    CHECK(rates(0, 37.4, 15).size() == 2);
    CHECK(rates(0, 37.5, 15).size() == 3);
    CHECK(rates(0, 37.5, 15)[2] == Approx(10e6));
    CHECK(rates(0, 4, 15).size() == 1);  // shorter than half a window, but all there is
    CHECK(rates(0, 4, 15)[0] == Approx(10e6));
    CHECK(rates(10, 10, 15).empty());
    CHECK(rates(10, 5, 15).empty());
    CHECK(rates(0, 40, 0).empty());
    CHECK(rates(0, 40, 9e9).size() == 1);
    CHECK(rates(30, 60, 15)[0] == Approx(10e6 * 10 / 15));
    CHECK(rates(30, 60, 15)[1] == 0);
    CHECK(run::window_rates({}, direction::read, at(0), at(30), at(15)) == std::vector<double>{0, 0});
}

TEST_CASE("what a drive did in the copy and in the whole run") {
    synthetic_drive medium("medium", "usb-storage"), disk("disk", "nvme");
    medium.rest(100).move(50, 40e6).rest(50);
    disk.latency = 0.002;
    disk.rest(100).move(50, 0, 20e6).move(20, 0, 10e6).rest(30);
    const run::summary all = summary_of(run_of(medium, disk), seconds(10));
    REQUIRE(all.parts.size() == 2);
    CHECK(all.window == seconds(10));
    CHECK(all.whole().phase.name == "run");
    CHECK(all.copy()->phase.name == "copy");
    REQUIRE(all.copy()->drives.size() == 2);

    const run::direction_summary& read = all.copied()->read;
    CHECK(read.done.bytes == 2'000'000'000);
    CHECK(*read.bytes_per_second == Approx(40e6));
    CHECK(*read.operations_per_second == Approx(40e6 / 65536).epsilon(1e-4));
    CHECK(*read.mean_bytes == Approx(65536).epsilon(1e-4));
    CHECK(*read.mean_latency_seconds == Approx(0.0005));
    CHECK(read.windows->windows == 5);
    CHECK(all.copied()->write.done == run::amount{});
    CHECK(!all.copied()->write.windows);
    CHECK(!all.copied()->write.mean_bytes);
    CHECK(!all.copied()->write.reached[0]);
    CHECK(*all.copied()->write.bytes_per_second == 0);

    CHECK(all.copy()->drives[1].drive == "disk");
    CHECK(all.copy()->drives[1].write.done.bytes == 1'000'000'000);
    CHECK(*all.copy()->drives[1].write.mean_latency_seconds == Approx(0.002));
    CHECK(all.whole().drives[1].write.done.bytes == 1'200'000'000);
    CHECK(*all.whole().drives[1].write.bytes_per_second == Approx(1.2e9 / 200));
    CHECK(all.whole().drives[1].write.windows->windows == 20);
}

TEST_CASE("when a quarter, half, three quarters, nine tenths and all had been moved") {
    synthetic_drive drive("medium", "usb-storage");
    // 1000 MB: half of it in 10 s, then a stall, the rest in 20 s.
    drive.rest(7).move(10, 50e6).rest(10).move(20, 25e6).rest(9);
    const run::summary all = summary_of(run_of(drive));
    const auto& reached = all.copied()->read.reached;
    CHECK(base::in_seconds(*reached[0]) == Approx(5));
    CHECK(base::in_seconds(*reached[1]) == Approx(10));
    CHECK(base::in_seconds(*reached[2]) == Approx(30));
    CHECK(base::in_seconds(*reached[3]) == Approx(36));
    CHECK(base::in_seconds(*reached[4]) == Approx(40));
    // The whole run begins earlier.
    CHECK(base::in_seconds(*all.whole().drives[0].read.reached[1]) == Approx(17));

    SUBCASE("between samples, too") {
        synthetic_drive coarse("medium");
        coarse.step = 15;
        coarse.move(60, 10e6);
        const auto times = summary_of(run_of(coarse)).copied()->read.reached;
        CHECK(base::in_seconds(*times[2]) == Approx(45));
        CHECK(base::in_seconds(*times[3]) == Approx(54));
    }
}

TEST_CASE("stalls by cause, the time they took, and how fast it was without them") {
    synthetic_drive medium("medium", "usb-storage"), disk("disk", "nvme");
    medium.rest(10);
    for (int i = 0; i < 3; ++i) medium.move(2, 40e6).rest(10);
    medium.move(4, 40e6).rest(100);
    disk.rest(150);
    run::digest all = run_of(medium, disk);
    using stall::cause;
    all.stalls = {
        stall_at("medium", -3, 5, cause::unknown),          stall_at("medium", 12, 10, cause::lost_completion),
        stall_at("medium", 24, 10, cause::lost_completion), stall_at("medium", 36, 10, cause::vm_paused),
        stall_at("medium", 52, 3, cause::slow_backend),     stall_at("disk", 20, 2, cause::slow_backend)};
    const run::summary sum = summary_of(all);
    const run::drive_summary& copied = *sum.copied();
    REQUIRE(copied.stalls.size() == 2);
    CHECK(copied.stalls[0].cause == cause::lost_completion);
    CHECK(copied.stalls[0].count == 2);
    CHECK(copied.stalls[0].lost == seconds(20));
    CHECK(copied.stalls[1].cause == cause::vm_paused);
    CHECK(copied.stall_count() == 3);
    CHECK(copied.lost() == seconds(30));
    CHECK(*copied.read.bytes_per_second == Approx(400e6 / 40));
    CHECK(*copied.bytes_per_second_without_stalls == Approx(40e6));
    // Those that began before the first sample and after the copy belong to the run.
    CHECK(sum.whole().drives[0].stall_count() == 5);
    CHECK(sum.whole().drives[0].stalls.back().cause == cause::unknown);
    CHECK(sum.whole().drives[1].stall_count() == 1);
    CHECK(*sum.whole().drives[1].bytes_per_second_without_stalls == 0);

    SUBCASE("stalls that took all of it") {
        all.stalls = {stall_at("medium", 12, 100, cause::lost_completion)};
        CHECK(!summary_of(all).copied()->bytes_per_second_without_stalls);
    }
    SUBCASE("none at all") {
        all.stalls.clear();
        CHECK(summary_of(all).copied()->stalls.empty());
        CHECK(!summary_of(all).copied()->bytes_per_second_without_stalls);
    }
}

TEST_CASE("QEMU's CPU in the phase") {
    synthetic_drive medium("medium", "usb-storage");
    medium.rest(100).move(50, 40e6).rest(50);
    run::digest all = run_of(medium);
    CHECK(!summary_of(all).whole().cpu_percent);
    all.cpu = {{at(0), 10}, {at(100), 20}, {at(140), 70}, {at(160), 95}, {at(200), 95}};
    CHECK(*summary_of(all).whole().cpu_percent == Approx(42.5));
    CHECK(*summary_of(all).copy()->cpu_percent == Approx(125));  // 62.5 s in 50 s
    all.cpu = {{at(120), 10}};
    CHECK(!summary_of(all).whole().cpu_percent);
    all.cpu = {{at(0), 10}, {at(50), 20}};  // nothing is known of the copy
    CHECK(!summary_of(all).copy()->cpu_percent);
    CHECK(*summary_of(all).whole().cpu_percent == Approx(20));
}

TEST_CASE("runs in which next to nothing happened") {
    SUBCASE("no drives") {
        const run::summary all = summary_of(run::digest{});
        CHECK(all.parts.size() == 1);
        CHECK(all.whole().drives.empty());
        CHECK(all.copy() == nullptr);
        CHECK(all.copied() == nullptr);
        CHECK(!run::speed_ratio(all, all));
    }
    SUBCASE("one sample") {
        synthetic_drive drive("a");
        const run::summary all = summary_of(run_of(drive));
        CHECK(!all.whole().drives[0].read.bytes_per_second);
        CHECK(!all.whole().drives[0].read.windows);
        CHECK(all.copy() == nullptr);
    }
    SUBCASE("a drive without a sample") {
        run::digest all;
        all.drives.push_back({"gone", {}, {}, {}});
        CHECK(summary_of(all).whole().drives[0].read.done == run::amount{});
    }
    SUBCASE("zero bytes: operations that failed to move anything") {
        run::digest all;
        all.drives.push_back({"a", {}, {}, {}});
        sample::drive_counters counters;
        all.drives[0].moved.add(at(0), counters);
        counters[sample::operation::read].completed = 10;
        all.drives[0].moved.add(at(10), counters);
        all.last_sample.steady += at(10);
        const run::summary sum = summary_of(all);
        CHECK(sum.whole().drives[0].read.windows->mean == 0);
        CHECK(*sum.whole().drives[0].read.mean_bytes == 0);
        CHECK(!sum.whole().drives[0].read.reached[4]);
    }
    SUBCASE("a copy shorter than a window") {
        synthetic_drive drive("a");
        drive.rest(5).move(3, 50e6).rest(5);
        const run::summary all = summary_of(run_of(drive));
        CHECK(all.copied()->read.windows->windows == 1);
        CHECK(all.copied()->read.windows->mean == Approx(50e6));
    }
}

TEST_CASE("a drive that came later has no windows before it was there") {
    synthetic_drive early("early"), late("late", "nvme", 60);
    early.move(120, 10e6);
    late.move(60, 0, 30e6);
    const run::summary all = summary_of(run_of(early, late));
    CHECK(all.whole().drives[1].write.windows->windows == 4);
    CHECK(all.whole().drives[1].write.windows->p10 == Approx(30e6));
    CHECK(*all.whole().drives[1].write.bytes_per_second == Approx(15e6));
}

TEST_CASE("a new QEMU process in the middle goes on") {
    synthetic_drive drive("medium");
    drive.move(30, 50e6).reset().rest(2).move(30, 50e6);
    const run::summary all = summary_of(run_of(drive));
    CHECK(all.whole().drives[0].read.done.bytes == 3'000'000'000);
    CHECK(base::in_seconds(*all.copied()->read.reached[3]) == Approx(56).epsilon(0.01));
}

TEST_CASE("the work of a summary grows with the run, not with its square") {
    const auto processor_time = [](int length_seconds) {
        synthetic_drive a("a"), b("b"), c("c"), d("d");
        for (synthetic_drive* each : {&a, &b, &c, &d}) each->move(length_seconds, 4e6, 1e6);
        const run::digest all = run_of(a, b, c, d);
        const std::clock_t begin = std::clock();
        CHECK(summary_of(all).whole().drives[3].read.windows->windows == static_cast<std::size_t>(length_seconds / 15));
        return std::clock() - begin;
    };
    const std::clock_t short_run = processor_time(5400);
    CHECK(processor_time(8 * 5400) < 20 * std::max<std::clock_t>(short_run, 1));
}
