// One drive judged by itself. What it says in whole sessions is tried in detector_test.cpp and scenarios_test.cpp.
#include "stall/drive_tracker.hpp"

#include "stall/bench.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

namespace {

/// Gives a drive_tracker what a vm_detector would.
struct alone {
    explicit alone(const char* device) : drive(settings, "disk", {"disk", "", ""}) {
        drive.attach(device);
        around.pauses = &pauses;
    }

    void look(std::uint64_t operations, double latency = 1e-4) {
        tick when;
        when.before = at(now).steady;
        now += 0.5;
        when.at = at(now);
        sums.operations += operations;
        sums.bytes += operations * 65536;
        sums.time_ns += static_cast<std::uint64_t>(1e9 * latency * static_cast<double>(operations));
        if (operations > 0) last = now - 0.001;
        if (sums.operations > 0) sums.idle = base::nanoseconds(static_cast<std::int64_t>((now - last) * 1e9));
        if (!drive.is_known())
            drive.first(when, sums);
        else
            drive.step(when, sums, around, said);
    }
    std::uint64_t count(cause which) const { return drive.totals()[index_of(which)].count; }

    detector_settings settings;
    drive_tracker drive;
    pause_log pauses;
    surroundings around;
    counter_sums sums;
    std::vector<transition> said;
    double now = 100, last = 100;
};

}  // namespace

TEST_CASE("one operation that took long is slow even without a stream before it") {
    for (const bool is_slow : {false, true}) {
        alone one("usb-storage");
        for (int index = 0; index < 4; ++index) one.look(1);
        for (int index = 0; index < 20; ++index) one.look(0);
        one.look(1, is_slow ? 9.9 : 0.001);
        for (int index = 0; index < 4; ++index) one.look(2);
        INFO(describe(one.said));
        CHECK(one.count(cause::slow_backend) == (is_slow ? 1 : 0));
        CHECK(one.count(cause::lost_completion) == 0);
    }
}

TEST_CASE("what many operations took together is a stall only where they cannot be parallel") {
    for (const char* device : {"usb-storage", "virtio-blk"}) {
        alone one(device);
        for (int index = 0; index < 4; ++index) one.look(1);
        for (int index = 0; index < 20; ++index) one.look(0);
        one.look(16, 0.3);  // 4.8 s in half a second
        for (int index = 0; index < 4; ++index) one.look(2);
        CAPTURE(device);
        INFO(describe(one.said));
        CHECK(one.count(cause::slow_backend) == (std::string(device) == "usb-storage" ? 1 : 0));
    }
}

TEST_CASE("jobs around it keep a drive from being suspected") {
    for (const bool has_jobs : {false, true}) {
        alone one("usb-storage");
        one.around.has_jobs = has_jobs;
        for (int index = 0; index < 12; ++index) one.look(100);
        for (int index = 0; index < 17; ++index) one.look(0);
        CHECK(one.drive.view().is_suspected == !has_jobs);
        CHECK(one.drive.view().gap_start.has_value());
        CHECK(one.drive.wanted_poll(base::seconds(1)) < base::seconds(1));
    }
}

TEST_CASE("a tracker that forgets keeps its totals, and takes over those of another") {
    alone one("usb-storage");
    for (int index = 0; index < 12; ++index) one.look(100);
    for (int index = 0; index < 20; ++index) one.look(0);
    one.look(10);
    one.look(100);
    REQUIRE(one.count(cause::lost_completion) == 1);
    one.drive.forget(at(one.now), true, "gone", one.said);
    CHECK(one.said.back().is_gone);
    CHECK(!one.drive.is_known());
    CHECK(one.drive.view().level == level::none);
    CHECK(one.count(cause::lost_completion) == 1);
    alone next("usb-storage");
    next.drive.resume_totals(one.drive.totals());
    CHECK(next.count(cause::lost_completion) == 1);
}

TEST_CASE("a loss before the stream shows counts when it has shown") {
    alone one("usb-storage");
    one.look(5);
    one.look(6);
    for (int index = 0; index < 20; ++index) one.look(0);
    CHECK(one.drive.wanted_poll(base::seconds(1)) == base::milliseconds(100));
    one.look(4);
    for (int index = 0; index < 20; ++index) one.look(0);
    CHECK(one.count(cause::lost_completion) == 0);
    for (int index = 0; index < 4; ++index) one.look(40);
    for (int index = 0; index < 20; ++index) one.look(0);
    for (int index = 0; index < 4; ++index) one.look(50);
    INFO(describe(one.said));
    CHECK(one.count(cause::lost_completion) == 3);
}

TEST_CASE("two bursts that are alike by chance delay a loss, a job with a timer never counts") {
    for (const bool is_job : {false, true}) {
        alone one("usb-storage");
        one.look(0);
        const auto gap_after = [&](std::uint64_t operations) {
            one.look(operations);
            one.look(operations);
            for (int index = 0; index < 20; ++index) one.look(0);
        };
        gap_after(50);
        gap_after(50);
        gap_after(50);
        CHECK(one.count(cause::lost_completion) == 1);
        for (int index = 0; index < 5; ++index) gap_after(is_job ? 50 : 70 + 20 * static_cast<std::uint64_t>(index));
        INFO(describe(one.said));
        CHECK(one.count(cause::lost_completion) == (is_job ? 1 : 7));
    }
}

TEST_CASE("what the guest writes behind a lost read does not weigh against it") {
    for (const double written : {0.0, 1e8}) {
        alone one("usb-storage");
        for (int index = 0; index < 4; ++index) one.look(50);
        for (int index = 0; index < 20; ++index) {
            // Until a second after the last read.
            one.around.bytes = one.sums.bytes + static_cast<std::uint64_t>(index < 2 ? 0 : written);
            one.look(0);
        }
        one.look(30);
        for (int index = 0; index < 2; ++index) one.look(40);
        for (int index = 0; index < 20; ++index) one.look(0);
        one.look(35);
        one.look(50);
        INFO(describe(one.said));
        CHECK(one.said.back().level == level::confirmed);
    }
}
