#include "report/vm_fields.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

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
    field_value cpus, memory, pid;
    if (identity.cpus > 0) cpus = std::uint64_t(identity.cpus);
    if (identity.memory_bytes > 0) memory = identity.memory_bytes;
    if (identity.pid > 0) pid = static_cast<std::uint64_t>(identity.pid);
    return {{"", "socket", text(identity.socket)},   {"", "protocol", text(identity.protocol)},
            {"", "version", text(identity.version)}, {"", "package", text(identity.package)},
            {"", "machine", text(identity.machine)}, {"", "accelerator", text(identity.accelerator)},
            {"", "arch", text(identity.arch)},       {"", "cpus", std::move(cpus)},
            {"", "memory_bytes", std::move(memory)}, {"", "pid", std::move(pid)}};
}

std::vector<field> vm_fields(const sample::vm_identity& identity) {
    std::vector<field> fields{{"", "name", text(identity.name)}, {"", "uuid", text(identity.uuid)}};
    for (field& each : monitor_fields(identity)) fields.push_back(std::move(each));
    return fields;
}

std::string size_text(const sample::vm_identity& identity) {
    std::string text;
    if (identity.cpus > 0) text = fmt::format("{} vCPU{}", identity.cpus, identity.cpus == 1 ? "" : "s");
    if (identity.memory_bytes > 0) {
        // Memory is given to QEMU in powers of two.
        const double mebibytes = static_cast<double>(identity.memory_bytes) / (1024 * 1024);
        if (!text.empty()) text += ", ";
        text += mebibytes < 1024 ? fmt::format("{:.4g} MiB RAM", mebibytes)
                                 : fmt::format("{:.4g} GiB RAM", mebibytes / 1024);
    }
    return text;
}

}  // namespace qmpwatch::report
