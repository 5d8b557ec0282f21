// JSON Lines of replies: the real recordings, and everything that can be wrong with such a file.
#include "run/import.hpp"

#include "base/json.hpp"
#include "run/imported_story.hpp"
#include "sample/blockstats.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace qmpwatch::run_test;
using namespace std::chrono_literals;
using sample::operation;

namespace {

imported read_lines(std::string_view text) {
    auto run = import_json_lines(text);
    REQUIRE_MESSAGE(run.has_value(), run.error().message);
    return std::move(*run);
}

/// One line with one drive.
std::string line(double time, int bytes, std::string_view more = {}, std::string_view drive = "disk") {
    return fmt::format(
        R"({{"t": {}, {}"return": [{{"device": "{}", "stats": {{"rd_bytes": {}, "rd_operations": 1}}}}]}})"
        "\n",
        time, more, drive, bytes);
}

}  // namespace

TEST_CASE("all recordings are imported whole, with the counters that QEMU sent") {
    struct expectation {
        const char* name;
        std::size_t drives;
        base::nanoseconds poll;
        bool has_wall_clock;
    };
    for (const auto& [name, drives, poll, has_wall_clock] :
         {expectation{"recordings/csw_0.5s.jsonl", 1, 500ms, false},
          expectation{"recordings/csw_qemu11_0.5s.jsonl", 1, 500ms, false},
          expectation{"recordings/healthy_0.5s.jsonl", 1, 500ms, false},
          expectation{"recordings/hoststall_0.5s.jsonl", 1, 500ms, false},
          expectation{"recordings/idle_0.5s.jsonl", 1, 500ms, false},
          expectation{"recordings/pause_0.5s.jsonl", 1, 500ms, false},
          expectation{"recordings/throttle_0.5s.jsonl", 1, 500ms, false},
          expectation{"captures/burst_qemu_io_aio_read_prelaunch_0.25s.jsonl", 5, 250ms, true},
          expectation{"captures/burst_usb_storage_hmp_text_0.25s.jsonl", 3, 250ms, false},
          expectation{"captures/burst_usb_storage_tcg_0.25s.jsonl", 3, 250ms, true},
          expectation{"captures/burst_usb_storage_throttled_2MBps_0.25s.jsonl", 3, 250ms, true},
          expectation{"captures/hang_hostside_blkdebug_break_resume_0.25s.jsonl", 2, 250ms, true},
          expectation{"captures/hang_hostside_usb_storage_blkdebug_4s_0.25s.jsonl", 2, 250ms, true},
          expectation{"captures/hang_hostside_virtio_blkdebug_0.25s.jsonl", 1, 250ms, true}}) {
        INFO(name);
        const auto lines = support::fixture_lines(name);
        const imported run = read_lines(support::fixture(name));
        CHECK(run.notes.empty());
        CHECK(run.about.poll == poll);
        CHECK(run.about.interval == 15s);
        CHECK(run.about.has_wall_clock == has_wall_clock);
        CHECK(run.about.id.empty());
        const auto samples = samples_of(run);
        REQUIRE(samples.size() == lines.size());
        const double zero = base::parse_json(lines.front()).at("t").get<double>();
        for (std::size_t index = 0; index < lines.size(); ++index) {
            const auto object = base::parse_json(lines[index]);
            std::vector<sample::drive_sample> wanted;
            if (object.contains("text")) {
                REQUIRE(sample::decode_hmp_blockstats(object.at("text").get<std::string>(), wanted).has_value());
            } else {
                const char* key = object.contains("return") ? "return" : "blockstats";
                REQUIRE(sample::decode_blockstats(base::json_text(object.at(key)), wanted).has_value());
            }
            const sample::sample& one = *samples[index];
            REQUIRE(one.drives.size() == drives);
            for (std::size_t drive = 0; drive < drives; ++drive) {
                CHECK(one.drives[drive].identity == wanted[drive].identity);
                CHECK(one.drives[drive].counters == wanted[drive].counters);
            }
            CHECK(elapsed(run, one.at) == doctest::Approx(object.at("t").get<double>() - zero).epsilon(1e-9));
            const double rtt =
                object.contains("rtt") ? object.at("rtt").get<double>() : object.at("rtt_ms").get<double>() / 1000;
            CHECK(base::in_seconds(one.rtt) == doctest::Approx(rtt));
            if (has_wall_clock) {
                // The other clock ran beside it, and was read a moment later.
                const double wall = base::in_seconds(one.at.wall.time_since_epoch());
                CHECK(std::abs(wall - object.at("wall").get<double>()) < 0.1);
            }
        }
    }
}

TEST_CASE("who it is and how drives hang, as far as the replies tell") {
    const imported qmp = read_lines(support::fixture("recordings/csw_0.5s.jsonl"));
    CHECK(std::get<sample::vm_identity>(qmp.story.at(0)).protocol == "qmp");
    CHECK(std::get<sample::vm_identity>(qmp.story.at(0)).version.empty());
    const auto& drives = std::get<sample::inventory>(qmp.story.at(1));
    REQUIRE(drives.size() == 1);
    CHECK(drives[0].identity.qdev == "/machine/peripheral/usbcd/usbcd.0/legacy[0]");
    CHECK(drives[0].attachment.device == "usb-storage");
    CHECK(drives[0].media.inserted);
    CHECK(all_of<sample::inventory>(qmp).size() == 1);

    const imported hmp = read_lines(support::fixture("captures/burst_usb_storage_hmp_text_0.25s.jsonl"));
    CHECK(std::get<sample::vm_identity>(hmp.story.at(0)).protocol == "hmp");
    CHECK(all_of<sample::inventory>(hmp).empty());
}

TEST_CASE("run states and events come at their times") {
    const imported run = read_lines(support::fixture("recordings/pause_0.5s.jsonl"));
    std::vector<std::string> events;
    for (const auto* one : all_of<sample::qmp_event>(run)) events.push_back(one->name);
    REQUIRE(events.size() >= 6);
    CHECK(events[0] == "STOP");
    CHECK(events[1] == "RESUME");
    const auto states = all_of<sample::run_state_change>(run);
    CHECK(states.size() == samples_of(run).size());
    CHECK(states.front()->state == "running");
    std::optional<base::instant> before;
    for (const happening& one : run.story) {
        const auto at = time_of(one);
        if (before && at) CHECK(before->steady <= at->steady);
        if (at) before = at;
    }
    const imported odd = read_lines(
        line(1, 1) + R"({"t":2,"event":{"event":"RESET","data":{"guest":true},"timestamp":{"seconds":1}}})"
                     "\n"
                     R"({"t":3,"events":["STOP",{"event":"RESUME","data":{bad}},7,{"data":{}},{}],"status":"paused"})"
                     "\n");
    const auto heard = all_of<sample::qmp_event>(odd);
    REQUIRE(heard.size() == 3);
    CHECK(heard[0]->name == "RESET");
    CHECK(heard[0]->data == R"({"guest":true})");
    CHECK(elapsed(odd, heard[0]->at) == 1);
    CHECK(heard[1]->name == "STOP");
    CHECK(heard[2]->name == "RESUME");
    CHECK(heard[2]->data.empty());
    CHECK(odd.notes.empty());
}

TEST_CASE("a run of lost completions has the stalls that were seen live") {
    const auto stalls = stalls_of(read_lines(support::fixture("recordings/csw_0.5s.jsonl")));
    REQUIRE(stalls.size() == 14);
    for (const stall::transition& one : stalls) CHECK(one.cause == stall::cause::lost_completion);
    CHECK(stalls_of(read_lines(support::fixture("recordings/hoststall_0.5s.jsonl"))).at(0).cause ==
          stall::cause::slow_backend);
    CHECK(stalls_of(read_lines(support::fixture("recordings/pause_0.5s.jsonl"))).at(0).cause ==
          stall::cause::vm_paused);
    CHECK(stalls_of(read_lines(support::fixture("recordings/healthy_0.5s.jsonl"))).empty());
}

TEST_CASE("seconds since 1970 are a wall clock, others are none") {
    const imported known = read_lines(line(1764555269.5, 1) + line(1764555284.5, 2));
    CHECK(known.about.has_wall_clock);
    CHECK(base::rfc3339(known.about.start.wall) == "2025-12-01T02:14:29.500Z");
    CHECK(base::rfc3339(samples_of(known)[1]->at.wall) == "2025-12-01T02:14:44.500Z");
    CHECK(known.about.poll == 15s);
    CHECK_FALSE(read_lines(line(5, 1)).about.has_wall_clock);
    // Known from the second line on is known.
    const imported later = read_lines(line(5, 1) + line(7, 2, R"("wall": 1764555269.5, )"));
    CHECK(base::rfc3339(later.about.start.wall) == "2025-12-01T02:14:27.500Z");
}

TEST_CASE("a slow cadence widens the window of rates") {
    CHECK(read_lines(line(0, 1) + line(60, 2)).about.interval == 60s);
}

TEST_CASE("one sample is a run, none is an error that says what is wanted") {
    CHECK(samples_of(read_lines(line(3, 1))).size() == 1);
    for (const std::string_view text :
         {"", "\n\n", "[]", "{}", "nonsense\n", R"({"t":1})", R"({"return":[]})", R"({"t":1,"return":{}})",
          R"({"t":"1","return":[]})", R"({"t":-1,"return":[]})", R"({"t":1e300,"return":[]})", R"({"t":1,"return":[)",
          R"({"t":1,"text":"no statistics"})", R"({"t":1,"return":[{"device":"a"}]})", R"({"t":1,"return":[1,2]})",
          R"({"t":1,"return":[{"stats":{"rd_bytes":}}]})", R"({"t":1,"text":"a\q: rd_bytes=1"})"}) {
        INFO(std::string(text));
        const auto run = import_json_lines(text);
        REQUIRE(run.has_error());
        CHECK(run.error().code == base::errc::data);
        CHECK(run.error().message.find("query-blockstats") != std::string::npos);
    }
}

TEST_CASE("a torn last line is left out") {
    const std::string whole = line(1, 1) + line(2, 2);
    for (std::size_t size = line(1, 1).size() + 1; size + 1 < whole.size(); ++size) {
        const imported run = read_lines(whole.substr(0, size));
        CAPTURE(size);
        CHECK(samples_of(run).size() == 1);
        REQUIRE(run.notes.size() == 1);
        CHECK(run.notes[0] == "the last line is torn and was left out");
    }
    CHECK(read_lines(whole.substr(0, whole.size() - 1)).notes.empty());  // all there but its end
}

TEST_CASE("a clock that goes back costs the lines, and is noted once") {
    const imported run = read_lines(line(10, 1) + line(9, 2) + line(8, 3) + line(10, 4) + line(11, 5));
    const auto samples = samples_of(run);
    REQUIRE(samples.size() == 3);
    CHECK(samples[1]->drives[0].counters[operation::read].bytes == 4);
    CHECK(elapsed(run, samples[1]->at) == 0);
    CHECK(elapsed(run, samples[2]->at) == 1);
    REQUIRE(run.notes.size() == 1);
    CHECK(run.notes[0] == "the clock goes back in 2 lines, which were left out");
}

TEST_CASE("lines of other forms are counted") {
    const imported run = read_lines("# by hand\n" + line(1, 1) + "{\"t\":2}\n[1]\n\n" +
                                    R"({"t":3,"return":[{"device":"a","locked":false}]})"
                                    "\n" +
                                    line(4, 2));
    CHECK(samples_of(run).size() == 2);
    REQUIRE(run.notes.size() == 1);
    CHECK(run.notes[0] == "4 lines are neither replies with a time nor events and were left out");
    const imported bad = read_lines(line(1, 1) +
                                    R"({"t":2,"return":[{"stats":}]})"
                                    "\n" +
                                    line(3, 1));
    REQUIRE(bad.notes.size() == 1);
    CHECK(bad.notes[0] == "one reply makes no sense and was left out");
}

TEST_CASE("drives that come, go and change their names") {
    const auto two = [](double time, std::string_view first, std::string_view second) {
        return fmt::format(
            R"({{"t": {}, "blockstats": [{{"device": "{}", "qdev": "/machine/a/virtio-backend", "stats": {{}}}},)"
            R"({{"device": "{}", "stats": {{}}}}]}})"
            "\n",
            time, first, second);
    };
    const imported run =
        read_lines(line(1, 1) + two(2, "disk", "more") + two(3, "disk", "other") + line(4, 1) + line(5, 1));
    CHECK(run.notes.empty());
    const auto samples = samples_of(run);
    REQUIRE(samples.size() == 5);
    CHECK(samples[1]->drives.size() == 2);
    CHECK(samples[2]->drives[1].identity.device == "other");
    CHECK(samples[3]->drives.size() == 1);
    const auto inventories = all_of<sample::inventory>(run);
    REQUIRE(inventories.size() == 4);
    CHECK(inventories[1]->at(0).attachment.device == "virtio-blk");
}

TEST_CASE("an empty list of drives is a sample too: a VM before its machine is made") {
    CHECK(samples_of(read_lines("{\"t\":1,\"return\":[]}\n{\"t\":2,\"return\":[]}")).size() == 2);
}

TEST_CASE("garbage, deep nesting and huge lines end") {
    std::string garbage;
    for (int index = 0; index < 100000; ++index) garbage += static_cast<char>((index * 7919) >> 3);
    CHECK(import_json_lines(garbage).has_error());
    CHECK(import_json_lines("{\"t\":1,\"return\":" + std::string(1'000'000, '[')).has_error());
    CHECK(import_json_lines("{\"t\":1,\"x\":" + std::string(1'000'000, '{') + "}").has_error());
    CHECK(import_json_lines("{\"t\":1,\"x\":\"" + std::string(10'000'000, '\\')).has_error());
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const imported run = read_lines(line(1, 1) + "{\"t\":2,\"event\":{\"event\":\"X\",\"data\":" + deep + "}}\n" +
                                    "{\"t\":3,\"return\":" + deep + "}\n" +
                                    line(4, 2, "\"x\": \"" + std::string(5'000'000, 'x') + "\","));
    CHECK(samples_of(run).size() == 2);
    CHECK(all_of<sample::qmp_event>(run).at(0)->data.empty());
}
