// Both formats are made of report::drive_fields, so that their keys cannot differ.
#include "report/once.hpp"

#include "base/text.hpp"
#include "report/drive_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>
#include <variant>

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
    object["name"] = text_or_null(identity.name);
    object["uuid"] = text_or_null(identity.uuid);
    object["socket"] = text_or_null(identity.socket);
    object["protocol"] = text_or_null(identity.protocol);
    object["version"] = text_or_null(identity.version);
    object["package"] = text_or_null(identity.package);
    object["machine"] = text_or_null(identity.machine);
    object["accelerator"] = text_or_null(identity.accelerator);
    object["arch"] = text_or_null(identity.arch);
    object["pid"] = identity.pid > 0 ? json(identity.pid) : json(nullptr);
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

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char each : text) {
        if (each == '"') out += '"';
        out += each;
    }
    return out + '"';
}

struct as_cell {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::uint64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
    std::string operator()(const std::string& value) const { return csv_field(value); }
};

}  // namespace

std::string once_json(const pipeline::snapshot& state) {
    std::string out;
    for (const auto& vm : state.vms) {
        out += base::printable(vm_object(*vm, state).dump(-1, ' ', false, json::error_handler_t::replace));
        out += '\n';
    }
    return out;
}

std::string once_csv(const pipeline::snapshot& state) {
    std::string out = "time,vm,state";
    for (const field& each : drive_fields(pipeline::drive_snapshot{})) {
        out += ',';
        if (!each.group.empty()) out += std::string(each.group) + '_';
        out += each.key;
    }
    out += '\n';
    for (const auto& vm : state.vms) {
        const std::string first = time_of(*vm, state) + ',' + csv_field(base::printable(vm->identity.vm)) + ',' +
                                  csv_field(base::printable(vm->run_state));
        for (const pipeline::drive_snapshot& drive : vm->drives) {
            out += first;
            for (const field& each : drive_fields(drive)) out += ',' + std::visit(as_cell{}, each.value);
            out += '\n';
        }
    }
    return out;
}

}  // namespace qmpwatch::report
