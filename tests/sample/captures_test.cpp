// Every captured reply of a real QEMU that holds counters or lists of drives, decoded: QEMU 7.2 and 11.1, QMP and HMP.
#include "base/json.hpp"
#include "sample/blockstats.hpp"
#include "sample/query_block.hpp"
#include "sample/rate.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace qmpwatch;
using namespace qmpwatch::sample;
using nlohmann::json;
using support::fixture;
using support::fixture_lines;

namespace {

struct moment {
    double at = 0;  ///< seconds since some start
    std::vector<drive_sample> drives;
};

std::vector<drive_sample> decoded(const std::string& text) {
    std::vector<drive_sample> drives;
    const auto outcome = decode_blockstats(text, drives);
    REQUIRE_MESSAGE(outcome.has_value(), text.substr(0, 80));
    return drives;
}

std::vector<drive_sample> decoded_text(const std::string& text) {
    std::vector<drive_sample> drives;
    const auto outcome = decode_hmp_blockstats(text, drives);
    REQUIRE_MESSAGE(outcome.has_value(), text.substr(0, 80));
    return drives;
}

/// A series of polls. It has to be one QEMU's: the same drives throughout, and no counter ever falls.
std::vector<moment> series(const std::string& name) {
    std::vector<moment> polls;
    for (const std::string& line : fixture_lines(name)) {
        const json poll = base::parse_json(line);
        moment next;
        next.at = poll.at("t").get<double>();
        if (poll.contains("text")) {
            next.drives = decoded_text(poll.at("text").get<std::string>());
        } else {
            next.drives = decoded(base::json_text(poll.at(poll.contains("return") ? "return" : "blockstats")));
        }
        if (!polls.empty()) {
            const moment& last = polls.back();
            REQUIRE(last.drives.size() == next.drives.size());
            CHECK(last.at < next.at);
            for (std::size_t index = 0; index < next.drives.size(); ++index) {
                CHECK(last.drives[index].identity == next.drives[index].identity);
                CHECK(continues(last.drives[index].counters, next.drives[index].counters));
            }
        }
        polls.push_back(std::move(next));
    }
    return polls;
}

const operation_counters& reads(const moment& poll, std::size_t index = 0) {
    return poll.drives.at(index).counters[operation::read];
}

std::vector<std::string> names(const std::vector<drive_sample>& drives) {
    std::vector<std::string> all;
    for (const drive_sample& drive : drives) all.push_back(drive_name(drive.identity));
    return all;
}

using list = std::vector<std::string>;

/// The bursts of reads that begin and end within the series, told apart by at least three seconds of silence.
std::vector<operation_counters> whole_bursts(const std::vector<moment>& polls) {
    std::vector<operation_counters> bursts;
    std::size_t quiet_since = 0;
    operation_counters before = reads(polls.front());
    bool began = false;
    for (std::size_t index = 1; index < polls.size(); ++index) {
        const bool changed = reads(polls[index]).completed != reads(polls[index - 1]).completed;
        const bool quiet_for_long = polls[index - 1].at - polls[quiet_since].at >= 3;
        if (changed && quiet_for_long) {
            const operation_counters& after = reads(polls[index - 1]);
            if (began) bursts.push_back({after.bytes - before.bytes, after.completed - before.completed, 0, 0, 0, 0});
            before = after;
            began = true;
        }
        if (changed) quiet_since = index;
    }
    return bursts;
}

/// The longest time in which no read completed.
double longest_gap(const std::vector<moment>& polls) {
    double longest = 0;
    double last_change = polls.front().at;
    for (std::size_t index = 1; index < polls.size(); ++index) {
        if (reads(polls[index]).completed != reads(polls[index - 1]).completed) last_change = polls[index].at;
        longest = std::max(longest, polls[index].at - last_change);
    }
    return longest;
}

/// The replies to query-blockstats in a transcript, which marks what QEMU said with `<`.
std::vector<std::vector<drive_sample>> replies(const std::string& name) {
    std::vector<std::vector<drive_sample>> all;
    for (const std::string& line : fixture_lines("captures/" + name)) {
        const std::size_t mark = line.find("< {\"return\": [");
        if (mark == std::string::npos || line.find("\"rd_bytes\"") == std::string::npos) continue;
        const json reply = base::parse_json(line.substr(mark + 2));
        all.push_back(decoded(base::json_text(reply.at("return"))));
    }
    return all;
}

inventory decoded_block(const std::string& name) {
    auto drives = decode_query_block(fixture(name));
    REQUIRE(drives.has_value());
    return *drives;
}

/// The answer to a command in the bytes of an HMP conversation: what lies between the echo and the prompt.
std::string without_echo(const std::string& bytes) {
    const std::size_t echo = bytes.rfind("\x1b[K\r\n");
    REQUIRE(echo != std::string::npos);
    const std::size_t begin = echo + 5;
    return bytes.substr(begin, bytes.rfind("(qemu) ") - begin);
}

/// The text of a Python bytes literal.
std::string unescaped(const std::string& literal) {
    std::string text;
    for (std::size_t at = 0; at < literal.size(); ++at) {
        if (literal[at] != '\\') {
            text += literal[at];
        } else if (const char kind = literal.at(++at); kind == 'x') {
            text += static_cast<char>(std::stoi(literal.substr(at + 1, 2), nullptr, 16));
            at += 2;
        } else {
            text += kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind == 't' ? '\t' : kind;
        }
    }
    return text;
}

/// What both protocols tell of a medium; size and cache mode are left out.
drive_media named(drive_media media) {
    media.size_bytes.reset();
    media.cache.reset();
    return media;
}

/// The answers in the transcript of an HMP conversation to one command.
std::string transcript_answer(const std::string& command) {
    const auto lines = fixture_lines("captures/hmp_raw_transcript.txt");
    const auto asked = std::find(lines.begin(), lines.end(), "C: b'" + command + "\\n'");
    REQUIRE(asked != lines.end());
    return without_echo(unescaped(*std::next(asked)));
}

}  // namespace

TEST_CASE("vm1: usb-storage, nvme, virtio-blk, an empty drive") {
    const auto drives = decoded(fixture("captures/blockstats_vm1_initial.json"));
    CHECK(names(drives) == list{"install_media", "system", "virtio_iso", "seed", "emptycd"});
    REQUIRE(drives.size() == 5);
    CHECK(drives[0].identity ==
          drive_identity{"install_media", "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", "#block149"});
    CHECK(drives[2].identity.qdev == "/machine/peripheral/usbvirtio/usbvirtio.0/legacy[0]");
    CHECK(drives[4].identity == drive_identity{"emptycd", "/machine/peripheral-anon/device[2]", ""});
    for (const drive_sample& drive : drives) {
        CHECK(drive.counters.detailed);
        CHECK_FALSE(drive.counters.idle.has_value());
        CHECK(drive.counters.by_operation == drive_counters{}.by_operation);
        CHECK(drive.counters.highest_write_offset_bytes.value() == 0);
    }
}

TEST_CASE("vm2: unnamed drives, a device with an id") {
    const auto drives = decoded(fixture("captures/blockstats_vm2_blockdev.json"));
    CHECK(names(drives) == list{"virtio0", "seedcd", "ide2-cd0", "tst", "uasd",
                                "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]",
                                "/machine/peripheral-anon/device[1]"});
    REQUIRE(drives.size() == 7);
    CHECK(drives[4].identity.qdev == "uashd");
    CHECK(drives[5].identity == drive_identity{"", "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", "inst_thr"});
    CHECK(drives[6].identity.node_name == "sys_fmt");
}

TEST_CASE("vm2 asked for nodes: names of nodes alone") {
    const auto drives = decoded(fixture("captures/blockstats_vm2_query_nodes.json"));
    REQUIRE(drives.size() == 15);
    CHECK(drives[0].identity == drive_identity{"", "", "inst_file"});
    CHECK(names(drives)[4] == "sys_fmt");
    for (const drive_sample& drive : drives) CHECK(drive.counters[operation::read].completed == 0);
}

TEST_CASE("an arm machine") {
    const auto drives = decoded(fixture("captures/blockstats_aarch64_virt.json"));
    CHECK(names(drives) == list{"install_media", "system", "virtio_iso", "seed"});
    const auto conversation = replies("aarch64_virt_session.txt");
    REQUIRE(conversation.size() == 1);
    CHECK(names(conversation[0]) == names(drives));
    CHECK(conversation[0][0].identity == drives[0].identity);
}

TEST_CASE("after a burst of reads, in QMP and in HMP") {
    const auto drives = decoded(fixture("captures/blockstats_burst_after_io.json"));
    CHECK(names(drives) == list{"install_media", "system", "virtio_iso"});
    REQUIRE(drives.size() == 3);
    // 200 reads of 32 KiB and the boot sector.
    CHECK(drives[0].counters[operation::read] == operation_counters{6554112, 201, 10120825, 0, 0, 0});
    CHECK(drives[0].counters.idle.value() == base::nanoseconds(4812584440));
    CHECK_FALSE(drives[1].counters.idle.has_value());
    CHECK(drives[2].counters[operation::read] == operation_counters{2048, 1, 111917, 0, 0, 0});

    const auto text = decoded_text(without_echo(fixture("captures/hmp_info_blockstats_after_io_raw.bin")));
    REQUIRE(names(text) == names(drives));
    for (std::size_t index = 0; index < text.size(); ++index) {
        CHECK(text[index].counters[operation::read] == drives[index].counters[operation::read]);
        CHECK(text[index].counters.idle.has_value() == drives[index].counters.idle.has_value());
        CHECK_FALSE(text[index].counters.detailed);
    }
}

TEST_CASE("HMP statistics of vm1") {
    for (const std::string& text :
         {without_echo(fixture("captures/hmp_info_blockstats_raw.bin")), transcript_answer("info blockstats")}) {
        const auto drives = decoded_text(text);
        CHECK(names(drives) == list{"install_media", "system", "virtio_iso", "seed", "emptycd"});
        for (const drive_sample& drive : drives) {
            CHECK(drive.counters.by_operation == drive_counters{}.by_operation);
            CHECK_FALSE(drive.counters.idle.has_value());
        }
    }
}

TEST_CASE("HMP answers of a live q35 machine and of one with unnamed drives name each other") {
    for (const std::string vm : {"q35", "pc_blockdev"}) {
        const bool named = vm == "q35";
        auto drives = decoded_text(fixture("hmp/info_blockstats_" + vm + ".txt"));
        const auto known = decode_hmp_info_block(fixture("hmp/info_block_" + vm + ".txt"));
        REQUIRE(drives.size() == (named ? 12 : 9));
        REQUIRE(identify_by_inventory(drives, known));
        // QMP's list of the same VM.
        const json recorded = base::parse_json(fixture("qom/" + vm + ".json")).at("drives");
        REQUIRE(recorded.size() == drives.size());
        for (std::size_t index = 0; index < drives.size(); ++index) {
            const json& entry = recorded[index];
            CHECK(drives[index].identity == drive_identity{entry.at("device").get<std::string>(),
                                                           entry.at("qdev").get<std::string>(),
                                                           entry.at("node-name").get<std::string>()});
        }
    }
}

TEST_CASE("a live q35 machine in `info block`") {
    const auto drives = decode_hmp_info_block(fixture("hmp/info_block_q35.txt"));
    REQUIRE(drives.size() == 12);
    CHECK(named(drives[0].media) == drive_media{"a.img", "raw", true, true, false});
    CHECK(named(drives[1].media) == drive_media{"over.qcow2", "qcow2", true, false, false});
    CHECK(named(drives[4].media) == drive_media{"d.img", "raw", true, true, true});
    CHECK(named(drives[5].media) == drive_media{"", "", false, false, true});
    CHECK(drives[5].identity.device == "cd0");
    CHECK(drives[6].identity.qdev == "uashd");
    CHECK(drives[9].identity == drive_identity{"sd0", "", ""});
    CHECK(drives[10].identity == drive_identity{"", "/machine/peripheral-anon/device[4]/scsi.0/legacy[0]", "g-file"});
    CHECK(drives[10].media.format == "file");
    CHECK(drives[11].identity == drive_identity{"", "emptycd", ""});
    CHECK_FALSE(drives[11].media.inserted);
}

TEST_CASE("bursts with ten seconds between them") {
    const auto polls = series("captures/burst_usb_storage_tcg_0.25s.jsonl");
    REQUIRE(polls.size() == 181);
    CHECK(names(polls.front().drives) == list{"install_media", "system", "virtio_iso"});
    CHECK(reads(polls.front()).completed == 801);
    CHECK(reads(polls.back()).completed == 1775);
    CHECK(reads(polls.back()).bytes - reads(polls.front()).bytes == (1775 - 801) * 32768);
    const auto bursts = whole_bursts(polls);
    REQUIRE(bursts.size() >= 3);
    for (const operation_counters& burst : bursts) CHECK(burst == operation_counters{6553600, 200, 0, 0, 0, 0});
    CHECK(longest_gap(polls) > 9.0);
    CHECK(longest_gap(polls) < 10.6);
}

TEST_CASE("bursts in HMP text") {
    const auto polls = series("captures/burst_usb_storage_hmp_text_0.25s.jsonl");
    REQUIRE(polls.size() == 105);
    CHECK(names(polls.front().drives) == list{"install_media", "system", "virtio_iso"});
    CHECK(reads(polls.front()) == operation_counters{6554112, 201, 25682664, 0, 0, 0});
    CHECK(reads(polls.back()) == operation_counters{19661312, 601, 67533197, 0, 0, 0});
    CHECK(polls.back().drives[0].counters.idle.value() == base::nanoseconds(9668438741));
    const auto bursts = whole_bursts(polls);
    REQUIRE_FALSE(bursts.empty());
    for (const operation_counters& burst : bursts) CHECK(burst == operation_counters{6553600, 200, 0, 0, 0, 0});
}

TEST_CASE("throttled bursts") {
    const auto polls = series("captures/burst_usb_storage_throttled_2MBps_0.25s.jsonl");
    REQUIRE(polls.size() == 241);
    CHECK(reads(polls.front()).completed == 201);
    CHECK(reads(polls.back()).completed == 1201);
    CHECK(reads(polls.back()).bytes - reads(polls.front()).bytes == 1000 * 32768);
    const auto bursts = whole_bursts(polls);
    REQUIRE(bursts.size() >= 3);
    for (const operation_counters& burst : bursts) CHECK(burst == operation_counters{6553600, 200, 0, 0, 0, 0});
}

TEST_CASE("bursts made by the monitor itself") {
    const auto polls = series("captures/burst_qemu_io_aio_read_prelaunch_0.25s.jsonl");
    REQUIRE(polls.size() == 185);
    CHECK(reads(polls.front()).completed == 5);
    CHECK(reads(polls.back()).completed == 1328);
    CHECK(reads(polls.back()).bytes == 1328ULL * 262144);
    CHECK(std::abs(longest_gap(polls) - 10.0) < 1.3);
    CHECK(polls.back().drives.size() == 5);
}

TEST_CASE("hangs of the host's storage: the first completion carries the time") {
    const auto largest_time = [](const std::vector<moment>& polls) {
        std::uint64_t largest = 0;
        for (std::size_t index = 1; index < polls.size(); ++index) {
            largest = std::max(largest, reads(polls[index]).time_ns - reads(polls[index - 1]).time_ns);
        }
        return static_cast<double>(largest) / 1e9;
    };
    const auto resumed = series("captures/hang_hostside_blkdebug_break_resume_0.25s.jsonl");
    CHECK(resumed.size() == 201);
    CHECK(reads(resumed.back()) == operation_counters{6586880, 202, 18709330194, 0, 0, 0});
    CHECK(largest_time(resumed) == doctest::Approx(18.665).epsilon(0.01));
    const auto usb = series("captures/hang_hostside_usb_storage_blkdebug_4s_0.25s.jsonl");
    CHECK(usb.size() == 118);
    CHECK(reads(usb.back()).completed == 801);
    CHECK(largest_time(usb) == doctest::Approx(4.0138).epsilon(0.001));
    const auto virtio = series("captures/hang_hostside_virtio_blkdebug_0.25s.jsonl");
    CHECK(virtio.size() == 181);
    CHECK(names(virtio.front().drives) == list{"install_media"});
    CHECK(virtio.front().drives[0].identity.qdev == "/machine/peripheral/vb0/virtio-backend");
    CHECK(largest_time(virtio) == doctest::Approx(19.265).epsilon(0.001));
}

TEST_CASE("stop, continue, reset: the counters go on") {
    const auto all = replies("events_stop_cont_reset.txt");
    REQUIRE(all.size() == 7);
    for (std::size_t index = 1; index < all.size(); ++index) {
        REQUIRE(names(all[index]) == list{"install_media", "system", "virtio_iso"});
        for (std::size_t drive = 0; drive < 3; ++drive) {
            CHECK(continues(all[index - 1][drive].counters, all[index][drive].counters));
        }
    }
    CHECK(all.back()[0].counters[operation::read] == operation_counters{78644224, 2402, 380389500, 0, 0, 0});
}

TEST_CASE("drives come and go, media and nodes change") {
    const auto all = replies("events_hotplug_media_snapshot_panic.txt");
    REQUIRE(all.size() == 7);
    CHECK(all[0].size() == 3);
    CHECK(names(all[0])[0] == "hot");
    CHECK(all[2].size() == 2);
    CHECK(names(all[2])[0] == "cd0");
    // The tray is open: no node. The snapshot has another node. Neither resets a counter.
    CHECK(all[4][0].identity == drive_identity{"cd0", "cdrom0", ""});
    CHECK(all[6][1].identity == drive_identity{"", "/machine/peripheral/vb/virtio-backend", "ovl"});
    for (std::size_t index = 3; index < all.size(); ++index) {
        CHECK(continues(all[index - 1][0].counters, all[index][0].counters));
        CHECK(continues(all[index - 1][1].counters, all[index][1].counters));
    }
    CHECK(all[6][0].counters[operation::read] == operation_counters{4096, 1, 66068, 0, 0, 0});
}

TEST_CASE("reads in flight are not seen before they complete") {
    const auto all = replies("inflight_throttled_aio.txt");
    REQUIRE(all.size() == 88);
    bool failed = false;
    for (std::size_t index = 1; index < all.size(); ++index) {
        REQUIRE(all[index].size() == 7);
        for (std::size_t drive = 0; drive < 7; ++drive) {
            CHECK(continues(all[index - 1][drive].counters, all[index][drive].counters));
        }
        failed = failed || all[index][3].counters[operation::read].failed > 0;
    }
    CHECK(failed);
    const drive_sample& tested = all.back()[3];
    CHECK(tested.identity.device == "tst");
    CHECK(tested.counters[operation::read].bytes == 6423041);
    CHECK(tested.counters[operation::read].completed == 9);
    CHECK(tested.counters[operation::read].failed == 1);
    CHECK(tested.counters.highest_write_offset_bytes.value() == 8192);

    std::size_t lists = 0;
    for (const std::string& line : fixture_lines("captures/inflight_throttled_aio.txt")) {
        const std::size_t mark = line.find("< {\"return\": [");
        if (mark == std::string::npos || line.find("\"inserted\"") == std::string::npos) continue;
        const auto drives = decode_query_block(base::json_text(base::parse_json(line.substr(mark + 2)).at("return")));
        REQUIRE(drives.has_value());
        CHECK(drives->size() == 7);
        CHECK(drives->at(3).identity.device == "tst");
        ++lists;
    }
    CHECK(lists > 0);
}

TEST_CASE("histograms of latency do not disturb") {
    const auto all = replies("latency_histogram.txt");
    REQUIRE(all.size() == 4);
    for (const auto& drives : all) CHECK(drives.size() == 7);
    CHECK(all.back()[3].counters[operation::read].bytes == 7733761);
    CHECK(all.back()[3].counters[operation::read].completed == 29);
    CHECK(all.back()[3].counters[operation::read].time_ns == 11823570262);
}

TEST_CASE("conversations about the object model start with the counters") {
    CHECK(names(replies("qom_mapping_vm1.txt").at(0)) ==
          names(decoded(fixture("captures/blockstats_vm1_initial.json"))));
    CHECK(names(replies("qom_mapping_vm2.txt").at(0)) ==
          names(decoded(fixture("captures/blockstats_vm2_blockdev.json"))));
}

TEST_CASE("failed reads") {
    // The capture holds Python's notation of some counters: `stats {'rd_bytes': 1, ...} serial B`.
    std::vector<operation_counters> found;
    for (const std::string& line : fixture_lines("captures/events_block_io_error.txt")) {
        const std::size_t mark = line.find("| stats {");
        if (mark == std::string::npos) continue;
        std::string stats = line.substr(mark + 8, line.find('}', mark) - mark - 7);
        std::replace(stats.begin(), stats.end(), '\'', '"');
        const auto drives = decoded("[{\"device\":\"d\",\"stats\":" + stats + "}]");
        REQUIRE(drives.size() == 1);
        CHECK(drives[0].counters.idle.value() > base::seconds(6));
        found.push_back(drives[0].counters[operation::read]);
    }
    REQUIRE(found.size() == 7);
    CHECK(found[0] == operation_counters{3277312, 101, 7719648, 0, 1, 0});
    CHECK(found[3] == operation_counters{6554112, 201, 39029472, 0, 0, 0});
    CHECK(std::count_if(found.begin(), found.end(), [](const auto& read) { return read.failed == 1; }) == 4);
}

TEST_CASE("recordings: one drive from -blockdev, thousands of reads of 64 KiB") {
    struct expectation {
        const char* name;
        std::size_t polls;
        std::uint64_t reads;
        double least_gap;
        double most_gap;
    };
    for (const expectation& expected :
         {expectation{"csw", 337, 9122, 9.0, 10.6}, expectation{"csw_qemu11", 104, 448, 9.0, 10.6},
          expectation{"healthy", 80, 22966, 0, 1.1}, expectation{"hoststall", 160, 12000, 1, 30},
          expectation{"idle", 221, 29148, 16.0, 17.6}, expectation{"pause", 128, 14000, 9.0, 11.0},
          expectation{"throttle", 81, 778, 0, 0.6}}) {
        INFO(std::string(expected.name));
        const auto polls = series("recordings/" + std::string(expected.name) + "_0.5s.jsonl");
        REQUIRE(polls.size() == expected.polls);
        CHECK(names(polls.back().drives) == list{"/machine/peripheral/usbcd/usbcd.0/legacy[0]"});
        CHECK(polls.back().drives[0].identity.node_name == "n0");
        CHECK(polls.back().drives[0].counters.detailed);
        CHECK(reads(polls.back()).completed == expected.reads);
        CHECK(reads(polls.back()).bytes == expected.reads * 65536);
        CHECK(longest_gap(polls) >= expected.least_gap);
        CHECK(longest_gap(polls) <= expected.most_gap);
        for (const moment& poll : polls) CHECK(reads(poll).failed == 0);
    }
}

TEST_CASE("rates over a recording agree with its totals") {
    const auto polls = series("recordings/healthy_0.5s.jsonl");
    double bytes = 0;
    for (std::size_t index = 1; index < polls.size(); ++index) {
        const auto elapsed = base::nanoseconds(std::llround((polls[index].at - polls[index - 1].at) * 1e9));
        const auto rate = rate_between(polls[index - 1].drives[0].counters, polls[index].drives[0].counters, elapsed);
        REQUIRE(rate.has_value());
        // The first polls came before the first read.
        if (reads(polls[index]).completed == 0) {
            CHECK_FALSE(rate->read.mean_bytes.has_value());
            continue;
        }
        CHECK(rate->read.mean_bytes.value() == 65536);
        CHECK(rate->read.bytes_per_second > 10e6);
        bytes += rate->read.bytes_per_second * base::in_seconds(elapsed);
    }
    CHECK(bytes == doctest::Approx(static_cast<double>(reads(polls.back()).bytes - reads(polls.front()).bytes)));
}

TEST_CASE("query-block: vm1") {
    const auto drives = decoded_block("captures/query_block_vm1.json");
    REQUIRE(drives.size() == 5);
    CHECK(drives[0].identity ==
          drive_identity{"install_media", "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", "#block149"});
    CHECK(named(drives[0].media) == drive_media{"install_media.img", "raw", true, true, true});
    CHECK(drives[0].media.size_bytes == 67108864);
    CHECK(drives[0].media.cache == cache_mode{false, false, true});
    // snapshot=on: the file in QEMU's temporary folder has no plain name, its backing file has.
    CHECK(named(drives[1].media) == drive_media{"win-system.qcow2", "qcow2", true, false, false});
    CHECK(drives[2].media.file == "virtio-win.iso");
    CHECK(named(drives[3].media) == drive_media{"seed.iso", "raw", true, true, false});
    CHECK(drives[4].identity == drive_identity{"emptycd", "/machine/peripheral-anon/device[2]", ""});
    CHECK(named(drives[4].media) == drive_media{"", "", false, false, true});
}

TEST_CASE("query-block lists the drives of query-blockstats in the same order") {
    for (const auto& [block, stats] : {std::pair{"query_block_vm1", "blockstats_vm1_initial"},
                                       std::pair{"query_block_vm2", "blockstats_vm2_blockdev"},
                                       std::pair{"query_block_burst", "blockstats_burst_after_io"},
                                       std::pair{"query_block_aarch64_virt", "blockstats_aarch64_virt"}}) {
        const auto drives = decoded_block("captures/" + std::string(block) + ".json");
        const auto samples = decoded(fixture("captures/" + std::string(stats) + ".json"));
        REQUIRE_MESSAGE(drives.size() == samples.size(), block);
        for (std::size_t index = 0; index < drives.size(); ++index)
            CHECK(drives[index].identity == samples[index].identity);
    }
}

TEST_CASE("query-block: a filter above the image, unnamed drives") {
    const auto drives = decoded_block("captures/query_block_vm2.json");
    REQUIRE(drives.size() == 7);
    CHECK(drives[1].media.file == "seed.iso");
    CHECK(drives[5].media.format == "throttle");
    // The throttle node above it has none.
    CHECK(drives[5].media.file == "install_media.img");
    CHECK(drives[6].media.file == "vm2sys.qcow2");
    CHECK(drives[6].media.format == "qcow2");
    CHECK(decoded_block("captures/query_block_burst.json").at(0).media.file == "boot_usb.img");
    CHECK(decoded_block("captures/query_block_aarch64_virt.json").at(1).media.inserted);
}

TEST_CASE("a list of nodes is no list of drives, and does no harm") {
    const auto nodes = decoded_block("captures/named_nodes_flat_vm2.json");
    CHECK(nodes.size() > 7);
    for (const drive_info& node : nodes) {
        CHECK(drive_name(node.identity).empty());
        CHECK_FALSE(node.media.inserted);
    }
    std::vector<drive_sample> drives;
    REQUIRE(decode_blockstats(fixture("captures/qmp_schema_7.2_x86_64.json"), drives).has_value());
    for (const drive_sample& drive : drives) CHECK(drive.counters[operation::read] == operation_counters{});
}

TEST_CASE("info block agrees with query-block") {
    const auto expected = decoded_block("captures/query_block_vm1.json");
    for (const std::string& text :
         {without_echo(fixture("captures/hmp_info_block_raw.bin")), transcript_answer("info block"),
          without_echo(fixture("captures/hmp_info_block_v_raw.bin")), transcript_answer("info block -v")}) {
        const auto drives = decode_hmp_info_block(text);
        REQUIRE(drives.size() == expected.size());
        for (std::size_t index = 0; index < drives.size(); ++index) {
            CHECK(drives[index].identity == expected[index].identity);
            CHECK(named(drives[index].media) == named(expected[index].media));
        }
    }
}
