// How a file is recognized, and what all imports have in common.
#include "run/import.hpp"

#include "run/import_parts.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::run;
using namespace std::chrono_literals;

namespace {

std::vector<happening> samples_at(std::initializer_list<base::nanoseconds> times) {
    std::vector<happening> story;
    for (const base::nanoseconds one : times) {
        sample::sample counters;
        counters.at.steady = base::steady_time(one);
        story.push_back(std::move(counters));
    }
    return story;
}

}  // namespace

TEST_CASE("files are recognized by their beginning") {
    CHECK(recognize(R"({"schema": {"name": "qmpwatch-run", "version": 1, "minor": 0}, "start": 1})") ==
          content::run_file);
    CHECK(recognize("{\"schema\":{\"name\":\"qmpwatch-run\",\"version\":7}}\n{\"t\":1,\"return\":[]}") ==
          content::run_file);
    CHECK(recognize(R"({"schema": {"name": "qmpwatch-report", "version": 1}})") == content::unknown);
    CHECK(recognize(R"({"t": 1, "return": []})") == content::json_lines);
    CHECK(recognize("\xef\xbb\xbf{\"t\": 1, \"text\": \"\"}") == content::json_lines);
    CHECK(recognize("{\"comment\": 1}\n\n  {\"t\": 1, \"rtt\": 2, \"blockstats\": [{\"dev") == content::json_lines);
    CHECK(recognize("{\"t\": 1, \"event\": {}}") == content::unknown);
    CHECK(recognize("date\ninstall_media: rd_bytes=1 wr_bytes=0\n") == content::hmp_log);
    CHECK(recognize("install_media: idle_time_ns=1\n") == content::hmp_log);
    CHECK(recognize("QEMU 7.2.22 monitor - type 'help' for more information\r\n") == content::hmp_log);
    for (const std::string_view text : {"", "\n", "hello", "[]", "{}",
                                        "\x7f"
                                        "ELF",
                                        "t,rd_bytes\n1,2\n"}) {
        INFO(std::string(text));
        CHECK(recognize(text) == content::unknown);
    }
    CHECK(recognize(std::string_view("rd_bytes=1\0", 11)) == content::unknown);
}

TEST_CASE("the recordings and captures are recognized by their first 64 KiB") {
    for (const char* name :
         {"recordings/csw_0.5s.jsonl", "recordings/pause_0.5s.jsonl", "captures/burst_usb_storage_hmp_text_0.25s.jsonl",
          "captures/burst_usb_storage_tcg_0.25s.jsonl", "captures/hang_hostside_blkdebug_break_resume_0.25s.jsonl"}) {
        INFO(name);
        CHECK(recognize(support::fixture(name).substr(0, 65536)) == content::json_lines);
    }
    for (const char* name : {"hmp/socat_log_7.2_raw.bin", "captures/hmp_info_blockstats_raw.bin",
                             "hmp/info_blockstats_11.1_raw.bin", "hmp/info_blockstats_11.1.txt"}) {
        INFO(name);
        CHECK(recognize(support::fixture(name).substr(0, 65536)) == content::hmp_log);
    }
    CHECK(recognize(support::fixture("captures/qmp_schema_7.2_x86_64.json").substr(0, 65536)) == content::unknown);
}

TEST_CASE("the cadence is the median distance, rounded") {
    CHECK_FALSE(cadence_of({}));
    CHECK_FALSE(cadence_of(samples_at({5s})));
    CHECK(cadence_of(samples_at({0s, 250200us})) == 250ms);
    CHECK(cadence_of(samples_at({0s, 500100us, 1000300us, 30s})) == 500ms);
    CHECK(cadence_of(samples_at({0s, 1003ms, 2008ms, 3012ms})) == 1s);
    CHECK(cadence_of(samples_at({0s, 15s, 30s, 46s, 61s})) == 15s);
    CHECK(cadence_of(samples_at({0s, 15020ms, 30043ms, 45066ms})) == 15s);
    CHECK(cadence_of(samples_at({0s, 62400ms})) == 62s);
    CHECK(cadence_of(samples_at({0s, 0s, 0s})) == 1ms);
}

TEST_CASE("lines end with \\n, and \\r before it") {
    std::string_view text = "a\r\nb\r\r\n\nc";
    CHECK(take_line(text) == "a");
    CHECK(take_line(text) == "b");
    CHECK(take_line(text) == "");
    CHECK(take_line(text) == "c");
    CHECK(text.empty());
}
