#include "metrics/families.hpp"

#include "metrics/names.hpp"
#include "some_state.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>

namespace qmpwatch::metrics {

namespace {

using namespace std::chrono_literals;

/// Series (with their labels) and values, as they stand in the text. Fails on a series that stands there twice.
std::map<std::string, std::string> series_of(const std::string& text) {
    std::map<std::string, std::string> series;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        const std::size_t space = line.rfind(' ');
        const bool fresh = series.emplace(line.substr(0, space), line.substr(space + 1)).second;
        CHECK_MESSAGE(fresh, "twice: " << line);
    }
    return series;
}

std::map<std::string, std::string> series_of(const pipeline::snapshot& state) {
    return series_of(exposition(state, some_health()));
}

pipeline::snapshot state_of(std::vector<std::shared_ptr<const pipeline::vm_snapshot>> vms) {
    pipeline::snapshot state;
    state.interval = 15s;
    state.vms = std::move(vms);
    return state;
}

std::size_t count_starting(const std::map<std::string, std::string>& series, const std::string& start) {
    return static_cast<std::size_t>(
        std::count_if(series.begin(), series.end(), [&](const auto& one) { return one.first.starts_with(start); }));
}

}  // namespace

TEST_CASE("the text is what the golden file says") {
    const std::string text = exposition(some_state(), some_health());
    CHECK(text == support::golden("metrics.txt", text));
}

TEST_CASE("names are unique and well formed, help texts are sentences on one line") {
    std::set<std::string> names;
    for (const description& row : descriptions) {
        const std::string name = row.name, help = row.help;
        CAPTURE(name);
        CHECK(names.insert(name).second);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos);
        CHECK(name.ends_with("_total") == (row.type == prometheus::MetricType::Counter));
        CHECK(help.ends_with('.'));
        CHECK(help.find_first_of("\n\\") == std::string::npos);
    }
}

TEST_CASE("large counters keep every digit") {
    const auto series = series_of(some_state());
    CHECK(series.at(R"(qemu_block_read_bytes_total{vm="win11",drive="install_media"})") == "12345678901");
    CHECK(series.at(R"(qemu_block_read_bytes_total{vm="win11",drive="system"})") == "9007199254740991");
    CHECK(series.at(R"(qemu_block_read_time_seconds_total{vm="win11",drive="install_media"})") == "10.123456789");
    CHECK(series.at(R"(qemu_block_read_time_seconds_total{vm="win11",drive="system"})") == "1.9e-08");
}

TEST_CASE("what the monitor does not report has no series") {
    const auto series = series_of(some_state());
    SUBCASE("HMP tells nothing of discards and errors") {
        CHECK(series.contains(R"(qemu_block_read_bytes_total{vm="legacy",drive="ide1-cd0"})"));
        CHECK(series.contains(R"(qemu_block_flushes_completed_total{vm="legacy",drive="ide1-cd0"})"));
        CHECK(series.contains(R"(qemu_block_writes_merged_total{vm="legacy",drive="ide1-cd0"})"));
        for (const char* name :
             {"discarded_bytes_total", "discards_completed_total", "discard_time_seconds_total",
              "discards_merged_total", "failed_total", "invalid_total", "highest_write_offset_bytes"}) {
            CAPTURE(name);
            CHECK(count_starting(series, std::string("qemu_block_") + name + R"({vm="legacy")") == 0);
        }
    }
    SUBCASE("no idle time before the first operation") {
        CHECK(series.at(R"(qemu_block_idle_seconds{vm="win11",drive="install_media"})") == "0.25");
        CHECK_FALSE(series.contains(R"(qemu_block_idle_seconds{vm="win11",drive="system"})"));
    }
    SUBCASE("no rate in the first interval") {
        CHECK(series.at(R"(qemu_block_read_bytes_per_second{vm="win11",drive="install_media"})") == "4100000.5");
        CHECK(series.at(R"(qemu_block_write_iops{vm="win11",drive="install_media"})") == "0");
        CHECK(series.at(R"(qemu_block_busy_ratio{vm="win11",drive="install_media"})") == "0.998");
        CHECK_FALSE(series.contains(R"(qemu_block_read_iops{vm="win11",drive="system"})"));
    }
    SUBCASE("no process, no events") {
        CHECK(series.contains(R"(qemu_process_cpu_seconds_total{vm="win11"})"));
        CHECK_FALSE(series.contains(R"(qemu_process_cpu_seconds_total{vm="legacy"})"));
        CHECK(count_starting(series, R"(qemu_events_total{vm="legacy")") == 0);
    }
}

TEST_CASE("up needs a monitor that is ready and has answered") {
    auto vm = busy_vm("a", 0);
    CHECK(series_of(state_of({vm})).at(R"(qemu_up{vm="a"})") == "1");
    vm->monitor = sample::monitor_state::blocked;
    CHECK(series_of(state_of({vm})).at(R"(qemu_up{vm="a"})") == "0");
    vm->monitor = sample::monitor_state::ready;
    vm->last_sample.reset();
    const auto series = series_of(state_of({vm}));
    CHECK(series.at(R"(qemu_up{vm="a"})") == "0");
    CHECK(count_starting(series, "qmpwatch_last_poll_timestamp_seconds") == 0);
}

TEST_CASE("state sets have exactly one 1") {
    auto vm = busy_vm("a", 0);
    const auto ones = [&](const std::string& name) {
        const auto series = series_of(state_of({vm}));
        return std::count_if(series.begin(), series.end(),
                             [&](const auto& one) { return one.first.starts_with(name + "{") && one.second == "1"; });
    };
    for (const sample::monitor_state state : sample::monitor_states) {
        vm->monitor = state;
        CHECK(ones("qemu_monitor_state") == 1);
        CHECK(count_starting(series_of(state_of({vm})), "qemu_monitor_state{") == sample::monitor_states.size());
    }
    for (const std::string_view state : sample::run_states) {
        vm->run_state = state;
        CHECK(ones("qemu_vm_state") == 1);
        CHECK(count_starting(series_of(state_of({vm})), "qemu_vm_state{") == sample::run_states.size());
    }
    vm->run_state = "new\nstate";
    CHECK(ones("qemu_vm_state") == 1);
    CHECK(series_of(state_of({vm})).at(R"(qemu_vm_state{vm="a",state="new?state"})") == "1");
    vm->run_state.clear();
    CHECK(count_starting(series_of(state_of({vm})), "qemu_vm_state") == 0);
}

TEST_CASE("two of one name are told apart, also when they differ only in what is not printable") {
    auto first = busy_vm("a", 4), second = busy_vm("a", 1), third = busy_vm("a#2", 0);
    first->drives[0].drive = "d";
    first->drives[1].drive = "d";
    first->drives[2].drive = "x\xfe";
    first->drives[3].drive = "x\xff";
    first->events = {{"E\x01", 1}, {"E\x02", 2}};
    const auto series = series_of(state_of({first, second, third}));  // fails on a series that stands there twice
    CHECK(series.contains(R"(qemu_block_info{vm="a",drive="d",qdev="/machine/peripheral/stick/stick.0/legacy[0]",)"
                          R"(node_name="#block142",device="usb-storage",bus="qemu-xhci",file="/iso/Win11 \"Arm\".iso",)"
                          R"(format="raw",read_only="true",removable="true"})"));
    CHECK(series.contains(R"(qemu_block_read_bytes_total{vm="a",drive="d#2"})"));
    CHECK(series.contains(R"(qemu_block_read_bytes_total{vm="a",drive="x?"})"));
    CHECK(series.contains(R"(qemu_block_read_bytes_total{vm="a",drive="x?#2"})"));
    CHECK(series.at(R"(qemu_events_total{vm="a",event="E?#2"})") == "2");
    CHECK(series.contains(R"(qemu_up{vm="a#2"})"));
    CHECK(series.contains(R"(qemu_up{vm="a#2#2"})"));
    CHECK(count_starting(series, "qemu_up{") == 3);
}

TEST_CASE("polls are summed and the histogram is cumulative") {
    const auto series = series_of(some_state());
    CHECK(series.at(R"(qmpwatch_polls_total{result="success"})") == "134");
    CHECK(series.at(R"(qmpwatch_polls_total{result="timeout"})") == "2");
    CHECK(series.at(R"(qmpwatch_polls_total{result="failure"})") == "3");
    CHECK(series.at("qmpwatch_late_polls_total") == "4");
    CHECK(series.at(R"(qmpwatch_poll_duration_seconds_bucket{le="0.0005"})") == "110");
    CHECK(series.at(R"(qmpwatch_poll_duration_seconds_bucket{le="0.001"})") == "130");
    CHECK(series.at(R"(qmpwatch_poll_duration_seconds_bucket{le="2.5"})") == "134");
    CHECK(series.at(R"(qmpwatch_poll_duration_seconds_bucket{le="+Inf"})") == "136");
    CHECK(series.at("qmpwatch_poll_duration_seconds_count") == "136");
    CHECK(series.at("qmpwatch_poll_duration_seconds_sum") == "7.253");
}

TEST_CASE("stalls: all causes from the beginning, histograms only of those that occurred") {
    const auto series = series_of(some_state());
    const auto of = [&](const std::string& name, const std::string& cause, const std::string& drive = "install_media") {
        return series.at("qemu_block_" + name + R"({vm="win11",drive=")" + drive + R"(",cause=")" + cause + "\"}");
    };
    for (const stall::cause cause : stall::causes) {
        const std::string name(stall::name(cause));
        CAPTURE(name);
        CHECK(of("stalls_total", name, "system") == "0");
        CHECK(of("stall_seconds_total", name, "system") == "0");
        CHECK(of("stall_level", name, "system") == "0");
    }
    CHECK(of("stalls_total", "lost_completion") == "3");
    CHECK(of("stall_seconds_total", "lost_completion") == "81.17");
    CHECK(of("stall_level", "lost_completion") == "3");
    CHECK(of("stalls_total", "vm_paused") == "1");
    CHECK(of("stall_level", "vm_paused") == "0");
    CHECK(of("stalls_total", "slow_backend") == "0");
    CHECK(of("stall_level", "slow_backend") == "1");
    CHECK(series.at(R"(qemu_block_gap_seconds{vm="win11",drive="install_media"})") == "8.25");
    CHECK(series.at(R"(qemu_block_gap_seconds{vm="win11",drive="system"})") == "0");

    CHECK(count_starting(series, "qemu_block_stall_duration_seconds_count") == 2);
    const auto bucket = [&](const std::string& cause, const std::string& bound) {
        return series.at(R"(qemu_block_stall_duration_seconds_bucket{vm="win11",drive="install_media",cause=")" +
                         cause + R"(",le=")" + bound + "\"}");
    };
    for (const char* bound : {"1", "9.5", "10"}) CHECK(bucket("lost_completion", bound) == "0");
    for (const char* bound : {"10.5", "11.5", "29.5", "32", "60"}) CHECK(bucket("lost_completion", bound) == "2");
    for (const char* bound : {"64", "120", "+Inf"}) CHECK(bucket("lost_completion", bound) == "3");
    CHECK(bucket("vm_paused", "120") == "0");
    CHECK(bucket("vm_paused", "+Inf") == "1");
    CHECK(of("stall_duration_seconds_sum", "lost_completion") == "81.17");
    CHECK(of("stall_duration_seconds_count", "lost_completion") == "3");
}

TEST_CASE("without a VM there is only qmpwatch itself") {
    const own_health bare{.version = "1", .compiler = "c", .process = {}, .open_fds = {}, .max_fds = {}};
    const auto series = series_of(exposition({}, bare));
    CHECK(count_starting(series, "qemu_") == 0);
    CHECK(count_starting(series, "process_") == 0);
    CHECK(series.at(R"(qmpwatch_build_info{version="1",compiler="c"})") == "1");
    CHECK(series.at(R"(qmpwatch_polls_total{result="success"})") == "0");
    // A family without a series is not announced either.
    CHECK(exposition({}, bare).find("qemu_") == std::string::npos);
}

TEST_CASE("a thousand VMs are made in little more than the serializer's own time") {
    pipeline::snapshot state;
    for (int number = 0; number < 1000; ++number) state.vms.push_back(busy_vm("vm" + std::to_string(number), 4));
    const auto fastest = [](auto&& work) {
        auto best = std::chrono::steady_clock::duration::max();
        for (int turn = 0; turn < 3; ++turn) {
            const auto begin = std::chrono::steady_clock::now();
            work();
            best = std::min(best, std::chrono::steady_clock::now() - begin);
        }
        return base::in_seconds(best);
    };
    const auto made = families(state, some_health());
    std::size_t bytes = 0;
    const double serializing = fastest([&] { bytes = prometheus::TextSerializer{}.Serialize(made).size(); });
    const double all = fastest([&] { bytes = exposition(state, some_health()).size(); });
    MESSAGE(bytes << " bytes, serializer " << serializing << " s, all " << all << " s, ratio " << all / serializing);
    // 1.1 when optimized, 2.2 with sanitizers: the bound only catches a blunder.
    CHECK(all < 5 * serializing);
}

}  // namespace qmpwatch::metrics
