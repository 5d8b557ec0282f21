// What the detector makes of recorded QEMUs: stock 7.2 and 11.1, with the truth beside them.
#include "stall/accuracy.hpp"
#include "stall/recording.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

namespace {

std::vector<transition> heard(const std::vector<transition>& said, change what) {
    std::vector<transition> found;
    std::copy_if(said.begin(), said.end(), std::back_inserter(found),
                 [&](const transition& one) { return one.what == what; });
    return found;
}

detector_settings settings_at(double poll_seconds) {
    detector_settings settings;
    settings.poll = base::nanoseconds(static_cast<std::int64_t>(poll_seconds * 1e9));
    return settings;
}

/// The true stalls that closed a moment before the last poll of a look.
std::vector<true_gap> closed_stalls(const std::string& name, const std::vector<frame>& frames, const look& how) {
    double last = 0;
    for (std::size_t index = how.first; index < frames.size(); index += how.every) last = frames[index].seconds;
    std::vector<true_gap> gaps;
    for (const true_gap& gap : load_truth(fmt::format("recordings/{}_0.5s.truth.json", name))) {
        if (gap.kind != "guest_idle" && gap.start + gap.length < last) gaps.push_back(gap);
    }
    return gaps;
}

}  // namespace

TEST_CASE("every recorded stall is found at its time, with its length and its cause") {
    struct expectation {
        const char* name;
        cause why;
    };
    for (const expectation& each :
         {expectation{"csw", cause::lost_completion}, expectation{"csw_qemu11", cause::lost_completion},
          expectation{"hoststall", cause::slow_backend}, expectation{"pause", cause::vm_paused}}) {
        const auto frames = load(fmt::format("recordings/{}_0.5s.jsonl", each.name));
        for (const std::size_t every : {1U, 2U, 4U}) {
            const double most = every == 1 ? 0.15 : every == 2 ? 0.3 : 1.3;
            for (std::size_t first = 0; first < every; ++first) {
                look how;
                how.every = every;
                how.first = first;
                const auto said = replay(frames, how, settings_at(0.5 * static_cast<double>(every)));
                CAPTURE(each.name);
                CAPTURE(every);
                CAPTURE(first);
                INFO(describe(said));
                auto truth = closed_stalls(each.name, frames, how);
                const auto closed = heard(said, change::closed);
                // One sample alone before the first gap does not show a stream.
                if (std::string(each.name) == "csw_qemu11" && every == 4 && first == 3) truth.erase(truth.begin());
                REQUIRE(closed.size() == truth.size());
                for (std::size_t index = 0; index < truth.size(); ++index) {
                    const transition& found = closed[index];
                    CHECK(found.cause == each.why);
                    CHECK(std::abs(seconds_of(found.start.steady) - truth[index].start) < 0.010);
                    CHECK(std::abs(base::in_seconds(found.length) - truth[index].length) < most);
                    CHECK(found.length_min <= found.length);
                    CHECK(found.length <= found.length_max);
                    // The truth ends with the guest's reset, the gap some milliseconds later with the repeated read.
                    CHECK(truth[index].length >= base::in_seconds(found.length_min) - 0.01);
                    CHECK(truth[index].length <= base::in_seconds(found.length_max) + 0.01);
                    CHECK(found.count == index + 1);
                }
            }
        }
    }
}

TEST_CASE("lost completions are confirmed within 35 s of the first one's start") {
    for (const char* name : {"csw", "csw_qemu11"}) {
        const auto frames = load(fmt::format("recordings/{}_0.5s.jsonl", name));
        for (const bool is_hmp : {false, true}) {
            look how;
            how.is_hmp = is_hmp;
            const auto said = replay(frames, how, settings_at(0.5));
            INFO(describe(said));
            const double start = load_truth(fmt::format("recordings/{}_0.5s.truth.json", name))[0].start;
            std::optional<double> suspected, probable, confirmed;
            for (const transition& one : said) {
                const double after = seconds_of(one.at.steady) - start;
                if (!suspected && one.level >= level::suspected) suspected = after;
                if (!probable && one.level >= level::probable) probable = after;
                if (!confirmed && one.level >= level::confirmed) confirmed = after;
            }
            REQUIRE(confirmed);
            CHECK(*suspected <= 8.6);
            CHECK(*probable <= 11);
            CHECK(*confirmed <= 35);
        }
    }
}

TEST_CASE("without knowing how the drive is attached it takes one gap more") {
    look how;
    how.device = "";
    const auto frames = load("recordings/csw_0.5s.jsonl");
    const auto said = replay(frames, how, settings_at(0.5));
    const auto closed = heard(said, change::closed);
    INFO(describe(said));
    CHECK(heard(said, change::suspected).front().start.steady > closed.front().start.steady);
    CHECK(closed.size() == 14);
    CHECK(std::any_of(said.begin(), said.end(), [](const transition& one) { return one.level == level::confirmed; }));
    CHECK(closed.front().is_retroactive);
}

TEST_CASE("nothing else is confirmed, and idleness is not counted") {
    for (const char* name : {"idle", "pause", "hoststall", "throttle", "healthy"}) {
        const auto frames = load(fmt::format("recordings/{}_0.5s.jsonl", name));
        for (const std::size_t every : {1U, 2U, 4U, 30U}) {
            for (std::size_t first = 0; first < every; ++first) {
                for (const bool is_hmp : {false, true}) {
                    look how;
                    how.every = every;
                    how.first = first;
                    how.is_hmp = is_hmp;
                    vm_detector detector(settings_at(0.5 * static_cast<double>(every)));
                    const auto said = replay(frames, how, detector);
                    CAPTURE(name);
                    CAPTURE(every);
                    CAPTURE(first);
                    CAPTURE(is_hmp);
                    INFO(describe(said));
                    for (const transition& one : said) CHECK(one.level < level::confirmed);
                    CHECK((*detector.view(0).totals)[index_of(cause::lost_completion)].count == 0);
                    if (std::string(name) == "idle" || std::string(name) == "healthy" ||
                        std::string(name) == "throttle") {
                        CHECK(heard(said, change::closed).empty());
                    }
                }
            }
        }
    }
}

TEST_CASE("every suspicion is resolved before the next") {
    for (const char* name : {"csw", "csw_qemu11", "idle", "pause", "hoststall", "throttle", "healthy"}) {
        const auto frames = load(fmt::format("recordings/{}_0.5s.jsonl", name));
        look how;
        vm_detector detector(settings_at(0.5));
        auto said = replay(frames, how, detector);
        detector.connection_lost(frames.back().counters.at, said);
        INFO(describe(said));
        bool is_open = false;
        for (const transition& one : said) {
            if (one.what == change::suspected) {
                CHECK(!is_open);
                is_open = true;
            } else if (one.what == change::withdrawn || (one.what == change::closed && !one.is_retroactive)) {
                if (one.what == change::withdrawn) CHECK(is_open);
                is_open = false;
            }
        }
        CHECK(!is_open);
    }
}

TEST_CASE("a pause over HMP is known from run states alone") {
    const auto frames = load("recordings/pause_0.5s.jsonl");
    look how;
    how.is_hmp = true;
    const auto said = replay(frames, how, settings_at(0.5));
    const auto closed = heard(said, change::closed);
    INFO(describe(said));
    REQUIRE(closed.size() == 3);
    for (const transition& one : closed) CHECK(one.cause == cause::vm_paused);
}

TEST_CASE("captured hangs of the host are the host's") {
    struct expectation {
        const char* name;
        double seconds;
    };
    for (const expectation& each : {expectation{"hang_hostside_blkdebug_break_resume", 18.665},
                                    expectation{"hang_hostside_usb_storage_blkdebug_4s", 4.014}}) {
        look how;
        const auto said = replay(load(fmt::format("captures/{}_0.25s.jsonl", each.name)), how, settings_at(0.25));
        CAPTURE(each.name);
        INFO(describe(said));
        const auto closed = heard(said, change::closed);
        REQUIRE(!closed.empty());
        CHECK(closed[0].cause == cause::slow_backend);
        CHECK(std::abs(base::in_seconds(closed[0].length) - each.seconds) < 0.3);
        for (const transition& one : said) CHECK(one.level < level::confirmed);
    }
}

TEST_CASE("many operations that took long together may have been parallel: that is no stall where they can be") {
    look how;
    how.device = "virtio-blk";
    const auto said = replay(load("captures/hang_hostside_virtio_blkdebug_0.25s.jsonl"), how, settings_at(0.25));
    INFO(describe(said));
    for (const transition& one : said) CHECK(one.level < level::confirmed);
    for (const transition& one : heard(said, change::closed)) CHECK(one.cause != cause::slow_backend);
}

TEST_CASE("a guest that reads the same again every ten seconds is not confirmed") {
    for (const char* name : {"burst_qemu_io_aio_read_prelaunch", "burst_usb_storage_hmp_text", "burst_usb_storage_tcg",
                             "burst_usb_storage_throttled_2MBps"}) {
        for (const std::size_t every : {1U, 2U, 4U, 8U}) {
            look how;
            how.every = every;
            const auto said = replay(load(fmt::format("captures/{}_0.25s.jsonl", name)), how,
                                     settings_at(0.25 * static_cast<double>(every)));
            CAPTURE(name);
            CAPTURE(every);
            INFO(describe(said));
            for (const transition& one : said) CHECK(one.level < level::confirmed);
        }
    }
}

TEST_CASE("the documented table is what comes out") {
    const std::string table = recordings_table();
    CHECK(support::golden("stall_recordings.md", table) == table);
    const std::string document = support::fixture("../../docs/stall-accuracy.md");
    CHECK_MESSAGE(document.find(table) != std::string::npos, "make docs/stall-accuracy.md again; its head says how");
}
