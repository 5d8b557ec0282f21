// Loads: counters that only grow, gaps that look like the real ones, recordings played back.
#include "sim/load.hpp"
#include "sim/machine.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch::sim;
using namespace std::chrono_literals;
using qmpwatch::support::fixture;

namespace {

load_spec reading(gap_kind gap) {
    load_spec spec;
    spec.read.bytes_per_second = 4.1e6;
    spec.gap = gap;
    return spec;
}

struct seen_gap {
    nanoseconds length{0};          // with nothing counted
    std::uint64_t closing_ns = 0;   // latency counted by the sample that ended it
};

std::vector<seen_gap> gaps_of(generated_load load, nanoseconds span) {
    std::vector<seen_gap> gaps;
    counters last;
    nanoseconds still{0};
    for (nanoseconds now{0}; now < span; now += 100ms) {
        const counters next = load.at(now);
        CHECK(next.reads >= last.reads);
        CHECK(next.read_ns >= last.read_ns);
        CHECK(next.read_bytes == next.reads * 65536);
        if (next.reads == last.reads) {
            if (last.idle_ns && next.idle_ns) CHECK(*next.idle_ns - *last.idle_ns == 100'000'000);
            still += 100ms;
        } else {
            if (still >= 5s) gaps.push_back({still, next.read_ns - last.read_ns});
            still = 0ms;
        }
        last = next;
    }
    return gaps;
}

}  // namespace

TEST_CASE("a steady load has its rate") {
    generated_load load(reading(gap_kind::none));
    const counters counted = load.at(100s);
    CHECK(static_cast<double>(counted.read_bytes) == doctest::Approx(4.1e8).epsilon(0.02));
    CHECK(static_cast<double>(counted.read_ns) / static_cast<double>(counted.reads) ==
          doctest::Approx(60'000).epsilon(0.1));
    CHECK(load.at(50s) == counted);  // time does not go back
    CHECK(counted.writes == 0);
}

TEST_CASE("the same seed gives the same numbers, another seed others") {
    load_spec spec = reading(gap_kind::lost_completion);
    generated_load one(spec);
    generated_load same(spec);
    spec.seed = 2;
    generated_load other(spec);
    for (nanoseconds now{0}; now < 60s; now += 1s) same.at(now);
    CHECK(one.at(60s) == same.at(60s));
    CHECK_FALSE(one.at(60s) == other.at(60s));
}

TEST_CASE("no I/O has no idle time, as a drive that was never accessed") {
    generated_load load(load_spec{});
    CHECK(load.at(3600s) == counters{});
}

TEST_CASE("a lost completion costs no latency") {
    const auto gaps = gaps_of(generated_load(reading(gap_kind::lost_completion)), 300s);
    CHECK(gaps.size() >= 10);
    for (const seen_gap& gap : gaps) {
        CHECK(gap.length >= 9800ms);
        CHECK(gap.length <= 10400ms);
        CHECK(gap.closing_ns < 20'000'000);
    }
}

TEST_CASE("a host stall is in the closing operation's latency") {
    const auto gaps = gaps_of(generated_load(reading(gap_kind::host_stall)), 300s);
    CHECK(gaps.size() >= 10);
    for (const seen_gap& gap : gaps) CHECK(gap.closing_ns >= 9'900'000'000);
}

TEST_CASE("operations slower than the gaps are apart do not hang the generator") {
    load_spec spec = reading(gap_kind::lost_completion);
    spec.read.latency = 10s;
    spec.gap_every = 0s;
    spec.gap_length = 0s;
    CHECK(generated_load(spec).at(600s).reads < 120);
}

TEST_CASE("a paused VM counts nothing and its idle time runs on") {
    scenario what;
    add_drive(what, guest_device::nvme, "system", reading(gap_kind::none));
    machine vm(what);
    const counters before = vm.counted(0, 10s);
    vm.set_status("paused", 10s);
    const counters during = vm.counted(0, 17s);
    CHECK(during.reads == before.reads);
    CHECK(*during.idle_ns == *before.idle_ns + 7'000'000'000);
    vm.set_status("running", 20s);
    const counters after = vm.counted(0, 21s);
    CHECK(after.reads > before.reads + 40);
    CHECK(after.reads < before.reads + 90);
    CHECK(vm.fail_operation("system", false));
    CHECK_FALSE(vm.fail_operation("nothing", false));
    CHECK(vm.counted(0, 21s).failed_reads == 1);
    vm.restart(22s);
    CHECK(vm.counted(0, 23s).reads < 90);
}

TEST_CASE("recordings of all three forms") {
    for (const char* name : {"recordings/csw_0.5s.jsonl", "captures/burst_usb_storage_tcg_0.25s.jsonl",
                             "captures/burst_usb_storage_hmp_text_0.25s.jsonl"}) {
        CAPTURE(name);
        auto series = read_recording(fixture(name));
        REQUIRE(series.has_value());
        REQUIRE(series->lines.size() > 10);
        CHECK(series->lines.front().at == 0ns);
        const auto shared = std::make_shared<const recording>(*series);
        const recorded_load load(shared, 0, 1, false);
        const recording::line& tenth = shared->lines[9];
        CHECK(load.at(tenth.at) == tenth.drives[0].counted);
        const counters later = load.at(tenth.at + 100ms);
        CHECK(later.read_bytes == tenth.drives[0].counted.read_bytes);
        if (later.idle_ns) CHECK(*later.idle_ns == *tenth.drives[0].counted.idle_ns + 100'000'000);
        CHECK(load.at(shared->length() + 1h).read_bytes == shared->lines.back().drives[0].counted.read_bytes);
        CHECK(recorded_load(shared, 0, 1, true).at(shared->length() + 1ms).read_bytes ==
              shared->lines.front().drives[0].counted.read_bytes);
        CHECK(recorded_load(shared, 0, 10, false).at(tenth.at / 10 + 1ms).read_bytes ==
              tenth.drives[0].counted.read_bytes);
    }
    const auto pauses = read_recording(fixture("recordings/pause_0.5s.jsonl"));
    REQUIRE(pauses.has_value());
    CHECK(pauses->statuses.size() == 8);
    CHECK(pauses->events.size() == 7);
    CHECK(pauses->events[0].name == "STOP");
}

TEST_CASE("what is no recording") {
    CHECK_FALSE(read_recording("").has_value());
    CHECK_FALSE(read_recording("not JSON").has_value());
    CHECK_FALSE(read_recording("[1]").has_value());
    CHECK_FALSE(read_recording(R"({"t": 1, "event": {"event": "STOP"}})").has_value());
    CHECK_FALSE(read_recording(R"({"t": 1, "return": []})").has_value());
    CHECK_FALSE(read_recording(R"({"t": "1", "return": [{"stats": {}}]})").has_value());
    CHECK(read_recording(R"({"t": -1e300, "return": [{"stats": {"rd_bytes": -5}}]})").has_value());
}

TEST_CASE("misbehaviours by name") {
    for (const std::string_view name : misbehaviour_names()) {
        CAPTURE(name);
        scenario what;
        CHECK(apply_misbehaviour(what, name).has_value());
    }
    scenario what;
    CHECK(apply_misbehaviour(what, "slow_reply=250ms").has_value());
    CHECK(what.fault.reply_delay == 250ms);
    CHECK_FALSE(apply_misbehaviour(what, "slow_reply=250").has_value());
    CHECK_FALSE(apply_misbehaviour(what, "silence=1").has_value());
    CHECK_FALSE(apply_misbehaviour(what, "disconnect_after=0").has_value());
    CHECK_FALSE(apply_misbehaviour(what, "nope").has_value());
    CHECK_FALSE(apply_misbehaviour(what, "").has_value());
}
