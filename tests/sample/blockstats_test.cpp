// Decoding of query-blockstats and `info blockstats`: the shapes that no capture has.
#include "sample/blockstats.hpp"

#include "sample/query_block.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::sample;

namespace {

std::vector<drive_sample> decoded(std::string_view json) {
    std::vector<drive_sample> drives;
    const auto outcome = decode_blockstats(json, drives);
    REQUIRE_MESSAGE(outcome.has_value(), std::string(json.substr(0, 100)));
    return drives;
}

drive_counters only_counters(std::string_view stats) {
    const auto drives = decoded(R"([{"device":"d","stats":{)" + std::string(stats) + "}}]");
    REQUIRE(drives.size() == 1);
    return drives.front().counters;
}

std::vector<drive_sample> decoded_text(std::string_view text) {
    std::vector<drive_sample> drives;
    REQUIRE(decode_hmp_blockstats(text, drives).has_value());
    return drives;
}

}  // namespace

TEST_CASE("every counter goes to its place") {
    const auto drive = only_counters(R"("rd_bytes":1,"wr_bytes":2,"unmap_bytes":3,"rd_operations":4,"wr_operations":5,
        "flush_operations":6,"unmap_operations":7,"rd_total_time_ns":8,"wr_total_time_ns":9,"flush_total_time_ns":10,
        "unmap_total_time_ns":11,"wr_highest_offset":12,"rd_merged":13,"wr_merged":14,"unmap_merged":15,"idle_time_ns":16,
        "failed_rd_operations":17,"failed_wr_operations":18,"failed_flush_operations":19,"failed_unmap_operations":20,
        "invalid_rd_operations":21,"invalid_wr_operations":22,"invalid_flush_operations":23,"invalid_unmap_operations":24,
        "account_invalid":true,"account_failed":true,"timed_stats":[])");
    CHECK(drive[operation::read] == operation_counters{1, 4, 8, 13, 17, 21});
    CHECK(drive[operation::write] == operation_counters{2, 5, 9, 14, 18, 22});
    CHECK(drive[operation::flush] == operation_counters{0, 6, 10, 0, 19, 23});
    CHECK(drive[operation::discard] == operation_counters{3, 7, 11, 15, 20, 24});
    CHECK(drive.highest_write_offset_bytes.value() == 12);
    CHECK(drive.idle.value() == base::nanoseconds(16));
    CHECK(drive.detailed);
}

TEST_CASE("counters beyond what a double holds are exact") {
    CHECK(only_counters(R"("rd_bytes":9007199254740993)")[operation::read].bytes == 9007199254740993ULL);
    CHECK(only_counters(R"("rd_bytes":9223372036854775807)")[operation::read].bytes == 9223372036854775807ULL);
    CHECK(only_counters(R"("rd_bytes":18446744073709551615)")[operation::read].bytes == 18446744073709551615ULL);
    // One more does not fit, and is missing then.
    CHECK(only_counters(R"("rd_bytes":18446744073709551616)")[operation::read].bytes == 0);
}

TEST_CASE("what is no count counts as missing") {
    for (const char* value : {"-1", "-9223372036854775808", "1.0", "1e3", "\"17\"", "true", "null", "[17]",
                              "{\"rd_bytes\":17}", "[[17]]", "{\"stats\":{\"rd_bytes\":17}}"}) {
        const auto drive = only_counters("\"wr_bytes\":5,\"rd_bytes\":" + std::string(value) + ",\"rd_operations\":6");
        CHECK_MESSAGE(drive[operation::read].bytes == 0, value);
        CHECK(drive[operation::read].completed == 6);
        CHECK(drive[operation::write].bytes == 5);
    }
    CHECK(only_counters(R"("rd_bytes":-0)")[operation::read].bytes == 0);
    CHECK_FALSE(only_counters(R"("idle_time_ns":-5)").idle.has_value());
    CHECK_FALSE(only_counters(R"("idle_time_ns":18446744073709551615)").idle.has_value());
    CHECK(only_counters(R"("idle_time_ns":9223372036854775807)").idle.value() == base::nanoseconds::max());
    CHECK(only_counters(R"("idle_time_ns":0)").idle.value() == base::nanoseconds(0));
    CHECK_FALSE(only_counters(R"("wr_highest_offset":"x")").highest_write_offset_bytes.has_value());
}

TEST_CASE("names of the wrong type count as missing") {
    const auto drives = decoded(R"([{"device":7,"qdev":["q"],"node-name":{"node-name":"n"},"stats":{"rd_bytes":1}}])");
    REQUIRE(drives.size() == 1);
    CHECK(drives[0].identity == drive_identity{});
    CHECK(drives[0].counters[operation::read].bytes == 1);
}

TEST_CASE("nested records do not count, wherever they stand") {
    const auto drives =
        decoded(R"([{"parent":{"device":"p","node-name":"pn","stats":{"rd_bytes":100,"wr_highest_offset":9}},
        "backing":{"backing":{"stats":{"rd_bytes":200}},"qdev":"bq","stats":{"rd_bytes":300}},
        "device":"d","stats":{"rd_bytes":1,"rd_latency_histogram":{"bins":[1,2],"rd_bytes":400,"boundaries":[5]},
        "timed_stats":[{"rd_bytes":500,"avg_rd_queue_depth":0.5}],"wr_bytes":2},
        "driver-specific":{"driver":"file","rd_bytes":600,"stats":{"rd_bytes":700}},"qdev":"q"}])");
    REQUIRE(drives.size() == 1);
    CHECK(drives[0].identity == drive_identity{"d", "q", ""});
    CHECK(drives[0].counters[operation::read].bytes == 1);
    CHECK(drives[0].counters[operation::write].bytes == 2);
    CHECK_FALSE(drives[0].counters.highest_write_offset_bytes.has_value());
}

TEST_CASE("fields of later versions are skipped") {
    const auto drive =
        only_counters(R"("zone_append_bytes":5,"failed_zone_append_operations":6,"rd_bytes":7,"rd_bytes_":8,"":9)");
    CHECK(drive[operation::read].bytes == 7);
    CHECK_FALSE(drive.detailed);
}

TEST_CASE("an old QEMU reports neither failures nor discards") {
    CHECK_FALSE(
        only_counters(R"("rd_bytes":1,"wr_bytes":2,"rd_operations":3,"flush_operations":4,"wr_highest_offset":5)")
            .detailed);
    CHECK(only_counters(R"("failed_rd_operations":0)").detailed);
    CHECK(only_counters(R"("unmap_bytes":0)").detailed);
    CHECK_FALSE(only_counters(R"("unmap_bytes":"none")").detailed);
    CHECK_FALSE(only_counters("").detailed);
}

TEST_CASE("odd elements of the array") {
    CHECK(decoded("[]").empty());
    CHECK(decoded(" [ ] \r\n").empty());
    CHECK(decoded(R"([1,"x",null,true,-1,1.5,[],[[{"device":"no"}]]])").empty());
    CHECK(decoded("[{}]").size() == 1);
    CHECK(decoded(R"([{"stats":[{"rd_bytes":1}]}])").at(0).counters == [] {
        drive_counters none;
        none.detailed = false;
        return none;
    }());
    CHECK(decoded(R"([[{"stats":{"rd_bytes":1}}],{"device":"d"}])").size() == 1);
    const auto twice = decoded(R"([{"device":"a","device":"b","stats":{"rd_bytes":1},"stats":{"wr_bytes":2}}])");
    CHECK(twice.at(0).identity.device == "b");
    CHECK(twice.at(0).counters[operation::read].bytes == 1);
    CHECK(twice.at(0).counters[operation::write].bytes == 2);
}

TEST_CASE("names are unescaped") {
    CHECK(decoded(R"([{"device":"Gr\u00fc\u00DFe \ud83d\udda4 \"x\"","qdev":""}])").at(0).identity.device ==
          "Grüße 🖤 \"x\"");
}

TEST_CASE("what is not an array of JSON is refused and leaves no drives") {
    for (const char* text : {"",
                             " ",
                             "{}",
                             R"({"device":"d","stats":{"rd_bytes":1}})",
                             "5",
                             "\"text\"",
                             "null",
                             "true",
                             "-1",
                             "1.5",
                             "[",
                             "[{",
                             "[{]",
                             "[{}",
                             "[{}]]",
                             "[{}] x",
                             "[{\"device\":\"d\"},]",
                             "[{\"stats\":{\"rd_bytes\":01}}]",
                             "[{\"device\":\"\xff\"}]",
                             "[1e999]",
                             "install_media: rd_bytes=1"}) {
        std::vector<drive_sample> drives(3);
        const auto outcome = decode_blockstats(text, drives);
        REQUIRE_MESSAGE(!outcome.has_value(), text);
        CHECK(outcome.error().code == base::errc::data);
        CHECK(drives.empty());
    }
}

TEST_CASE("nesting is bounded") {
    const auto nested = [](int depth) {
        return R"([{"device":"d","backing":)" + std::string(static_cast<std::size_t>(depth), '[') +
               std::string(static_cast<std::size_t>(depth), ']') + "}]";
    };
    CHECK(decoded(nested(1022)).size() == 1);
    std::vector<drive_sample> drives;
    CHECK_FALSE(decode_blockstats(nested(1023), drives).has_value());
    CHECK_FALSE(decode_blockstats(nested(100'000), drives).has_value());
    CHECK_FALSE(decode_blockstats(std::string(1'000'000, '['), drives).has_value());
}

TEST_CASE("a poll replaces all of the one before and keeps its memory") {
    std::vector<drive_sample> drives;
    const std::string qdev = "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]";
    REQUIRE(decode_blockstats(
                R"([{"device":"a","qdev":")" + qdev + R"(","stats":{"rd_bytes":1,"unmap_bytes":1,"idle_time_ns":1}},
        {"device":"b"},{"device":"c"}])",
                drives)
                .has_value());
    REQUIRE(drives.size() == 3);
    const char* memory = drives[0].identity.qdev.data();
    const drive_sample* first = drives.data();

    REQUIRE(decode_blockstats(R"([{"device":"b","qdev":")" + qdev + R"("},{"node-name":"n"}])", drives).has_value());
    REQUIRE(drives.size() == 2);
    CHECK(drives[0].identity == drive_identity{"b", qdev, ""});
    CHECK(drives[0].identity.qdev.data() == memory);
    CHECK(drives.data() == first);
    CHECK(drives[0].counters[operation::read].bytes == 0);
    CHECK_FALSE(drives[0].counters.idle.has_value());
    CHECK_FALSE(drives[0].counters.detailed);
    CHECK(drives[1].identity == drive_identity{"", "", "n"});
}

TEST_CASE("HMP statistics") {
    const auto drives = decoded_text(
        "install_media: rd_bytes=6554112 wr_bytes=1 rd_operations=201 wr_operations=2 flush_operations=3 "
        "wr_total_time_ns=4 "
        "rd_total_time_ns=10120825 flush_total_time_ns=5 rd_merged=6 wr_merged=7 idle_time_ns=5209085568\r\n"
        ": rd_bytes=8 wr_bytes=0 idle_time_ns=0\r\n");
    REQUIRE(drives.size() == 2);
    CHECK(drives[0].identity == drive_identity{"install_media", "", ""});
    CHECK(drives[0].counters[operation::read] == operation_counters{6554112, 201, 10120825, 6, 0, 0});
    CHECK(drives[0].counters[operation::write] == operation_counters{1, 2, 4, 7, 0, 0});
    CHECK(drives[0].counters[operation::flush] == operation_counters{0, 3, 5, 0, 0, 0});
    CHECK(drives[0].counters.idle.value() == base::nanoseconds(5209085568));
    CHECK_FALSE(drives[0].counters.detailed);
    CHECK(drives[1].identity == drive_identity{});
    CHECK(drives[1].counters[operation::read].bytes == 8);
    CHECK_FALSE(drives[1].counters.idle.has_value());
}

TEST_CASE("HMP statistics of an older or a later QEMU") {
    const auto drives =
        decoded_text("hd: rd_bytes=1 later_field=5 wr_bytes=x rd_operations=-3 wr_operations= flush_operations\n"
                     "cd: rd_bytes=18446744073709551615");
    REQUIRE(drives.size() == 2);
    CHECK(drives[0].counters[operation::read] == operation_counters{1, 0, 0, 0, 0, 0});
    CHECK(drives[0].counters[operation::write] == operation_counters{});
    CHECK(drives[1].counters[operation::read].bytes == 18446744073709551615ULL);
}

TEST_CASE("HMP text that is no statistics") {
    CHECK(decoded_text("").empty());
    CHECK(decoded_text("\r\n \n").empty());
    CHECK(decoded_text("a warning\r\nhd: rd_bytes=1\r\nVM status: running\r\n").size() == 1);
    for (const char* text :
         {"unknown command: 'info blockstats'\r\n", "hd: bytes=5", "hd", ": ", "rd_bytes=1", "hd:rd_bytes=1"}) {
        std::vector<drive_sample> drives(2);
        const auto outcome = decode_hmp_blockstats(text, drives);
        REQUIRE_MESSAGE(!outcome.has_value(), text);
        CHECK(outcome.error().code == base::errc::data);
        CHECK(drives.empty());
    }
}

TEST_CASE("an inventory names the drives of an HMP sample") {
    auto drives = decoded_text("hd: rd_bytes=1\n: rd_bytes=2\n: rd_bytes=3\n");
    const inventory known{
        {{"hd", "/machine/a", "#block1"}, {}, {}}, {{"", "/machine/b", "n1"}, {}, {}}, {{"", "c", "n2"}, {}, {}}};
    REQUIRE(identify_by_inventory(drives, known));
    CHECK(drives[0].identity == known[0].identity);
    CHECK(drives[1].identity == known[1].identity);
    CHECK(drives[2].identity == known[2].identity);
    CHECK(drives[2].counters[operation::read].bytes == 3);
}

TEST_CASE("an inventory of other drives changes nothing") {
    auto drives = decoded_text("hd: rd_bytes=1\n: rd_bytes=2\n");
    const drive_info hd{{"hd", "/machine/a", ""}, {}, {}};
    const drive_info unnamed{{"", "/machine/b", ""}, {}, {}};
    const drive_info other{{"cd", "/machine/c", ""}, {}, {}};
    CHECK_FALSE(identify_by_inventory(drives, {}));
    CHECK_FALSE(identify_by_inventory(drives, {hd}));
    CHECK_FALSE(identify_by_inventory(drives, {unnamed, hd}));
    CHECK_FALSE(identify_by_inventory(drives, {hd, other}));
    CHECK_FALSE(identify_by_inventory(drives, {hd, unnamed, unnamed}));
    CHECK(drives[0].identity == drive_identity{"hd", "", ""});
    CHECK(drives[1].identity == drive_identity{});
    CHECK(identify_by_inventory(drives, {hd, unnamed}));

    std::vector<drive_sample> none;
    CHECK(identify_by_inventory(none, {}));
}

TEST_CASE("an empty drive whose device and qdev have one name") {
    auto drives = decoded_text("cd: rd_bytes=1\n");
    // `info block` prints `cd: [not inserted]` and `Attached to: cd`: it cannot tell whether there is a device name.
    REQUIRE(identify_by_inventory(drives, {{{"", "cd", ""}, {}, {}}}));
    CHECK(drives[0].identity == drive_identity{"cd", "cd", ""});
}

TEST_CASE("the tables that QEMU 11 prints") {
    std::vector<sample::drive_sample> drives;
    REQUIRE(sample::decode_hmp_blockstats(support::fixture("hmp/info_blockstats_11.1.txt"), drives).has_value());
    REQUIRE(drives.size() == 5);
    CHECK(drives[0].identity.device == "install_media");
    CHECK(drives[0].counters[operation::read].bytes == 3768832);
    CHECK(drives[0].counters[operation::read].completed == 116);
    CHECK(drives[0].counters[operation::read].time_ns == 96573521);
    CHECK(drives[0].counters.idle == base::nanoseconds(56803));
    CHECK(drives[1].counters[operation::write].bytes == 196608);
    CHECK(drives[1].counters[operation::write].completed == 3);
    CHECK(drives[3].identity.device.empty());
    CHECK_FALSE(drives[3].counters.idle.has_value());
    CHECK(drives[4].counters[operation::read].completed == 1);
    CHECK_FALSE(drives[4].counters.detailed);

    const sample::inventory known = sample::decode_hmp_info_block(support::fixture("hmp/info_block_11.1.txt"));
    REQUIRE(known.size() == 5);
    CHECK(known[0].identity.node_name == "#block294");
}

TEST_CASE("rows of such a table, one by one") {
    std::vector<sample::drive_sample> drives;
    const auto decode = [&](const std::string& rows) {
        return sample::decode_hmp_blockstats("d: idle_time_ns=5\r\n" + rows, drives);
    };
    REQUIRE(decode("Read: 1 2 3 4\r\nWrite: 5 6 7 8\r\nFlush: 9 10\r\nZone append: 1 2 3 4\r\n").has_value());
    REQUIRE(drives.size() == 1);
    CHECK(drives[0].counters[operation::read].merged == 4);
    CHECK(drives[0].counters[operation::write].time_ns == 7);
    CHECK(drives[0].counters[operation::flush].completed == 9);
    CHECK(drives[0].counters[operation::flush].time_ns == 10);
    // What is no counter is none: no zeros that look like the truth.
    for (const char* rows : {"", "Read:\r\n", "Read: 1 2 3\r\n", "Read: 1 2 3 4 5\r\n", "Read: a b c d\r\n",
                             "Flush: 1\r\n", "Read: 99999999999999999999 1 1 1\r\n", "bytes operations\r\n"}) {
        CAPTURE(rows);
        CHECK(decode(rows).has_error());
        CHECK(drives.empty());
    }
}
