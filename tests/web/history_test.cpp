#include "web/history.hpp"

#include "support/vms.hpp"

#include <doctest/doctest.h>

#include <string>

namespace qmpwatch::web {

namespace {

using namespace std::chrono_literals;

/// A VM with one drive, seen again and again.
struct watched {
    history past;
    pipeline::vm_snapshot vm = support::running_vm();
    base::steady_time begin = support::some_instant().steady;

    watched() {
        vm.drives = {support::system_drive()};
        drive().counters = {};
    }
    pipeline::drive_snapshot& drive() { return vm.drives.front(); }
    void see(base::nanoseconds at) {
        vm.last_sample = base::instant{begin + at, {}};
        pipeline::snapshot state = support::state_of({vm});
        state.at = *vm.last_sample;
        past.take(state);
    }
    void read(std::uint64_t bytes) { drive().counters[sample::operation::read].bytes = bytes; }
    void stall(base::nanoseconds start, base::nanoseconds age) {
        drive().stall.is_suspected = true;
        drive().stall.cause = stall::cause::lost_completion;
        drive().stall.gap_start = base::instant{begin + start, {}};
        drive().stall.gap_age = age;
    }
    void end_stall() {
        drive().stall.is_suspected = false;
        drive().stall.cause = stall::cause::unknown;
        drive().stall.gap_start.reset();
    }
    void count_stall(base::nanoseconds length) {
        if (drive().stall.totals.empty()) drive().stall.totals = {{stall::cause::lost_completion, {}}};
        drive().stall.totals[0].totals.add(length);
    }
    const drive_history& known() const {
        const drive_history* const found = past.find("winarm", "system");
        REQUIRE(found != nullptr);
        return *found;
    }
};

}  // namespace

TEST_CASE("each second is remembered, once, for ten minutes") {
    watched one;
    for (int second = 0; second <= 700; ++second) {
        one.read(static_cast<std::uint64_t>(second) * 1000);
        for (const base::nanoseconds more : {0ms, 0ms, 300ms}) one.see(base::seconds(second) + more);
    }
    CHECK(one.known().points.size() == 600);  // 101 to 700: the last look was at 700.3 s
    CHECK(one.known().points.back().read_bytes == 700'000);
    CHECK(one.known().points.front().read_bytes == 101'000);
    CHECK(one.past.find("winarm", "other") == nullptr);
    CHECK(one.past.find("other", "system") == nullptr);
}

TEST_CASE("a new QEMU process begins anew") {
    watched one;
    one.read(1000);
    one.see(0s);
    one.see(1s);
    one.read(10);
    one.see(2s);
    REQUIRE(one.known().points.size() == 1);
    CHECK(one.known().points[0].read_bytes == 10);
}

TEST_CASE("what is gone is forgotten") {
    watched one;
    one.see(0s);
    pipeline::snapshot empty;
    empty.at.steady = one.begin + 9min;
    one.past.take(empty);
    CHECK(one.past.find("winarm", "system") != nullptr);
    empty.at.steady = one.begin + 11min;
    one.past.take(empty);
    CHECK(one.past.find("winarm", "system") == nullptr);
}

TEST_CASE("a stall is remembered from its suspicion to its end") {
    watched one;
    one.see(0s);
    one.stall(1s, 4s);
    one.see(5s);
    REQUIRE(one.known().stalls.size() == 1);
    CHECK(one.known().stalls[0].is_open);
    CHECK(one.known().stalls[0].length == 4s);
    one.stall(1s, 9s);
    one.see(10s);
    REQUIRE(one.known().stalls.size() == 1);
    CHECK(one.known().stalls[0].length == 9s);
    one.end_stall();
    one.count_stall(10'050ms);
    one.see(12s);
    REQUIRE(one.known().stalls.size() == 1);
    CHECK_FALSE(one.known().stalls[0].is_open);
    CHECK(one.known().stalls[0].length == 10'050ms);
    CHECK(one.known().stalls[0].cause == stall::cause::lost_completion);

    SUBCASE("the next one is another") {
        one.stall(13s, 3s);
        one.see(16s);
        CHECK(one.known().stalls.size() == 2);
    }
    SUBCASE("and after ten minutes it is forgotten") {
        one.see(5min);
        CHECK(one.known().stalls.size() == 1);
        one.see(11min);
        CHECK(one.known().stalls.empty());
    }
}

TEST_CASE("a suspicion that was withdrawn leaves no trace") {
    watched one;
    one.see(0s);
    one.stall(1s, 4s);
    one.see(5s);
    one.end_stall();
    one.see(6s);
    CHECK(one.known().stalls.empty());
}

TEST_CASE("one stall ends and the next begins between two looks") {
    watched one;
    one.see(0s);
    one.stall(1s, 9s);
    one.see(10s);
    one.count_stall(10s);
    one.stall(11500ms, 3s);
    one.see(14500ms);
    REQUIRE(one.known().stalls.size() == 2);
    CHECK(one.known().stalls[0].length == 10s);
    CHECK(one.known().stalls[1].is_open);
    CHECK(one.known().stalls[1].length == 3s);
}

TEST_CASE("drives are remembered up to a number") {
    watched one;
    for (int number = 0; number < 100; ++number) {
        one.vm.drives.push_back(support::system_drive());
        one.vm.drives.back().drive = "drive" + std::to_string(number);
    }
    one.see(0s);
    CHECK(one.past.find("winarm", "system") != nullptr);
    CHECK(one.past.find("winarm", "drive62") != nullptr);
    CHECK(one.past.find("winarm", "drive63") == nullptr);
}

TEST_CASE("a VM without samples has nothing to remember") {
    history past;
    past.take(support::state_of({support::busy_vm()}));
    past.take({});
    CHECK(past.find("desktop", "system") == nullptr);
}

}  // namespace qmpwatch::web
