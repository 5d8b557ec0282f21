#include "report/vm_fields.hpp"

#include "base/text.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace qmpwatch::report {

namespace {

field_value text(const std::string& value) {
    if (value.empty()) return {};
    return base::printable(value);
}

}  // namespace

std::vector<field> monitor_fields(const sample::vm_identity& identity) {
    field_value pid;
    if (identity.pid > 0) pid = static_cast<std::uint64_t>(identity.pid);
    return {{"", "socket", text(identity.socket)},   {"", "protocol", text(identity.protocol)},
            {"", "version", text(identity.version)}, {"", "package", text(identity.package)},
            {"", "machine", text(identity.machine)}, {"", "accelerator", text(identity.accelerator)},
            {"", "arch", text(identity.arch)},       {"", "pid", std::move(pid)}};
}

std::vector<field> vm_fields(const sample::vm_identity& identity) {
    std::vector<field> fields{{"", "name", text(identity.name)}, {"", "uuid", text(identity.uuid)}};
    for (field& each : monitor_fields(identity)) fields.push_back(std::move(each));
    return fields;
}

}  // namespace qmpwatch::report
