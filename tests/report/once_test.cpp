#include "report/once.hpp"

#include "base/json.hpp"
#include "report/notice_lines.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/vms.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace qmpwatch;
using json = nlohmann::ordered_json;
using support::state_of;

namespace {

std::vector<json> parsed(const std::string& lines) {
    std::istringstream text(lines);
    std::vector<json> objects;
    for (std::string line; std::getline(text, line);) {
        objects.push_back(base::parse_ordered_json(line));
        REQUIRE(objects.back().is_object());
    }
    return objects;
}

std::vector<std::string> keys_of(const json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
}

/// Reads CSV as RFC 4180 describes it.
std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
    std::vector<std::vector<std::string>> rows{{""}};
    bool in_quotes = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char each = csv[i];
        if (in_quotes && each == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
            rows.back().back() += csv[++i];
        } else if (each == '"') {
            in_quotes = !in_quotes;
        } else if (!in_quotes && each == ',') {
            rows.back().emplace_back();
        } else if (!in_quotes && each == '\n') {
            rows.push_back({""});
        } else {
            rows.back().back() += each;
        }
    }
    REQUIRE_FALSE(in_quotes);
    rows.pop_back();  // what follows the last line feed
    return rows;
}

std::string cell(const std::vector<std::vector<std::string>>& rows, std::size_t row, std::string_view column) {
    const auto& names = rows.at(0);
    const auto at = std::find(names.begin(), names.end(), column);
    REQUIRE(at != names.end());
    return rows.at(row).at(static_cast<std::size_t>(at - names.begin()));
}

pipeline::snapshot three_vms() { return state_of({support::starting_vm(), support::busy_vm(), support::running_vm()}); }

pipeline::snapshot four_vms() {
    return state_of({support::starting_vm(), support::busy_vm(), support::running_vm(), support::stalled_vm()});
}

}  // namespace

TEST_CASE("one look at four VMs as JSON and as CSV") {
    const std::string lines = report::once_json(four_vms());
    CHECK(lines == support::golden("once.json", lines));
    const std::string csv = report::once_csv(four_vms());
    CHECK(csv == support::golden("once.csv", csv));
}

TEST_CASE("one object for each VM, with what is known of it") {
    const auto vms = parsed(report::once_json(three_vms()));
    REQUIRE(vms.size() == 3);
    const json& vm = vms[2];
    CHECK(keys_of(vm)[0] == "vm");
    CHECK(vm["vm"] == "winarm");
    CHECK(vm["state"] == "running");
    CHECK(vm["monitor_state"] == "ready");
    CHECK(vm["time"] == "2026-11-30T21:29:13.042Z");
    CHECK(vm["interval_seconds"] == 15.0);
    CHECK(vm["pid"] == 4242);
    CHECK(vm["process_resident_memory_bytes"].get<std::uint64_t>() == 4294967296ULL);
    CHECK(vm["cpu_percent"] == 123.4);
    CHECK(vm["package"].is_null());
    REQUIRE(vm["drives"].size() == 3);

    CHECK(vms[1]["state"].is_null());
    CHECK(vms[1]["monitor_state"] == "busy");
    CHECK(vms[1]["drives"] == json::array());
    CHECK(vms[1]["pid"].is_null());
    CHECK(keys_of(vms[0]) == keys_of(vms[1]));
    CHECK(keys_of(vms[1]) == keys_of(vms[2]));
    CHECK(report::once_json(state_of({})).empty());
}

TEST_CASE("a drive says what is in it; an empty one says null") {
    const auto vm = parsed(report::once_json(three_vms()))[2];
    const json& media = vm["drives"][0];
    CHECK(media["drive"] == "install_media");
    CHECK(media["qdev"] == "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]");
    CHECK(media["node_name"] == "#block146");
    CHECK(media["file"] == "/images/win11, \"arm\".iso");
    CHECK(media["format"] == "raw");
    CHECK(media["read_only"] == true);
    CHECK(media["removable"] == true);
    CHECK(media["read_bytes"].get<std::uint64_t>() == 9223372036854775809ULL);
    CHECK(vm["drives"][1]["highest_write_offset_bytes"].get<std::uint64_t>() == 68719476736ULL);
    CHECK(vm["drives"][1]["invalid"]["write"] == 2);

    const json& empty = vm["drives"][2];
    CHECK(empty["file"].is_null());
    CHECK(empty["read_only"].is_null());
    CHECK(empty["removable"] == true);
    CHECK(empty["idle_seconds"].is_null());
    CHECK(empty["read_iops"] == 0.0);
}

TEST_CASE("the keys of a drive are those of the rate event and those of its medium and its stalls") {
    const pipeline::drive_snapshot drive = support::system_drive();
    const pipeline::notice notice{
        {}, {}, "vm", pipeline::rate_notice{drive.drive, drive.info.attachment, drive.counters, drive.rate}};
    json rate = base::parse_ordered_json(report::json_line(notice));
    for (const char* key : {"event", "time", "elapsed", "vm"}) rate.erase(key);
    json once = parsed(report::once_json(state_of({support::running_vm()})))[0]["drives"][1];
    for (const char* key : {"qdev", "node_name", "file", "format", "read_only", "removable", "stall_level",
                            "stall_cause", "stalls", "stall_seconds", "gap_seconds"}) {
        CHECK(once.erase(key) == 1);
    }
    CHECK(rate == once);
    CHECK(keys_of(rate) == keys_of(once));
}

TEST_CASE("a drive says what stalls have cost it and whether it is stalled") {
    const auto vm = parsed(report::once_json(state_of({support::stalled_vm()})))[0];
    const json& stalled = vm["drives"][0];
    CHECK(stalled["stall_level"] == "confirmed");
    CHECK(stalled["stall_cause"] == "lost_completion");
    CHECK(stalled["stalls"] == 4);
    CHECK(stalled["stall_seconds"] == 35.36);
    CHECK(stalled["gap_seconds"] == 8.4);
    const json& recovered = vm["drives"][1];
    CHECK(recovered["stall_level"] == "none");
    CHECK(recovered["stall_cause"].is_null());
    CHECK(recovered["stalls"] == 2);
    CHECK(vm["drives"][2]["stalls"] == 0);
    CHECK(vm["drives"][2]["gap_seconds"] == 0.0);

    const auto rows = cells_of(report::once_csv(state_of({support::stalled_vm()})));
    CHECK(cell(rows, 1, "stall_level") == "confirmed");
    CHECK(cell(rows, 1, "stall_seconds") == "35.36");
    CHECK(cell(rows, 2, "stall_cause").empty());
}

TEST_CASE("CSV has a row for each drive, all of the same length, quoted where it must be") {
    const auto rows = cells_of(report::once_csv(three_vms()));
    REQUIRE(rows.size() == 5);
    for (const auto& row : rows) CHECK(row.size() == rows[0].size());
    CHECK(cell(rows, 2, "vm") == "winarm");
    CHECK(cell(rows, 2, "state") == "running");
    CHECK(cell(rows, 2, "file") == "/images/win11, \"arm\".iso");
    CHECK(cell(rows, 2, "read_bytes") == "9223372036854775809");
    CHECK(cell(rows, 2, "failed_read") == "1");
    CHECK(cell(rows, 2, "read_iops") == "62.6");
    CHECK(cell(rows, 2, "removable") == "true");
    CHECK(cell(rows, 1, "read_iops").empty());
    CHECK(cell(rows, 1, "failed_read").empty());
    CHECK(cell(rows, 1, "writes_completed") == "400");
}

TEST_CASE("without a drive there is still the line of column names") {
    const std::string csv = report::once_csv(state_of({}));
    CHECK(csv.find("time,vm,state,drive,device,bus,qdev,") == 0);
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 1);
}

TEST_CASE("a VM's hostile name stays on its line") {
    pipeline::vm_snapshot vm = support::running_vm();
    vm.identity.vm = "a\nb\x1b[2J\xff";
    vm.run_state = "x,\ny";
    CHECK(parsed(report::once_json(state_of({vm})))[0]["vm"] == "a?b?[2J?");
    const auto rows = cells_of(report::once_csv(state_of({vm})));
    REQUIRE(rows.size() == 4);
    CHECK(cell(rows, 1, "vm") == "a?b?[2J?");
    CHECK(cell(rows, 1, "state") == "x,?y");
}

TEST_CASE("the snapshot as one object holds what --once prints") {
    const pipeline::snapshot state = state_of({support::running_vm(), support::busy_vm()});
    const json all = base::parse_ordered_json(report::snapshot_json(state));
    CHECK(all.begin().key() == "schema");
    CHECK(all.at("schema") == json({{"name", "qmpwatch-snapshot"}, {"version", 1}}));
    CHECK(all.at("time") == "2026-11-30T21:29:13.042Z");
    CHECK(all.at("interval_seconds") == 15.0);
    CHECK(all.at("vms").get<std::vector<json>>() == parsed(report::once_json(state)));
    CHECK(base::parse_ordered_json(report::snapshot_json({})).at("vms").empty());
    CHECK(report::snapshot_json({}).back() == '\n');
}
