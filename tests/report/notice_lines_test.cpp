#include "report/notice_lines.hpp"

#include "support/files.hpp"
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

/// One of every kind and form.
std::vector<pipeline::notice> all_notices() {
    pipeline::summary_notice summary;
    summary.watched = base::milliseconds(185'400);
    summary.drives = {{"install_media", (1ULL << 63) + 1, 0, 201, 0},
                      {"system", 1'200'000'000, 6'554'112, 20'000, 400}};
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
        notice_of(summary),
    };
}

json parsed(const pipeline::notice& notice) {
    const json object = json::parse(report::json_line(notice), nullptr, false);
    REQUIRE(object.is_object());
    return object;
}

std::vector<std::string> keys_of(const json& object) {
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
        const std::vector<std::string> keys = keys_of(object);
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
    CHECK(keys_of(full) == keys_of(hmp));
    CHECK(keys_of(full["failed"]) == keys_of(hmp["failed"]));
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

TEST_CASE("a summary has a line for each drive, each with time and VM") {
    const std::string text = report::text_line(all_notices().back());
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    std::size_t count = 0;
    for (std::size_t at = text.find("2026-11-30T21:29:13.042Z winarm summary: "); at != std::string::npos;
         at = text.find("2026-11-30T21:29:13.042Z winarm summary: ", at + 1)) {
        ++count;
    }
    CHECK(count == 3);
    const json object = parsed(all_notices().back());
    CHECK(object["watched_seconds"] == 185.4);
    CHECK(object["drives"][0]["read_bytes"].get<std::uint64_t>() == 9223372036854775809ULL);
    CHECK(parsed(notice_of(pipeline::summary_notice{}))["drives"] == json::array());
}
