// Logs of `info blockstats`: one of a real QEMU, the forms that scripts write, and everything that can be wrong.
#include "run/import.hpp"

#include "base/json.hpp"
#include "run/imported_story.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace qmpwatch::run_test;
using namespace std::chrono_literals;
using sample::operation;

namespace {

imported read_log(std::string_view text) {
    auto run = import_hmp_log(text);
    REQUIRE_MESSAGE(run.has_value(), run.error().message);
    return std::move(*run);
}

std::string refused(std::string_view text) {
    const auto run = import_hmp_log(text);
    REQUIRE(run.has_error());
    CHECK(run.error().code == base::errc::data);
    return run.error().message;
}

/// What QEMU 7.2 prints for one drive.
std::string drive(std::string_view name, int bytes) {
    return fmt::format(
        "{}: rd_bytes={} wr_bytes=0 rd_operations=1 wr_operations=0 flush_operations=0 wr_total_time_ns=0 "
        "rd_total_time_ns=7 flush_total_time_ns=0 rd_merged=0 wr_merged=0 idle_time_ns=5\n",
        name, bytes);
}

/// What QEMU 11 prints for one drive.
std::string table(std::string_view name, int bytes) {
    return fmt::format("{}: idle_time_ns=5\n"
                       "                          bytes       operations            total_time_ns     merged\n"
                       "Read:                  {:8}                1                        7          0\n"
                       "Write:                        0                0                        0          0\n"
                       "Flush:                                         0                        0\n",
                       name, bytes);
}

/// The times of the samples since the first one.
std::vector<double> times_of(const imported& run) {
    std::vector<double> times;
    for (const sample::sample* one : samples_of(run)) times.push_back(elapsed(run, one->at));
    return times;
}

/// The bytes read from the first drive.
std::vector<std::uint64_t> bytes_of(const imported& run) {
    std::vector<std::uint64_t> bytes;
    for (const sample::sample* one : samples_of(run)) {
        bytes.push_back(one->drives.at(0).counters[operation::read].bytes);
    }
    return bytes;
}

using seconds_list = std::vector<double>;
using bytes_list = std::vector<std::uint64_t>;

/// The series of `info blockstats` that was recorded of a real QEMU, as (seconds, text).
std::vector<std::pair<double, std::string>> captured() {
    std::vector<std::pair<double, std::string>> outputs;
    for (const std::string& line : support::fixture_lines("captures/burst_usb_storage_hmp_text_0.25s.jsonl")) {
        const auto object = base::parse_json(line);
        outputs.emplace_back(object.at("t").get<double>(), object.at("text").get<std::string>());
    }
    return outputs;
}

std::string with_times(const std::function<std::string(double)>& time, std::string_view end = "\n") {
    std::string log;
    for (const auto& [seconds, text] : captured()) log += time(seconds) + text + std::string(end);
    return log;
}

}  // namespace

TEST_CASE("a log that socat and date wrote of a real QEMU") {
    const imported run = read_log(support::fixture("hmp/socat_log_7.2_raw.bin"));
    CHECK(run.notes.empty());
    CHECK(run.about.has_wall_clock);
    CHECK(base::rfc3339(run.about.start.wall) == "2026-12-01T02:46:07.000Z");
    CHECK(times_of(run) == seconds_list{0, 0, 1, 2, 3, 3});
    CHECK(bytes_of(run) == bytes_list{1310720, 2621440, 3932160, 5242880, 6553600, 7864320});
    CHECK(run.about.poll == 1s);

    const auto& vm = std::get<sample::vm_identity>(run.story.at(0));
    CHECK(vm.name == "winarm-install");
    CHECK(vm.vm == "winarm-install");
    CHECK(vm.version == "7.2.22");
    CHECK(vm.package == "Debian 1:7.2+dfsg-7+deb12u18+b3");
    CHECK(vm.protocol == "hmp");
    const auto& drives = std::get<sample::inventory>(run.story.at(1));
    REQUIRE(drives.size() == 4);
    CHECK(drives[0].attachment.device == "usb-storage");
    CHECK(drives[0].media.read_only);
    CHECK(drives[3].identity.node_name == "system");
    CHECK(drives[3].identity.qdev == "fast");
    for (const sample::sample* one : samples_of(run)) {
        REQUIRE(one->drives.size() == 4);
        for (std::size_t index = 0; index < 4; ++index) {
            CHECK(one->drives[index].identity == drives[index].identity);
            CHECK_FALSE(one->drives[index].counters.detailed);
        }
        CHECK(one->rtt == 1s);
    }
    CHECK(samples_of(run).back()->drives[3].counters[operation::write].bytes == 393216);
    const auto states = all_of<sample::run_state_change>(run);
    REQUIRE(states.size() == 6);
    CHECK(states[0]->state == "prelaunch");
}

TEST_CASE("a text log of a recorded series is the same run as its JSON Lines") {
    const auto json = import_json_lines(support::fixture("captures/burst_usb_storage_hmp_text_0.25s.jsonl"));
    REQUIRE(json.has_value());
    const auto wanted = samples_of(*json);
    const std::string day = "2026-12-01T02:";
    const auto clock = [](double t, int places) {
        const double seconds = 14 * 60 + 29 + t;
        const int minutes = static_cast<int>(seconds) / 60;
        return fmt::format("{:02}:{:0{}.{}f}", minutes, seconds - minutes * 60, places + 3, places);
    };
    const std::pair<const char*, std::function<std::string(double)>> forms[] = {
        {"t=", [](double t) { return fmt::format("t={:.4f}\n", t); }},
        {"unix", [](double t) { return fmt::format("{:.4f}\n", 1796091269 + t); }},
        {"rfc 3339", [&](double t) { return day + clock(t, 4) + "Z\n"; }},
        {"blank", [&](double t) { return "2026-12-01 02:" + clock(t, 4) + "\n"; }},
        {"brackets", [&](double t) { return "--- [02:" + clock(t, 4) + "] ---\r\n"; }},
        {"prefix", [](double t) { return fmt::format("t={:.4f} ", t); }},
        {"banner",
         [&](double t) {
             return day + clock(t, 4) +
                    "Z QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) info blockstats\r\n";
         }},
    };
    for (const auto& [name, form] : forms) {
        INFO(name);
        const imported run = read_log(with_times(form));
        CHECK(run.notes.empty());
        CHECK(run.about.poll == 250ms);
        const auto samples = samples_of(run);
        REQUIRE(samples.size() == wanted.size());
        for (std::size_t index = 0; index < samples.size(); ++index) {
            REQUIRE(samples[index]->drives.size() == wanted[index]->drives.size());
            for (std::size_t each = 0; each < wanted[index]->drives.size(); ++each) {
                CHECK(samples[index]->drives[each].identity == wanted[index]->drives[each].identity);
                CHECK(samples[index]->drives[each].counters == wanted[index]->drives[each].counters);
            }
            CHECK(elapsed(run, samples[index]->at) == doctest::Approx(elapsed(*json, wanted[index]->at)).epsilon(1e-6));
            CHECK(samples[index]->rtt == 0s);
        }
    }
}

TEST_CASE("the loop that users write: a date, an output, fifteen seconds") {
    std::string log;
    for (int index = 0; index < 5; ++index) {
        log +=
            fmt::format("Tue Dec  1 02:{:02}:{:02} AM CET 2026\n", 14 + (29 + 15 * index) / 60, (29 + 15 * index) % 60);
        log += drive("install_media", 1000 * index) + drive("system", 0);
    }
    const imported run = read_log(log);
    CHECK(run.notes.empty());
    CHECK(run.about.poll == 15s);
    CHECK(base::rfc3339(run.about.start.wall) == "2026-12-01T01:14:29.000Z");
    CHECK(times_of(run) == seconds_list{0, 15, 30, 45, 60});
    CHECK(bytes_of(run) == bytes_list{0, 1000, 2000, 3000, 4000});
}

TEST_CASE("a time of day goes over midnight") {
    std::string log;
    for (const char* time : {"23:59:30", "23:59:45", "00:00:00", "00:00:15", "12:00:00", "23:00:00", "00:30:00"}) {
        log += std::string(time) + "\n" + drive("a", 1);
    }
    const imported run = read_log(log);
    CHECK(run.notes.empty());
    CHECK_FALSE(run.about.has_wall_clock);
    CHECK(times_of(run) == seconds_list{0, 15, 30, 45, 43230, 82830, 88230});
}

TEST_CASE("a zone that is not known leaves the wall clock unknown") {
    const imported run = read_log("2026-12-01 02:14:29\n" + drive("a", 1) + "2026-12-01 02:14:44\n" + drive("a", 2));
    CHECK_FALSE(run.about.has_wall_clock);
    CHECK(times_of(run) == seconds_list{0, 15});
    // The clocks go back in autumn; both zones are known.
    const imported autumn =
        read_log("Sun Oct 25 02:59:50 CEST 2026\n" + drive("a", 1) + "Sun Oct 25 02:00:05 CET 2026\n" + drive("a", 2));
    CHECK(autumn.about.has_wall_clock);
    CHECK(times_of(autumn) == seconds_list{0, 15});
}

TEST_CASE("a time on each line") {
    const imported run = read_log("Dec 01 02:14:29 " + drive("a", 1) + "Dec 01 02:14:30 " + drive("b", 1) +
                                  "Dec 01 02:14:44 " + drive("a", 2) + "Dec 01 02:14:44 " + drive("b", 2));
    CHECK(run.notes.empty());
    CHECK(times_of(run) == seconds_list{0, 15});
    CHECK(samples_of(run)[0]->drives.size() == 2);
    CHECK(samples_of(run)[1]->drives[0].identity.device == "a");
    const imported unnamed =
        read_log("[1796091269] " + drive("", 1) + "[1796091270] (qemu) \n[1796091284] " + drive("", 2));
    CHECK(times_of(unnamed) == seconds_list{0, 15});
    const imported rows = read_log("t=1 QEMU 11.1.3 monitor - type 'help' for more information\n" + table("a", 1) +
                                   "t=2 QEMU 11.1.3 monitor - type 'help' for more information\n" + table("a", 2));
    CHECK(bytes_of(rows) == bytes_list{1, 2});
}

TEST_CASE("times on lines of their own, on the same lines, and of another kind") {
    const imported run = read_log("23:59:59\n" + drive("a", 1) + "[00:00:14]\nDec 01 00:00:29 " + drive("a", 2) +
                                  "Tue Dec  1 12:14:29 AM CET 2026\nVM status: running\n" + drive("a", 3));
    CHECK(times_of(run) == seconds_list{0, 30});
    CHECK(elapsed(run, all_of<sample::run_state_change>(run).at(0)->at) == 30);
    REQUIRE(run.notes.size() == 1);
    CHECK(run.notes[0] == "one output has no time of its own and was left out");
}

TEST_CASE("lost completions are found in a text log as well") {
    std::string log;
    const auto json = import_json_lines(support::fixture("recordings/csw_0.5s.jsonl"));
    REQUIRE(json.has_value());
    for (const sample::sample* one : samples_of(*json)) {
        log += fmt::format("t={:.6f}\n", elapsed(*json, one->at));
        for (const sample::drive_sample& each : one->drives) {
            const sample::operation_counters& reads = each.counters[operation::read];
            log += fmt::format("media: rd_bytes={} wr_bytes=0 rd_operations={} rd_total_time_ns={} idle_time_ns={}\n",
                               reads.bytes, reads.completed, reads.time_ns,
                               each.counters.idle.value_or(base::nanoseconds(0)).count());
        }
    }
    // Nobody says that the drive is usb-storage, and yet:
    const auto stalls = stalls_of(read_log(log));
    REQUIRE(stalls.size() == 14);
    for (const stall::transition& one : stalls) CHECK(one.cause == stall::cause::lost_completion);
}

TEST_CASE("times after the outputs") {
    const std::string first = drive("a", 1) + "t=10\n";
    const imported run = read_log(first + drive("a", 2) + "t=25\n(qemu) " + drive("a", 3) + "(qemu)\nt=40\n");
    CHECK(run.notes.empty());
    CHECK(bytes_of(run) == bytes_list{1, 2, 3});
    CHECK(times_of(run) == seconds_list{0, 15, 30});
    CHECK(times_of(read_log(first)) == seconds_list{0});
    // A log that was cut at its beginning also begins with an output, but ends with one too.
    const imported cut = read_log(first + drive("a", 2) + "t=25\n" + drive("a", 3));
    CHECK(bytes_of(cut) == bytes_list{2, 3});
    CHECK(times_of(cut) == seconds_list{0, 15});
    REQUIRE(cut.notes.size() == 1);
    CHECK(cut.notes[0] == "one output has no time of its own and was left out");
}

TEST_CASE("the table of QEMU 11, raw and edited") {
    const std::string raw = support::fixture("hmp/info_blockstats_11.1_raw.bin");
    std::string edited = support::fixture("hmp/info_blockstats_11.1.txt");
    if (!edited.ends_with('\n')) edited += '\n';
    for (const std::string& output : {raw, edited}) {
        const imported run = read_log("1796091269\n" + output + "\n1796091284\n" + output + "\n" +
                                      support::fixture("hmp/info_block_11.1.txt"));
        CHECK(run.notes.empty());
        const auto samples = samples_of(run);
        REQUIRE(samples.size() == 2);
        REQUIRE(samples[0]->drives.size() == 5);
        CHECK(samples[0]->drives[0].counters[operation::read].bytes > 1000000);
        // `info block` came last and names them all.
        CHECK(samples[0]->drives[3].identity.node_name == "data");
        CHECK(samples[0]->drives[4].identity.qdev == "disc_player");
    }
    const imported newer = read_log("1796091269\n" + raw);
    CHECK(std::get<sample::vm_identity>(newer.story.at(0)).version == "11.1.3");
}

TEST_CASE("drives without a name are told apart, and that is said") {
    const imported run = read_log("t=1\n" + drive("", 1) + drive("a", 2) + drive("", 3) + "t=2\n" + drive("", 1) +
                                  drive("a", 2) + drive("", 3));
    const auto samples = samples_of(run);
    REQUIRE(samples.size() == 2);
    CHECK(sample::drive_name(samples[0]->drives[0].identity) == "unnamed-1");
    CHECK(sample::drive_name(samples[0]->drives[2].identity) == "unnamed-2");
    REQUIRE(run.notes.size() == 1);
    CHECK(run.notes[0].find("info block") != std::string::npos);
}

TEST_CASE("drives that come, go and change their names") {
    const imported run = read_log("t=1\n" + drive("a", 1) + "t=2\n" + drive("a", 1) + drive("b", 1) + "t=3\n" +
                                  drive("c", 1) + "t=4\n" + drive("a", 1) + "t=5\n" + drive("a", 1));
    CHECK(run.notes.empty());
    const auto samples = samples_of(run);
    REQUIRE(samples.size() == 5);
    CHECK(samples[1]->drives.size() == 2);
    CHECK(samples[2]->drives[0].identity.device == "c");
}

TEST_CASE("run states as QEMU says them") {
    const imported run =
        read_log("t=1\nVM status: running\n" + drive("a", 1) + "t=2\nVM status: paused\n" + drive("a", 1) +
                 "t=3\n(qemu) info status\r\nVM status: paused (io-error)\r\n(qemu) info blockstats\r\n" +
                 drive("a", 1) + "t=4 VM status: running (single step mode)\n" + drive("a", 1));
    std::vector<std::string> states;
    for (const auto* one : all_of<sample::run_state_change>(run)) states.push_back(one->state);
    CHECK(states == std::vector<std::string>{"running", "paused", "io-error", "running"});
    CHECK(times_of(run) == seconds_list{0, 1, 2, 3});
    CHECK(elapsed(run, all_of<sample::run_state_change>(run)[3]->at) == 3);
}

TEST_CASE("times inside other answers are none") {
    const std::string snapshots = "(qemu) info snapshots\r\nID  TAG   VM SIZE  DATE                 VM CLOCK\r\n"
                                  "1   snap  2.3 GiB  2026-12-01 09:14:29  00:01:23.456\r\n(qemu) ";
    const imported run = read_log("2026-12-01T02:14:29Z\n" + snapshots + "info blockstats\r\n" + drive("a", 1) +
                                  "(qemu) 2026-12-01T02:14:44Z\n" + snapshots + "info blockstats\r\n" + drive("a", 2));
    CHECK(run.notes.empty());
    CHECK(times_of(run) == seconds_list{0, 15});
}

TEST_CASE("a clock that goes back costs the outputs, and is noted once") {
    const imported run = read_log("t=10\n" + drive("a", 1) + "t=9\n" + drive("a", 2) + "t=8\n" + drive("a", 3) +
                                  "t=10\n" + drive("a", 4) + "t=11\n" + drive("a", 5));
    CHECK(bytes_of(run) == bytes_list{1, 4, 5});
    CHECK(times_of(run) == seconds_list{0, 0, 1});
    REQUIRE(run.notes.size() == 1);
    CHECK(run.notes[0] == "the clock goes back at 2 outputs, which were left out");
}

TEST_CASE("two outputs under one time: the second has none") {
    const imported run =
        read_log("t=1\n" + drive("a", 1) + "(qemu) \n" + drive("a", 2) + "t=2\n" + drive("a", 3) + drive("a", 4));
    CHECK(bytes_of(run) == bytes_list{1, 3});
    REQUIRE(run.notes.size() == 1);
    CHECK(run.notes[0] == "2 outputs have no time of their own and were left out");
}

TEST_CASE("outputs that are cut short are left out, the last one as well") {
    for (const bool is_table : {false, true}) {
        const auto output = [&](int bytes) {
            return is_table ? table("a", bytes) + table("b", 1) : drive("a", bytes) + drive("b", 1);
        };
        const std::string begin = "t=1\n" + output(1) + "t=2\n";
        const std::string last = output(2);
        for (std::size_t size = 1; size < last.size(); ++size) {
            CAPTURE(size);
            const std::string_view part = std::string_view(last).substr(0, size);
            const imported run = read_log(begin + std::string(part));
            CHECK(bytes_of(run) == bytes_list{1});
            const bool has_begun = !is_table ? size >= 12 : size >= 16;  // a: rd_bytes= or a: idle_time_ns=
            CHECK(run.notes.size() == (has_begun ? 1 : 0));
            if (!run.notes.empty()) CHECK(run.notes[0] == "one output is cut short and was left out");
        }
        CHECK(read_log(begin + last).notes.empty());
        CHECK(bytes_of(read_log(begin + last)) == bytes_list{1, 2});
    }
    const imported run =
        read_log("t=1\n" + drive("a", 1) + "t=2\na: rd_bytes=655t=3\n" + drive("a", 3) + "t=4\n" + drive("a", 4));
    CHECK(bytes_of(run) == bytes_list{1, 4});
    CHECK(run.notes.size() == 2);  // the torn one, and the next one, whose time stands in its rest
}

TEST_CASE("an older QEMU, which prints less") {
    const std::string old = "a: rd_bytes=512 wr_bytes=0 rd_operations=1 wr_operations=0 flush_operations=0\n";
    CHECK(bytes_of(read_log("t=1\n" + old + "t=2\n" + old)) == bytes_list{512, 512});
}

TEST_CASE("without times the error shows how to write them") {
    for (const std::string& text : {drive("a", 1), drive("a", 1) + "\n" + drive("a", 2), "(qemu) " + drive("a", 1)}) {
        const std::string why = refused(text);
        CHECK(why.find("no times") != std::string::npos);
        CHECK(why.find("while sleep 15; do date +%s; echo info blockstats | socat") != std::string::npos);
    }
}

TEST_CASE("without outputs there is no run") {
    for (const std::string_view text :
         {"", "\n", "2026-12-01T02:14:29Z\n", "nonsense", "(qemu) ", "VM status: running\n"}) {
        INFO(std::string(text));
        CHECK(refused(text).find("no output of 'info blockstats'") != std::string::npos);
    }
    CHECK(refused("t=1\na: rd_bytes=12").find("whole") != std::string::npos);
}

TEST_CASE("garbage and huge lines end, and cost only themselves") {
    std::string garbage;
    for (int index = 0; index < 200000; ++index) garbage += static_cast<char>((index * 7919) >> 3);
    CHECK(import_hmp_log(garbage).has_error());
    const imported run =
        read_log("t=1\n" + drive("a", 1) + garbage + "\n" + std::string(10'000'000, 'x') + "\n" +
                 std::string(60'000, '\b') + "\n\x1b[99999999999999999999D\x1b[\nt=2\n" + drive("a", 2));
    CHECK(bytes_of(run).front() == 1);
    CHECK(bytes_of(run).back() == 2);
    std::string echoes = "(qemu) ";
    for (int index = 0; index < 30'000; ++index) echoes += "\x1b[D";
    CHECK(read_log("t=1\n" + echoes + "\n" + drive("a", 1)).notes.empty());
}
