// Both formats are made of report::drive_fields, so that their keys cannot differ.
#include "report/once.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/drive_fields.hpp"
#include "report/vm_fields.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace qmpwatch::report {

namespace {

using json = nlohmann::ordered_json;
using pipeline::vm_snapshot;

json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return base::printable(text);
}

/// When the counters were read, else when the snapshot was taken.
std::string time_of(const vm_snapshot& vm, const pipeline::snapshot& state) {
    return base::rfc3339(vm.last_sample ? vm.last_sample->wall : state.at.wall);
}

json vm_object(const vm_snapshot& vm, const pipeline::snapshot& state) {
    const sample::vm_identity& identity = vm.identity;
    const auto& process = vm.process;
    json object;
    object["vm"] = base::printable(identity.vm);
    object["state"] = text_or_null(vm.run_state);
    object["monitor_state"] = sample::name(vm.monitor);
    object["monitor_detail"] = text_or_null(vm.monitor_detail);
    object["time"] = time_of(vm, state);
    object["interval_seconds"] = base::in_seconds(state.interval);
    append(object, vm_fields(identity));
    object["process_cpu_seconds"] = process ? json(process->cpu_seconds) : json(nullptr);
    object["process_resident_memory_bytes"] = process ? json(process->resident_bytes) : json(nullptr);
    object["process_start_time_seconds"] = process ? json(process->start_time_seconds) : json(nullptr);
    object["cpu_percent"] = vm.cpu_percent ? json(*vm.cpu_percent) : json(nullptr);
    json drives = json::array();
    for (const pipeline::drive_snapshot& each : vm.drives) {
        json drive;
        append(drive, drive_fields(each));
        drives.push_back(std::move(drive));
    }
    object["drives"] = std::move(drives);
    return object;
}

}  // namespace

std::string once_json(const pipeline::snapshot& state) {
    std::string out;
    for (const auto& vm : state.vms) {
        out += base::printable(base::json_text(vm_object(*vm, state)));
        out += '\n';
    }
    return out;
}

std::string snapshot_json(const pipeline::snapshot& state) {
    json object;
    object["schema"] = {{"name", "qmpwatch-snapshot"}, {"version", 1}};
    object["time"] = base::rfc3339(state.at.wall);
    object["interval_seconds"] = base::in_seconds(state.interval);
    object["vms"] = json::array();
    for (const auto& vm : state.vms) object["vms"].push_back(vm_object(*vm, state));
    return base::printable(base::json_text(object)) + '\n';
}

std::string once_csv(const pipeline::snapshot& state) {
    std::string out = "time,vm,state";
    out += csv_names(drive_fields(pipeline::drive_snapshot{})) + '\n';
    for (const auto& vm : state.vms) {
        const std::string first = time_of(*vm, state) + ',' + csv_cell(base::printable(vm->identity.vm)) + ',' +
                                  csv_cell(base::printable(vm->run_state));
        for (const pipeline::drive_snapshot& drive : vm->drives) out += first + csv_cells(drive_fields(drive)) + '\n';
    }
    return out;
}

}  // namespace qmpwatch::report
