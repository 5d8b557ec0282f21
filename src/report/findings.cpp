#include "report/findings.hpp"

#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/finding.hpp"
#include "report/vm_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace qmpwatch::report {

namespace {

using json = nlohmann::ordered_json;
using sample::drive_facts;
using sample::interrupt_controller;

constexpr std::size_t least_width = 40;

std::string_view name(interrupt_controller where) {
    switch (where) {
        case interrupt_controller::in_kernel: return "in_kernel";
        case interrupt_controller::emulated: return "emulated";
        case interrupt_controller::unknown: break;
    }
    return "unknown";
}

void append_part(std::string& text, std::string_view part) {
    if (part.empty()) return;
    if (!text.empty()) text += ", ";
    text += part;
}

std::string vm_line(const sample::vm_facts& vm) {
    const sample::vm_identity& identity = vm.identity;
    std::string text;
    append_part(text, identity.package.empty() ? fmt::format("QEMU {}", identity.version)
                                               : fmt::format("QEMU {} ({})", identity.version, identity.package));
    append_part(text, identity.machine);
    append_part(text, identity.accelerator);
    append_part(text, identity.arch);
    append_part(text, size_text(identity));
    const std::string type = vm.controller_type.empty() ? "" : fmt::format(" ({})", vm.controller_type);
    switch (vm.controller) {
        case interrupt_controller::in_kernel: append_part(text, "interrupt controller in the kernel" + type); break;
        case interrupt_controller::emulated: append_part(text, "interrupt controller emulated" + type); break;
        case interrupt_controller::unknown: append_part(text, "interrupt controller not known"); break;
    }
    return base::printable(fmt::format("{}: {}", identity.vm, text));
}

std::string notes_of(const drive_facts& drive) {
    std::string notes;
    if (!drive.info.media.inserted) return notes;
    if (drive.info.media.read_only) append_part(notes, "read-only");
    if (drive.settings.is_overlay) append_part(notes, "snapshot=on");
    if (drive.info.media.cache && !drive.settings.is_overlay) {
        append_part(notes, fmt::format("cache={}", sample::name(*drive.info.media.cache)));
    }
    if (!drive.aio.empty()) append_part(notes, "aio=" + drive.aio);
    if (drive.usb_megabits_per_second) append_part(notes, fmt::format("{:g} Mb/s", *drive.usb_megabits_per_second));
    if (drive.settings.limits.any()) append_part(notes, "throttled");
    return notes;
}

/// The file's name without its folders; of a medium that QEMU can only describe in JSON, the innermost filename in it.
std::string_view short_file(std::string_view file) {
    if (file.starts_with("json:")) {
        constexpr std::string_view key = "\"filename\": \"";
        const std::size_t at = file.rfind(key);
        if (at == std::string_view::npos) return "json:...";
        file.remove_prefix(at + key.size());
        file = file.substr(0, file.find('"'));
    }
    return file.substr(file.rfind('/') + 1);
}

void append_table(std::string& out, const sample::vm_facts& vm, std::size_t width) {
    using row = std::array<std::string, 5>;
    std::vector<row> rows{{"DRIVE", "DEVICE", "ON", "MEDIUM", "SETTINGS"}};
    for (const drive_facts& drive : vm.drives) {
        const sample::drive_info& info = drive.info;
        const std::string medium =
            info.media.inserted ? fmt::format("{} ({})", short_file(info.media.file), info.media.format) : "empty";
        rows.push_back({base::printable(sample::drive_name(info.identity)),
                        info.attachment.device.empty() ? "?" : base::printable(info.attachment.device),
                        base::printable(info.attachment.bus), base::printable(medium),
                        base::printable(notes_of(drive))});
    }
    constexpr std::size_t most_of_a_column = 32;
    std::array<std::size_t, 5> widths{};
    for (const row& each : rows) {
        for (std::size_t i = 0; i < each.size(); ++i) {
            widths[i] = std::max(widths[i], std::min(base::columns(each[i]), most_of_a_column));
        }
    }
    for (const row& each : rows) {
        std::string line;
        for (std::size_t i = 0; i < each.size(); ++i) {
            const bool is_last = i + 1 == each.size();
            const std::string cell = is_last ? each[i] : base::shorten(each[i], widths[i]);
            line += cell;
            if (!is_last) line.append(widths[i] + 2 - base::columns(cell), ' ');
        }
        line.resize(line.find_last_not_of(' ') + 1);
        out += base::shorten(line, width) + '\n';
    }
}

void append_proof(std::string& out, const proof_result& proof, std::size_t width) {
    const std::string span = base::format_duration(std::chrono::duration_cast<base::seconds>(proof.duration));
    if (proof.lines == 0) {
        out += base::hanging(
            "Proof: ",
            fmt::format(
                "QEMU has logged nothing about USB storage in {}: nobody used such a drive, or this QEMU is built "
                "without trace lines in its log (trace backend `log`)",
                span),
            width);
        return;
    }
    if (proof.lost.empty()) {
        out += base::hanging(
            "Proof: ",
            fmt::format(
                "of {} commands completed in {} the guest got every status. A race need not show in so short a time",
                proof.completed, span),
            width);
        return;
    }
    out += base::hanging("Proof: ",
                         fmt::format("of {} commands completed in {} the guest never got the status of {}:",
                                     proof.completed, span, proof.lost.size()),
                         width);
    constexpr std::size_t most_shown = 10;
    for (std::size_t i = 0; i < std::min(proof.lost.size(), most_shown); ++i) {
        const stall::lost_completion& lost = proof.lost[i];
        out += fmt::format("       tag 0x{:x}, given up by the guest after {:.1f} s\n", lost.tag,
                           base::in_seconds(lost.given_up_at - lost.completed_at));
    }
    if (proof.lost.size() > most_shown) out += fmt::format("       and {} more\n", proof.lost.size() - most_shown);
}

json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return base::printable(text);
}

json limits_object(const sample::io_limits& limits) {
    return {{"bytes_per_second", limits.bytes_per_second},
            {"read_bytes_per_second", limits.read_bytes_per_second},
            {"write_bytes_per_second", limits.write_bytes_per_second},
            {"operations_per_second", limits.operations_per_second},
            {"reads_per_second", limits.reads_per_second},
            {"writes_per_second", limits.writes_per_second}};
}

json drive_object(const drive_facts& drive) {
    const sample::drive_info& info = drive.info;
    json object;
    object["drive"] = base::printable(sample::drive_name(info.identity));
    object["qdev"] = text_or_null(info.identity.qdev);
    object["node_name"] = text_or_null(info.identity.node_name);
    object["device"] = text_or_null(info.attachment.device);
    object["bus"] = text_or_null(info.attachment.bus);
    object["inserted"] = info.media.inserted;
    object["file"] = text_or_null(info.media.file);
    object["format"] = text_or_null(info.media.format);
    object["read_only"] = info.media.inserted ? json(info.media.read_only) : json(nullptr);
    object["removable"] = info.media.removable;
    object["snapshot"] = drive.settings.is_overlay;
    object["cache"] = drive.info.media.cache ? json(sample::name(*drive.info.media.cache)) : json(nullptr);
    object["aio"] = text_or_null(drive.aio);
    object["usb_megabits_per_second"] =
        drive.usb_megabits_per_second ? json(*drive.usb_megabits_per_second) : json(nullptr);
    object["limits"] = drive.settings.limits.any() ? limits_object(drive.settings.limits) : json(nullptr);
    return object;
}

json proof_object(const proof_result& proof) {
    json lost = json::array();
    for (const stall::lost_completion& each : proof.lost) {
        lost.push_back({{"tag", each.tag}, {"seconds", base::in_seconds(each.given_up_at - each.completed_at)}});
    }
    return {{"seconds", base::in_seconds(proof.duration)},
            {"log_lines", proof.lines},
            {"commands_completed", proof.completed},
            {"lost_completions", std::move(lost)}};
}

}  // namespace

std::string findings_text(const diagnosis& all, std::size_t width) {
    width = std::max(width, least_width);
    std::string out;
    out += base::hanging("", vm_line(all.vm), width);
    out += '\n';
    if (all.vm.drives.empty()) {
        out += "It has no drives.\n";
    } else {
        append_table(out, all.vm, width);
    }
    if (all.proof) {
        out += '\n';
        append_proof(out, *all.proof, width);
    }
    for (std::size_t i = 0; i < all.findings.size(); ++i) {
        out += '\n';
        out += finding_text(i + 1, all.findings[i], width);
    }
    if (all.findings.empty()) out += "\nNothing is known to be wrong with it.\n";
    return out;
}

std::string findings_json(const diagnosis& all) {
    const sample::vm_identity& identity = all.vm.identity;
    json object;
    object["schema"] = {{"name", "qmpwatch-doctor"}, {"version", 1}};
    object["vm"] = base::printable(identity.vm);
    append(object, monitor_fields(identity));
    object["interrupt_controller"] = {{"place", name(all.vm.controller)},
                                      {"type", text_or_null(all.vm.controller_type)},
                                      {"gic_version", text_or_null(all.vm.gic_version)}};
    object["drives"] = json::array();
    for (const drive_facts& drive : all.vm.drives) object["drives"].push_back(drive_object(drive));
    object["findings"] = json::array();
    for (const stall::finding& one : all.findings) object["findings"].push_back(finding_object<json>(one));
    object["proof"] = all.proof ? proof_object(*all.proof) : json(nullptr);
    return base::json_text(object) + '\n';
}

}  // namespace qmpwatch::report
