#include "report/notice_lines.hpp"

#include "base/json.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/vms.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using namespace qmpwatch;
using json = nlohmann::ordered_json;
using sample::monitor_state;

namespace {

using what = decltype(pipeline::notice::what);

pipeline::notice notice_of(what content) {
    return {support::some_instant().wall, base::milliseconds(15'250), "winarm", std::move(content)};
}

pipeline::rate_notice rate_of(const pipeline::drive_snapshot& drive) {
    return {drive.drive, drive.info.attachment, drive.counters, drive.rate};
}

pipeline::notice before_the_first_sample(what content) {
    pipeline::notice notice = notice_of(std::move(content));
    notice.elapsed.reset();
    return notice;
}

/// The third loss of a drive: 10.1 s, known to 40 ms.
stall::transition lost_completion(stall::change change) {
    const base::instant now = support::some_instant();
    stall::transition happened;
    happened.what = change;
    happened.drive_name = "install_media";
    happened.at = now;
    happened.cause = stall::cause::lost_completion;
    happened.level = stall::level::probable;
    happened.start = {now.steady - base::milliseconds(10'142), now.wall - base::milliseconds(10'142)};
    happened.length = base::milliseconds(10'100);
    happened.length_min = base::milliseconds(10'080);
    happened.length_max = base::milliseconds(10'120);
    happened.pattern = stall::find_signature(stall::band::seconds_10, "usb-storage");
    happened.count = 3;
    happened.lost = base::milliseconds(30'360);
    happened.reason = happened.pattern->meaning;
    return happened;
}

stall::transition suspected() {
    stall::transition happened = lost_completion(stall::change::suspected);
    happened.level = stall::level::suspected;
    happened.length = happened.length_min = happened.length_max = base::milliseconds(8020);
    happened.reason = happened.pattern->name;
    return happened;
}

stall::transition withdrawn() {
    stall::transition happened = lost_completion(stall::change::withdrawn);
    happened.level = stall::level::none;
    happened.reason = "it did not interrupt a stream";
    return happened;
}

stall::transition closed() { return lost_completion(stall::change::closed); }

/// Known to half a second only, and paused meanwhile.
stall::transition closed_widely() {
    stall::transition happened = closed();
    happened.length_min = base::milliseconds(9800);
    happened.length_max = base::milliseconds(10'400);
    happened.paused = base::seconds(2);
    return happened;
}

stall::transition counted_late() {
    stall::transition happened = closed();
    happened.is_retroactive = true;
    return happened;
}

/// From samples that are too far apart: a level without a gap.
stall::transition inferred_from_afar() {
    stall::transition happened;
    happened.what = stall::change::level_changed;
    happened.drive_name = "install_media";
    happened.cause = stall::cause::lost_completion;
    happened.level = stall::level::suspected;
    happened.pattern = stall::find_signature(stall::band::seconds_10, "usb-storage");
    happened.would_faster_polling_tell = true;
    happened.reason = "the idle times fit";
    return happened;
}

stall::transition confirmed() {
    stall::transition happened = lost_completion(stall::change::level_changed);
    happened.level = stall::level::confirmed;
    return happened;
}

stall::transition cleared() {
    stall::transition happened = lost_completion(stall::change::cleared);
    happened.level = stall::level::none;
    happened.reason = "it has not recurred";
    return happened;
}

/// Of a cause that is measured, on another drive.
stall::transition slow_backend(stall::change change) {
    stall::transition happened = lost_completion(change);
    happened.drive_name = "system";
    happened.cause = stall::cause::slow_backend;
    happened.pattern = nullptr;
    if (change == stall::change::suspected) happened.level = stall::level::suspected;
    happened.reason =
        change == stall::change::suspected ? "the host was slow before" : "the operations that ended it took as long";
    return happened;
}

pipeline::stall_notice stall_of(stall::transition happened) {
    pipeline::stall_notice notice;
    notice.attachment.device = happened.drive_name == "system" ? "nvme" : "usb-storage";
    if (happened.start.wall != base::wall_time{}) notice.start_elapsed = base::milliseconds(5108);
    notice.happened = std::move(happened);
    return notice;
}

/// One of every kind and form.
std::vector<pipeline::notice> all_notices() {
    pipeline::summary_notice summary;
    summary.watched = base::milliseconds(185'400);
    summary.drives = {{"install_media", 761'000'000, 0, 11'600, 0, {}},
                      {"system", (1ULL << 63) + 1, 6'554'112, 20'000, 400, {}}};
    summary.drives[0].stalls = {{stall::cause::lost_completion, 14, base::milliseconds(141'400)},
                                {stall::cause::vm_paused, 1, base::seconds(5)}};
    return {
        before_the_first_sample(pipeline::monitor_notice{monitor_state::absent, monitor_state::connecting, "", false}),
        before_the_first_sample(pipeline::monitor_notice{monitor_state::connecting, monitor_state::busy,
                                                         "another client owns the monitor; close it", false}),
        notice_of(pipeline::monitor_notice{monitor_state::connecting, monitor_state::ready, "", false}),
        notice_of(pipeline::vm_notice{"", "running"}),
        notice_of(pipeline::drives_notice{{"install_media", "system"}, {}}),
        notice_of(rate_of(support::install_media())),
        notice_of(rate_of(support::system_drive())),
        notice_of(rate_of(support::empty_cd())),
        notice_of(rate_of(support::starting_vm().drives.front())),
        notice_of(pipeline::vm_notice{"running", "paused"}),
        notice_of(pipeline::qmp_notice{"STOP", ""}),
        notice_of(pipeline::qmp_notice{"BLOCK_IO_ERROR",
                                       R"({"device": "system", "nospace": false, "big": 9223372036854775809})"}),
        notice_of(pipeline::monitor_notice{monitor_state::ready, monitor_state::blocked, "no answer for 2 s", false}),
        notice_of(pipeline::monitor_notice{monitor_state::blocked, monitor_state::ready, "", false}),
        notice_of(pipeline::monitor_notice{monitor_state::ready, monitor_state::absent, "QEMU has ended", false}),
        notice_of(pipeline::monitor_notice{monitor_state::connecting, monitor_state::ready, "", true}),
        notice_of(pipeline::drives_notice{{"usb1"}, {"cd"}}),
        notice_of(stall_of(suspected())),
        notice_of(stall_of(withdrawn())),
        notice_of(stall_of(counted_late())),
        notice_of(stall_of(closed())),
        notice_of(stall_of(closed_widely())),
        notice_of(stall_of(inferred_from_afar())),
        notice_of(stall_of(lost_completion(stall::change::level_changed))),
        notice_of(stall_of(confirmed())),
        notice_of(stall_of(cleared())),
        notice_of(stall_of(slow_backend(stall::change::suspected))),
        notice_of(stall_of(slow_backend(stall::change::closed))),
        notice_of(stall_of(slow_backend(stall::change::level_changed))),
        notice_of(summary),
    };
}

json parsed(const pipeline::notice& notice) {
    const json object = base::parse_ordered_json(report::json_line(notice));
    REQUIRE(object.is_object());
    return object;
}

std::vector<std::string> notice_keys_of(const json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
}

std::string text_of(what content) { return report::text_line(notice_of(std::move(content))); }

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

TEST_CASE("every notice as text and as JSON") {
    std::string text, lines;
    for (const pipeline::notice& each : all_notices()) {
        text += report::text_line(each) + "\n";
        lines += report::json_line(each) + "\n";
    }
    CHECK(text == support::golden("notices.txt", text));
    CHECK(lines == support::golden("notices.jsonl", lines));
}

TEST_CASE("every JSON line begins with the same keys and is one line") {
    for (const pipeline::notice& each : all_notices()) {
        const std::string line = report::json_line(each);
        CAPTURE(line);
        CHECK(line.find('\n') == std::string::npos);
        const json object = parsed(each);
        const std::vector<std::string> keys = notice_keys_of(object);
        REQUIRE(keys.size() > 4);
        CHECK(std::vector<std::string>(keys.begin(), keys.begin() + 4) ==
              std::vector<std::string>{"event", "time", "elapsed", "vm"});
        CHECK(object["time"] == "2026-11-30T21:29:13.042Z");
        CHECK(object["vm"] == "winarm");
        if (each.elapsed) {
            CHECK(object["elapsed"] == 15.25);
        } else {
            CHECK(object["elapsed"].is_null());
        }
        if (object["event"] == "rate") CHECK(keys[4] == "drive");
    }
}

TEST_CASE("a rate holds numbers, and integers are exact beyond what a double can hold") {
    const json rate = parsed(notice_of(rate_of(support::install_media())));
    CHECK(rate["event"] == "rate");
    CHECK(rate["drive"] == "install_media");
    CHECK(rate["device"] == "usb-storage");
    CHECK(rate["bus"] == "qemu-xhci");
    REQUIRE(rate["read_bytes"].is_number_unsigned());
    CHECK(rate["read_bytes"].get<std::uint64_t>() == 9223372036854775809ULL);
    CHECK(rate["reads_completed"] == 201);
    CHECK(rate["read_time_seconds"] == 1.5);
    CHECK(rate["reads_merged"] == 3);
    CHECK(rate["failed"]["read"] == 1);
    CHECK(rate["invalid"]["discard"] == 0);
    CHECK(rate["idle_seconds"] == 3.2);
    CHECK(rate["highest_write_offset_bytes"].is_null());
    CHECK(rate["window_seconds"] == 15.0);
    CHECK(rate["read_bytes_per_second"] == 4.1e6);
    CHECK(rate["write_bytes_per_second"] == 0.0);
    CHECK(rate["read_iops"] == 62.6);
    CHECK(rate["busy_ratio"] == 0.0053);
    CHECK(rate["read_size_bytes"] == 65536.0);
    CHECK(rate["write_size_bytes"].is_null());
    CHECK(rate["read_latency_seconds"] == 85e-6);
    CHECK(rate["write_latency_seconds"].is_null());
}

TEST_CASE("a rate has the same keys whatever is known, and what is not known is null and never zero") {
    const json full = parsed(notice_of(rate_of(support::system_drive())));
    pipeline::rate_notice bare = rate_of(support::starting_vm().drives.front());
    bare.attachment = {};
    const json hmp = parsed(notice_of(bare));
    CHECK(notice_keys_of(full) == notice_keys_of(hmp));
    CHECK(notice_keys_of(full["failed"]) == notice_keys_of(hmp["failed"]));
    for (const char* key :
         {"device", "bus", "window_seconds", "read_bytes_per_second", "write_iops", "busy_ratio",
          "read_latency_seconds", "discarded_bytes", "discards_completed", "discard_time_seconds", "discards_merged"}) {
        CAPTURE(key);
        CHECK(hmp[key].is_null());
    }
    CHECK(hmp["failed"]["write"].is_null());
    CHECK(hmp["invalid"]["flush"].is_null());
    CHECK(hmp["writes_completed"] == 400);
}

TEST_CASE("numbers that are none come out as null") {
    pipeline::rate_notice rate = rate_of(support::install_media());
    rate.rate->busy_ratio = std::numeric_limits<double>::quiet_NaN();
    rate.rate->read.operations_per_second = std::numeric_limits<double>::infinity();
    const json object = parsed(notice_of(rate));
    CHECK(object["busy_ratio"].is_null());
    CHECK(object["read_iops"].is_null());
}

TEST_CASE("states in JSON") {
    const json monitor =
        parsed(notice_of(pipeline::monitor_notice{monitor_state::connecting, monitor_state::ready, "", true}));
    CHECK(monitor["event"] == "monitor");
    CHECK(monitor["state"] == "ready");
    CHECK(monitor["state_before"] == "connecting");
    CHECK(monitor["detail"].is_null());
    CHECK(monitor["reconnected"] == true);

    const json vm = parsed(notice_of(pipeline::vm_notice{"", "running"}));
    CHECK(vm["event"] == "vm");
    CHECK(vm["state"] == "running");
    CHECK(vm["state_before"].is_null());

    const json drives = parsed(notice_of(pipeline::drives_notice{{"a"}, {}}));
    CHECK(drives["added"] == json::array({"a"}));
    CHECK(drives["removed"] == json::array());
}

TEST_CASE("the data of a QMP event are JSON in JSON") {
    const json event = parsed(notice_of(pipeline::qmp_notice{"X", R"({"a": [1, {"b": 18446744073709551615}]})"}));
    CHECK(event["name"] == "X");
    CHECK(event["data"]["a"][1]["b"].get<std::uint64_t>() == 18446744073709551615ULL);
    CHECK(parsed(notice_of(pipeline::qmp_notice{"X", ""}))["data"].is_null());
    CHECK(parsed(notice_of(pipeline::qmp_notice{"X", "{broken"}))["data"] == "{broken");
}

TEST_CASE("a hostile monitor gets neither control characters nor bad UTF-8 into a line") {
    const std::string bad = "a\x1b[2J\n\x7f\xc2\x9b\xff\"b";
    std::vector<pipeline::notice> notices;
    pipeline::rate_notice rate = rate_of(support::install_media());
    rate.drive = rate.attachment.device = rate.attachment.bus = bad;
    notices.push_back(notice_of(rate));
    notices.push_back(notice_of(pipeline::monitor_notice{monitor_state::ready, monitor_state::absent, bad, false}));
    notices.push_back(notice_of(pipeline::vm_notice{bad, bad}));
    notices.push_back(notice_of(pipeline::drives_notice{{bad}, {bad}}));
    notices.push_back(notice_of(pipeline::qmp_notice{bad, bad}));
    pipeline::stall_notice stall = stall_of(closed());
    stall.happened.drive_name = stall.attachment.device = bad;
    notices.push_back(notice_of(stall));
    notices.push_back(notice_of(pipeline::qmp_notice{"X", "{\"k\": \"\\u009b\\u007f\\u001b\"}"}));
    notices.back().vm = bad;
    for (const pipeline::notice& each : notices) {
        for (const std::string& line : {report::text_line(each), report::json_line(each)}) {
            CAPTURE(line);
            CHECK(std::none_of(line.begin(), line.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }));
            CHECK(line.find("\xc2\x9b") == std::string::npos);
            CHECK(line.find('\xff') == std::string::npos);
        }
        parsed(each);
    }
}

TEST_CASE("rates in words") {
    CHECK(text_of(rate_of(support::install_media())) ==
          "2026-11-30T21:29:13.042Z winarm install_media (usb-storage)  read  4.10 MB/s  62.6 IOPS  "
          "write     0 MB/s     0 IOPS  mean 65.5 kB   85 us  idle 3.2s");
    CHECK(text_of(rate_of(support::starting_vm().drives.front())).find("(first interval, no rate yet)") !=
          std::string::npos);
}

TEST_CASE("states in words") {
    const auto monitor = [](monitor_state before, monitor_state after, const char* detail, bool reconnected = false) {
        return text_of(pipeline::monitor_notice{before, after, detail, reconnected});
    };
    CHECK(ends_with(monitor(monitor_state::connecting, monitor_state::ready, ""), "winarm monitor ready"));
    CHECK(ends_with(monitor(monitor_state::connecting, monitor_state::ready, "", true), "ready again (reconnected)"));
    CHECK(ends_with(monitor(monitor_state::stopped, monitor_state::ready, ""), "monitor ready again"));
    CHECK(ends_with(monitor(monitor_state::ready, monitor_state::absent, "QEMU has ended"),
                    "monitor lost: QEMU has ended"));
    CHECK(
        ends_with(monitor(monitor_state::connecting, monitor_state::absent, "no socket"), "monitor absent: no socket"));
    CHECK(ends_with(monitor(monitor_state::ready, monitor_state::blocked, ""), "monitor blocked"));
    CHECK(ends_with(text_of(pipeline::vm_notice{"running", "paused"}), "winarm state running -> paused"));
    CHECK(ends_with(text_of(pipeline::vm_notice{"", "running"}), "winarm state running"));
    CHECK(ends_with(text_of(pipeline::drives_notice{{"a", "b"}, {"c"}}), "drives added: a, b; drives removed: c"));
    CHECK(ends_with(text_of(pipeline::drives_notice{{}, {"c"}}), "winarm drives removed: c"));
    CHECK(ends_with(text_of(pipeline::qmp_notice{"RESET", "{\"guest\":true}"}), "event RESET {\"guest\":true}"));
}

TEST_CASE("stalls in words") {
    const auto words = [](const stall::transition& happened) {
        const std::string text = text_of(stall_of(happened));
        const std::size_t at = text.find(" stall ");
        return at == std::string::npos ? text.substr(text.find(") ") + 2) : text.substr(at + 1);
    };
    CHECK(text_of(stall_of(suspected())) ==
          "2026-11-30T21:29:13.042Z winarm install_media (usb-storage) stall suspected: nothing completed for 8.0s "
          "(may be Windows' 10 s CD time-out on usb-storage)");
    CHECK(words(withdrawn()) == "stall withdrawn: it did not interrupt a stream");
    const std::string meaning(closed().reason);
    CHECK(words(closed()) ==
          "stall 10.1s lost_completion (probable), began 21:29:02.9, 3 so far, 30.4s lost: " + meaning);
    CHECK(words(closed_widely()) ==
          "stall 10.1s (9.8-10.4s) lost_completion (probable), began 21:29:02.9, without 2.0s in which the VM was "
          "paused, 3 so far, 30.4s lost: " +
              meaning);
    CHECK(words(counted_late()) ==
          "stall 10.1s lost_completion (probable), began 21:29:02.9, counted only now that the pattern is known, 3 so "
          "far, 30.4s lost: " +
              meaning);
    CHECK(
        words(slow_backend(stall::change::closed)) ==
        "stall 10.1s slow_backend, began 21:29:02.9, 3 so far, 30.4s lost: the operations that ended it took as long");
    CHECK(words(slow_backend(stall::change::suspected)) ==
          "stall suspected: nothing completed for 10.1s (slow_backend: the host was slow before)");
    CHECK(words(cleared()) == "lost_completion cleared: it has not recurred");

    stall::transition paused = slow_backend(stall::change::closed);
    paused.cause = stall::cause::vm_paused;
    paused.paused = paused.length;
    CHECK(words(paused).find("in which the VM was paused") == std::string::npos);
}

TEST_CASE("a level of lost completions points to the remedy from probable on, and to faster polling where that helps") {
    const auto line = [](const stall::transition& happened) { return text_of(stall_of(happened)); };
    CHECK(ends_with(line(confirmed()), "lost_completion confirmed: matches the pattern of Windows' 10 s CD time-out on "
                                       "usb-storage; see: qmpwatch doctor"));
    CHECK(ends_with(line(lost_completion(stall::change::level_changed)), "; see: qmpwatch doctor"));
    CHECK(ends_with(line(inferred_from_afar()), "usb-storage (poll faster to be sure: --poll 1s)"));
    CHECK(ends_with(line(slow_backend(stall::change::level_changed)),
                    "slow_backend probable: the operations that ended it took as long"));
    stall::transition coarse = closed();
    coarse.would_faster_polling_tell = true;
    CHECK(ends_with(line(coarse), "(poll faster to be sure: --poll 1s)"));
}

TEST_CASE("stalls in JSON") {
    const json stall = parsed(notice_of(stall_of(closed_widely())));
    CHECK(stall["event"] == "stall");
    CHECK(stall["drive"] == "install_media");
    CHECK(stall["device"] == "usb-storage");
    CHECK(stall["cause"] == "lost_completion");
    CHECK(stall["level"] == "probable");
    CHECK(stall["start"] == "2026-11-30T21:29:02.900Z");
    CHECK(stall["start_elapsed"] == 5.108);
    CHECK(stall["seconds"] == 10.1);
    CHECK(stall["seconds_min"] == 9.8);
    CHECK(stall["seconds_max"] == 10.4);
    CHECK(stall["paused_seconds"] == 2.0);
    CHECK(stall["count"] == 3);
    CHECK(stall["lost_seconds"] == 30.36);
    CHECK(stall["pattern"] == "Windows' 10 s CD time-out on usb-storage");
    CHECK(stall["retroactive"] == false);
    CHECK(stall["faster_polling_would_tell"] == false);
    CHECK(stall["reason"] == std::string(closed().reason));

    CHECK(parsed(notice_of(stall_of(counted_late())))["retroactive"] == true);
    CHECK(parsed(notice_of(stall_of(suspected())))["event"] == "stall_suspected");
    CHECK(parsed(notice_of(stall_of(withdrawn())))["event"] == "stall_withdrawn");
    CHECK(parsed(notice_of(stall_of(confirmed())))["event"] == "stall_level");
    CHECK(parsed(notice_of(stall_of(confirmed())))["level"] == "confirmed");
    CHECK(parsed(notice_of(stall_of(cleared())))["event"] == "stall_level");
    CHECK(parsed(notice_of(stall_of(cleared())))["level"] == "none");

    const json afar = parsed(notice_of(stall_of(inferred_from_afar())));
    CHECK(afar["remedies"] == json::array());
    CHECK(notice_keys_of(afar) == notice_keys_of(parsed(notice_of(stall_of(confirmed())))));
    for (const char* key : {"start", "start_elapsed", "seconds", "seconds_min", "seconds_max", "paused_seconds"}) {
        CAPTURE(key);
        CHECK(afar[key].is_null());
    }
    CHECK(afar["count"] == 0);
    CHECK(afar["faster_polling_would_tell"] == true);
    CHECK(parsed(notice_of(stall_of(slow_backend(stall::change::closed))))["pattern"].is_null());
}

TEST_CASE("a summary says what stalls took and how fast the drive was without them") {
    pipeline::summary_notice summary;
    summary.watched = base::seconds(100);
    summary.drives = {{"a", 300'000'000, 100'000'000, 1, 1, {{stall::cause::unknown, 1, base::seconds(20)}}}};
    CHECK(
        ends_with(text_of(summary), "1 stall, 20.0s lost (1 unknown 20.0s): 4.00 MB/s, without the stalls 5.00 MB/s"));
    const json drive = parsed(notice_of(summary))["drives"][0];
    CHECK(drive["stalls"] == base::parse_ordered_json(R"([{"cause": "unknown", "count": 1, "seconds": 20.0}])"));

    summary.drives[0].stalls.clear();
    CHECK(ends_with(text_of(summary), "no stalls, 4.00 MB/s"));
    CHECK(parsed(notice_of(summary))["drives"][0]["stalls"] == json::array());

    summary.drives[0].stalls = {{stall::cause::unknown, 9, base::seconds(101)}};
    CHECK(ends_with(text_of(summary), "without the stalls - MB/s"));
    summary.watched = {};
    summary.drives[0].stalls.clear();
    CHECK(ends_with(text_of(summary), "no stalls, - MB/s"));
}

TEST_CASE("a summary has two lines for each drive, each with time and VM") {
    const std::string text = report::text_line(all_notices().back());
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
    std::size_t count = 0;
    for (std::size_t at = text.find("2026-11-30T21:29:13.042Z winarm summary: "); at != std::string::npos;
         at = text.find("2026-11-30T21:29:13.042Z winarm summary: ", at + 1)) {
        ++count;
    }
    CHECK(count == 5);
    const json object = parsed(all_notices().back());
    CHECK(object["watched_seconds"] == 185.4);
    CHECK(object["drives"][1]["read_bytes"].get<std::uint64_t>() == 9223372036854775809ULL);
    CHECK(parsed(notice_of(pipeline::summary_notice{}))["drives"] == json::array());
}

TEST_CASE("remedies follow a confirmed stall, in text and in JSON") {
    pipeline::notice said = notice_of(stall_of(confirmed()));
    std::get<pipeline::stall_notice>(said.what).remedies = {{"Attach it in another way", "-device nvme,drive=a"},
                                                            {"Ask the vendor\x1b[2J", ""}};
    const std::string text = report::text_line(said);
    CHECK(text.find("what helps: Attach it in another way: -device nvme,drive=a\n") != std::string::npos);
    CHECK(text.ends_with("what helps: Ask the vendor?[2J"));
    const json object = parsed(said);
    REQUIRE(object["remedies"].size() == 2);
    CHECK(object["remedies"][0]["option"] == "-device nvme,drive=a");
    CHECK(object["remedies"][1]["option"].is_null());
    CHECK_FALSE(parsed(notice_of(stall_of(closed()))).contains("remedies"));
}

TEST_CASE("a screen that somebody sits at gets the time of day alone") {
    const std::string text = report::text_line(notice_of(stall_of(closed())), report::time_style::clock);
    CHECK(text.starts_with("21:29:13Z "));
    CHECK(report::text_line(notice_of(stall_of(closed()))).ends_with(text.substr(9)));
}
