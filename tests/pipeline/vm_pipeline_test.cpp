#include "pipeline/vm_pipeline.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace qmpwatch;
using namespace qmpwatch::pipeline;
using base::seconds;
using sample::monitor_state;
using sample::operation;

namespace {

base::instant at(double second) {
    const auto since = std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(second));
    return {base::steady_time(seconds(1000)) + since,
            base::wall_time(seconds(1'796'000'000)) + std::chrono::duration_cast<base::wall_time::duration>(since)};
}

/// A VM of one drive, fed by hand.
struct watched {
    vm_pipeline pipeline{"vm", {seconds(5), seconds(1)}};
    std::vector<notice> said;
    sample::sample now;

    watched() {
        now.drives.resize(1);
        now.drives[0].identity = {"disk", "/machine/peripheral/disk", "#block1"};
    }

    void monitor(monitor_state state, double second, std::string detail = {}) {
        pipeline.monitor_changed({state, std::move(detail), at(second), {}}, said);
    }
    void sampled(double second, std::uint64_t reads, std::size_t drive = 0) {
        now.at = at(second);
        now.drives[drive].counters[operation::read].completed = reads;
        now.drives[drive].counters[operation::read].bytes = reads * 4096;
        pipeline.sampled(now, said);
    }
    template <class Kind>
    std::vector<Kind> all() const {
        std::vector<Kind> found;
        for (const notice& one : said) {
            if (const Kind* kind = std::get_if<Kind>(&one.what)) found.push_back(*kind);
        }
        return found;
    }
};

}  // namespace

TEST_CASE("a rate for each interval, none before the first is over") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    for (int second = 0; second <= 10; ++second) vm.sampled(second, static_cast<std::uint64_t>(100 * second));
    const auto rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 2);
    for (const rate_notice& one : rates) {
        CHECK(one.drive == "disk");
        REQUIRE(one.rate.has_value());
        CHECK(one.rate->read.operations_per_second == doctest::Approx(100));
        CHECK(one.rate->window == seconds(5));
    }
    CHECK(vm.said.back().elapsed == seconds(10));
    const auto snapshot = vm.pipeline.snapshot(at(10).steady);
    REQUIRE(snapshot->drives.size() == 1);
    REQUIRE(snapshot->drives[0].rate.has_value());
    CHECK(snapshot->drives[0].rate->read.bytes_per_second == doctest::Approx(409'600));
    CHECK_FALSE(snapshot->first_rate_in.has_value());
}

TEST_CASE("the snapshot says when the first number comes, and is the same object until something changes") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    vm.sampled(0, 0);
    vm.sampled(2, 10);
    const auto first = vm.pipeline.snapshot(at(2).steady);
    CHECK(first->first_rate_in == seconds(3));
    CHECK_FALSE(first->drives[0].rate.has_value());
    CHECK(vm.pipeline.snapshot(at(2.5).steady) == first);
    vm.sampled(3, 10);
    CHECK(vm.pipeline.snapshot(at(3).steady) != first);
    CHECK(first->drives[0].counters[operation::read].completed == 10);
}

TEST_CASE("a lost connection takes the drives away; a new process begins anew") {
    watched vm;
    vm.monitor(monitor_state::absent, 0, "no socket");
    vm.monitor(monitor_state::connecting, 1);
    vm.monitor(monitor_state::ready, 1);
    for (int second = 1; second <= 7; ++second) vm.sampled(second, 1000U * static_cast<unsigned>(second));
    vm.monitor(monitor_state::absent, 8, "QEMU closed the connection");
    CHECK(vm.pipeline.snapshot(at(8).steady)->drives.empty());
    CHECK(vm.pipeline.snapshot(at(8).steady)->reconnects == 0);

    vm.monitor(monitor_state::connecting, 9);
    vm.monitor(monitor_state::ready, 9);
    for (int second = 9; second <= 14; ++second) vm.sampled(second, 10U * static_cast<unsigned>(second - 9));
    CHECK(vm.pipeline.snapshot(at(14).steady)->reconnects == 1);
    const auto monitors = vm.all<monitor_notice>();
    REQUIRE(monitors.size() == 4);  // absent, ready, absent, ready: connecting is no news
    CHECK_FALSE(monitors[1].reconnected);
    CHECK(monitors[2].detail == "QEMU closed the connection");
    CHECK(monitors[3].reconnected);
    CHECK(monitors[3].before == monitor_state::absent);
    const auto rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 2);
    CHECK(rates[1].rate->read.operations_per_second == doctest::Approx(10));
}

TEST_CASE("a monitor that is blocked or stopped keeps its drives: the process is the same") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    for (int second = 0; second <= 5; ++second) vm.sampled(second, static_cast<std::uint64_t>(second));
    vm.monitor(monitor_state::blocked, 8, "main loop");
    CHECK(vm.pipeline.snapshot(at(8).steady)->drives.size() == 1);
    vm.monitor(monitor_state::ready, 20);
    vm.sampled(20, 65);
    CHECK(vm.pipeline.snapshot(at(20).steady)->reconnects == 0);
    const auto rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 2);
    CHECK(rates[1].rate->window == seconds(15));  // the real time since the last report
    CHECK(rates[1].rate->read.operations_per_second == doctest::Approx(4));
}

TEST_CASE("drives come and go, and are told apart by name") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    vm.sampled(0, 0);
    vm.now.drives.push_back({{"stick", "ustick", "#block2"}, {}});
    vm.sampled(1, 10);
    vm.sampled(5, 50);
    auto changes = vm.all<drives_notice>();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].added == std::vector<std::string>{"stick"});
    auto rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 2);
    CHECK(rates[0].rate.has_value());
    CHECK_FALSE(rates[1].rate.has_value());  // plugged in during the interval: no rate rather than a wrong one

    vm.now.drives.erase(vm.now.drives.begin());
    vm.sampled(6, 0);
    changes = vm.all<drives_notice>();
    REQUIRE(changes.size() == 2);
    CHECK(changes[1].removed == std::vector<std::string>{"disk"});
    CHECK(vm.pipeline.snapshot(at(6).steady)->drives.size() == 1);
    CHECK(vm.pipeline.snapshot(at(6).steady)->drives[0].drive == "stick");
}

TEST_CASE("a medium change keeps the drive and its window") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    for (int second = 0; second <= 3; ++second) vm.sampled(second, 10U * static_cast<unsigned>(second));
    vm.now.drives[0].identity.node_name = "#block9";
    for (int second = 4; second <= 5; ++second) vm.sampled(second, 10U * static_cast<unsigned>(second));
    CHECK(vm.all<drives_notice>().empty());
    const auto rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 1);
    CHECK(rates[0].rate->read.operations_per_second == doctest::Approx(10));
}

TEST_CASE("a drive that was replaced under its name has no rate over the change") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    for (int second = 0; second <= 5; ++second) vm.sampled(second, 1000U * static_cast<unsigned>(second + 1));
    for (int second = 6; second <= 10; ++second) vm.sampled(second, 10);
    auto rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 2);
    CHECK(rates[0].rate.has_value());
    CHECK_FALSE(rates[1].rate.has_value());
    for (int second = 11; second <= 15; ++second) vm.sampled(second, 10);
    rates = vm.all<rate_notice>();
    REQUIRE(rates.size() == 3);
    REQUIRE(rates[2].rate.has_value());
    CHECK(rates[2].rate->read.operations_per_second == 0);
}

TEST_CASE("two drives of one name are both shown") {
    watched vm;
    vm.now.drives.push_back(vm.now.drives[0]);
    vm.monitor(monitor_state::ready, 0);
    vm.sampled(0, 0);
    vm.sampled(1, 5, 1);
    const auto snapshot = vm.pipeline.snapshot(at(1).steady);
    REQUIRE(snapshot->drives.size() == 2);
    CHECK(snapshot->drives[0].drive == "disk");
    CHECK(snapshot->drives[1].drive == "disk (2)");
    CHECK(snapshot->drives[1].counters[operation::read].completed == 5);
}

TEST_CASE("run states and events are said once each") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    vm.pipeline.run_state_changed({"running", at(0)}, vm.said);
    vm.pipeline.run_state_changed({"running", at(1)}, vm.said);
    vm.pipeline.event_heard({"STOP", "", at(2)}, vm.said);
    vm.pipeline.run_state_changed({"paused", at(2)}, vm.said);
    const auto states = vm.all<vm_notice>();
    REQUIRE(states.size() == 2);
    CHECK(states[0].before.empty());
    CHECK(states[1].before == "running");
    CHECK(states[1].after == "paused");
    CHECK(vm.all<qmp_notice>().size() == 1);
    CHECK(vm.pipeline.snapshot(at(2).steady)->events.at("STOP") == 1);
    CHECK_FALSE(vm.said.front().elapsed.has_value());  // no sample yet, so no zero to count from
}

TEST_CASE("QEMU's processor time over the window") {
    watched vm;
    vm.monitor(monitor_state::ready, 0);
    for (int second = 0; second <= 10; ++second) {
        base::process_usage usage;
        usage.cpu_seconds = 2.5 * second;
        usage.start_time_seconds = 7;
        vm.now.process = usage;
        vm.sampled(second, 0);
    }
    CHECK(*vm.pipeline.snapshot(at(10).steady)->cpu_percent == doctest::Approx(250));
    base::process_usage other;  // a new process behind the same socket
    other.start_time_seconds = 8;
    vm.now.process = other;
    vm.sampled(11, 0);
    vm.now.process->cpu_seconds = 0.5;
    vm.sampled(12, 0);
    CHECK(*vm.pipeline.snapshot(at(12).steady)->cpu_percent == doctest::Approx(50));
}

TEST_CASE("the summary counts what passed, over a restart of QEMU too") {
    watched vm;
    CHECK_FALSE(vm.pipeline.summary().has_value());
    vm.monitor(monitor_state::ready, 0);
    vm.sampled(0, 1000);
    vm.sampled(1, 1100);
    vm.monitor(monitor_state::absent, 2);
    vm.monitor(monitor_state::ready, 3);
    vm.sampled(3, 7);
    vm.sampled(4, 10);
    const auto last = vm.pipeline.summary();
    REQUIRE(last.has_value());
    const auto& total = std::get<summary_notice>(last->what);
    CHECK(total.watched == seconds(4));
    REQUIRE(total.drives.size() == 1);
    CHECK(total.drives[0].reads_completed == 103);
    CHECK(total.drives[0].read_bytes == 103 * 4096);
}

TEST_CASE("polls are counted by outcome and sorted by duration") {
    watched vm;
    vm.pipeline.poll_ended({sample::poll_outcome::succeeded, std::chrono::microseconds(400), {}});
    vm.pipeline.poll_ended({sample::poll_outcome::succeeded, base::milliseconds(1), base::milliseconds(101)});
    vm.pipeline.poll_ended({sample::poll_outcome::timed_out, seconds(20), base::milliseconds(100)});
    vm.pipeline.poll_ended({sample::poll_outcome::failed, seconds(0), {}});
    const poll_statistics& polls = vm.pipeline.polls();
    CHECK(polls.succeeded == 2);
    CHECK(polls.timed_out == 1);
    CHECK(polls.failed == 1);
    CHECK(polls.late == 1);
    CHECK(polls.buckets[0] == 2);  // 0 and 0.4 ms are at most 0.5 ms
    CHECK(polls.buckets[1] == 1);  // 1 ms is at most 1 ms
    CHECK(polls.buckets.back() == 1);
    CHECK(polls.sum_seconds == doctest::Approx(20.0014));
}
