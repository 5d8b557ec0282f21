#include "sample/vm_facts.hpp"

#include "base/json.hpp"
#include "sample/query_block.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace qmpwatch::sample {

namespace {

using nlohmann::json;

constexpr int most_depth = 1024;  // QEMU's own limit of nesting
constexpr double full_speed_megabits = 12;

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
}

bool take_number(std::string_view& text, int& value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

std::uint64_t number_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc{} ? value : 0;
}

std::uint64_t number_of(const json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_unsigned()) return 0;
    return found->get<std::uint64_t>();
}

std::string_view text_of(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                       : std::string_view();
}

/// QEMU's own name of the temporary file behind snapshot=on: vl.XXXXXX in the folder for temporary files.
bool is_temporary_overlay(std::string_view file) { return file.find("/vl.") != std::string_view::npos; }

drive_settings settings_of(const json& entry) {
    drive_settings settings;
    const auto inserted = entry.find("inserted");
    if (inserted == entry.end() || !inserted->is_object()) return settings;
    settings.limits = {number_of(*inserted, "bps"),  number_of(*inserted, "bps_rd"),  number_of(*inserted, "bps_wr"),
                       number_of(*inserted, "iops"), number_of(*inserted, "iops_rd"), number_of(*inserted, "iops_wr")};
    settings.is_overlay = text_of(*inserted, "drv") == "qcow2" && is_temporary_overlay(text_of(*inserted, "file"));
    return settings;
}

/// `bps=0 bps_rd=0 ...`
io_limits limits_from_hmp(std::string_view text) {
    io_limits limits;
    const std::array<std::pair<std::string_view, std::uint64_t*>, 6> keys{{{"bps", &limits.bytes_per_second},
                                                                           {"bps_rd", &limits.read_bytes_per_second},
                                                                           {"bps_wr", &limits.write_bytes_per_second},
                                                                           {"iops", &limits.operations_per_second},
                                                                           {"iops_rd", &limits.reads_per_second},
                                                                           {"iops_wr", &limits.writes_per_second}}};
    while (!(text = trimmed(text)).empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size());
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) continue;
        for (const auto& [key, value] : keys) {
            if (key == word.substr(0, equals)) *value = number_in(word.substr(equals + 1));
        }
    }
    return limits;
}

/// The options of one word such as `if=none,id=cd,file=a,,b.iso`: commas in values are doubled.
std::vector<std::pair<std::string, std::string>> options_of(std::string_view argument) {
    std::vector<std::pair<std::string, std::string>> options;
    std::string part;
    const auto finish = [&] {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) {
            options.emplace_back(part, "");
        } else {
            options.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        }
        part.clear();
    };
    for (std::size_t i = 0; i < argument.size(); ++i) {
        if (argument[i] != ',') {
            part += argument[i];
        } else if (i + 1 < argument.size() && argument[i + 1] == ',') {
            part += ',';
            ++i;
        } else {
            finish();
        }
    }
    finish();
    return options;
}

/// The first of `kvm:tcg`.
std::string first_accelerator(std::string_view text) { return std::string(text.substr(0, text.find(':'))); }

void read_machine(std::string_view argument, command_line_facts& facts) {
    bool is_first = true;
    for (const auto& [key, value] : options_of(argument)) {
        if ((is_first && value.empty()) || key == "type") {
            facts.machine = value.empty() ? key : value;
        } else if (key == "accel" && facts.accelerator.empty()) {
            facts.accelerator = first_accelerator(value);
        } else if (key == "kernel-irqchip" || key == "kernel_irqchip") {
            facts.kernel_irqchip = value;
        }
        is_first = false;
    }
}

void read_accelerator(std::string_view argument, command_line_facts& facts) {
    bool is_first = true;
    for (const auto& [key, value] : options_of(argument)) {
        if (((is_first && value.empty()) || key == "accel") && facts.accelerator.empty()) {
            facts.accelerator = first_accelerator(value.empty() ? key : value);
        } else if (key == "kernel-irqchip") {
            facts.kernel_irqchip = value;
        }
        is_first = false;
    }
}

void read_drive(std::string_view argument, bool is_blockdev, command_line_facts& facts) {
    drive_option drive;
    // A -blockdev may be a format whose file is another -blockdev, which has the aio then.
    bool has_file = !is_blockdev;
    for (const auto& [key, value] : options_of(argument)) {
        has_file =
            has_file || key.starts_with("file.") || (key == "driver" && (value == "file" || value == "host_device"));
        if (key == (is_blockdev ? "node-name" : "id")) {
            drive.name = value;
        } else if (key == "aio" || key == "file.aio") {
            drive.aio = value;
        } else if (key == "media") {
            drive.is_cdrom = value == "cdrom";
        }
    }
    if (has_file && drive.aio.empty()) drive.aio = "threads";
    if (!drive.name.empty()) facts.drives.push_back(std::move(drive));
}

/// The ids in a QOM path of a device: /machine/peripheral/stick/stick.0/legacy[0] is of stick. Empty when it has none.
std::string_view id_in(std::string_view qdev) {
    constexpr std::string_view named = "/machine/peripheral/";
    if (!qdev.starts_with(named)) return {};
    qdev.remove_prefix(named.size());
    return qdev.substr(0, qdev.find('/'));
}

bool is_gic(std::string_view type) {
    return type == "arm_gic" || type == "arm-gicv3" || type.ends_with("-arm-gic") || type.ends_with("-arm-gicv3");
}

}  // namespace

std::optional<qemu_version> parse_version(std::string_view text) {
    qemu_version version;
    if (!take_number(text, version.major) || !text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
    if (!take_number(text, version.minor)) return std::nullopt;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!take_number(text, version.micro)) version.micro = 0;
    }
    return version;
}

interrupt_controller controller_of_type(std::string_view type) {
    for (const std::string_view prefix : {"kvm-", "hvf-", "whpx-"}) {
        if (type.starts_with(prefix)) return interrupt_controller::in_kernel;
    }
    if (type == "apic" || is_gic(type)) return interrupt_controller::emulated;
    return interrupt_controller::unknown;
}

std::vector<drive_settings> decode_drive_settings(std::string_view text) {
    const json reply = base::parse_json(text, most_depth);
    std::vector<drive_settings> result;
    if (!reply.is_array()) return result;
    for (const json& entry : reply) {
        if (entry.is_object()) result.push_back(settings_of(entry));
    }
    return result;
}

std::vector<drive_settings> decode_hmp_drive_settings(std::string_view text) {
    std::vector<drive_settings> result;
    // decode_hmp_info_block decides what an entry is: it is given each paragraph for itself.
    while (!text.empty()) {
        std::size_t size = 0;
        while (size < text.size()) {
            std::string_view rest = text.substr(size);
            const std::size_t before = rest.size();
            const std::string_view line = take_line(rest);
            size += before - rest.size();
            if (trimmed(line).empty()) break;
        }
        std::string_view paragraph = text.substr(0, size);
        text.remove_prefix(size);
        const inventory entry = decode_hmp_info_block(paragraph);
        if (entry.empty()) continue;
        drive_settings settings;
        const std::string_view header = paragraph.substr(0, paragraph.find('\n'));
        settings.is_overlay = entry.front().media.format == "qcow2" && is_temporary_overlay(header);
        take_line(paragraph);
        while (!paragraph.empty()) {
            std::string_view line = trimmed(take_line(paragraph));
            constexpr std::string_view limits = "I/O throttling:";
            if (line.starts_with(limits)) settings.limits = limits_from_hmp(line.substr(limits.size()));
        }
        result.push_back(settings);
    }
    return result;
}

std::vector<usb_storage_port> decode_usb_list(std::string_view text) {
    std::vector<usb_storage_port> ports;
    while (!text.empty()) {
        // Device 0.0, Port 4.1, Speed 12 Mb/s, Product QEMU USB MSD, ID: s1
        std::string_view line = take_line(text);
        if (line.find("Product QEMU USB MSD") == std::string_view::npos) continue;
        usb_storage_port found;
        const auto value_after = [line](std::string_view key) {
            const std::size_t at = line.find(key);
            if (at == std::string_view::npos) return std::string_view();
            const std::string_view rest = line.substr(at + key.size());
            return rest.substr(0, rest.find(','));
        };
        found.port = value_after("Port ");
        found.id = value_after(", ID: ");
        const std::string_view speed = value_after("Speed ");
        if (found.port.empty() || !speed.ends_with(" Mb/s")) continue;
        // `1.5` is low speed, which storage never has: the whole part is enough.
        found.megabits_per_second = static_cast<double>(number_in(speed));
        if (found.megabits_per_second > 0) ports.push_back(std::move(found));
    }
    return ports;
}

std::string controller_in_qtree(std::string_view text) {
    std::string io_apic;
    while (!text.empty()) {
        std::string_view line = trimmed(take_line(text));
        constexpr std::string_view device = "dev: ";
        if (!line.starts_with(device)) continue;
        line.remove_prefix(device.size());
        const std::string_view type = line.substr(0, line.find(','));
        if (is_gic(type)) return std::string(type);
        if (type == "ioapic" || type == "kvm-ioapic") io_apic = type;
    }
    return io_apic;
}

command_line_facts read_options(const std::vector<std::string>& command_line) {
    command_line_facts facts;
    for (std::size_t i = 0; i < command_line.size(); ++i) {
        std::string_view word = command_line[i];
        const std::string_view program = word.substr(word.rfind('/') + 1);
        constexpr std::string_view system = "qemu-system-";
        if (facts.arch.empty() && program.starts_with(system)) {
            facts.arch = program.substr(system.size());
            facts.arch.resize(std::min(facts.arch.find_first_of("-. "), facts.arch.size()));
        }
        if (i + 1 == command_line.size()) break;
        if (word.starts_with("--")) word.remove_prefix(1);
        const std::string_view argument = command_line[i + 1];
        if (word == "-machine" || word == "-M") {
            read_machine(argument, facts);
        } else if (word == "-accel") {
            read_accelerator(argument, facts);
        } else if (word == "-enable-kvm") {
            if (facts.accelerator.empty()) facts.accelerator = "kvm";
            continue;
        } else if (word == "-drive" || word == "-blockdev") {
            read_drive(argument, word == "-blockdev", facts);
        } else if (word == "-D") {
            facts.log_file = argument;
        } else {
            continue;
        }
        ++i;  // the argument is no flag, whatever it looks like
    }
    return facts;
}

void apply_usb_list(vm_facts& vm, const std::vector<usb_storage_port>& ports) {
    std::vector<const usb_storage_port*> left;
    std::vector<drive_facts*> open;
    for (drive_facts& drive : vm.drives) {
        if (drive.info.attachment.device != "usb-storage") continue;
        const std::string_view id = id_in(drive.info.identity.qdev);
        const auto same = std::find_if(ports.begin(), ports.end(),
                                       [id](const usb_storage_port& port) { return !id.empty() && port.id == id; });
        if (same != ports.end()) {
            drive.usb_megabits_per_second = same->megabits_per_second;
        } else {
            open.push_back(&drive);
        }
    }
    for (const usb_storage_port& port : ports) {
        const bool is_matched =
            !port.id.empty() && std::any_of(vm.drives.begin(), vm.drives.end(), [&](const auto& drive) {
                return drive.usb_megabits_per_second && id_in(drive.info.identity.qdev) == port.id;
            });
        if (!is_matched) left.push_back(&port);
    }
    const bool is_one_speed = std::all_of(left.begin(), left.end(), [&](const usb_storage_port* port) {
        return port->megabits_per_second == left.front()->megabits_per_second;
    });
    if (!left.empty() && is_one_speed && open.size() <= left.size() && !open.empty()) {
        for (drive_facts* drive : open) drive->usb_megabits_per_second = left.front()->megabits_per_second;
        return;
    }
    for (const usb_storage_port* port : left) {
        if (port->megabits_per_second <= full_speed_megabits) ++vm.unmatched_full_speed;
    }
}

void apply_command_line(vm_facts& vm, const command_line_facts& options) {
    if (vm.identity.arch.empty()) vm.identity.arch = options.arch;
    if (vm.identity.machine.empty()) vm.identity.machine = options.machine;
    if (vm.identity.accelerator.empty()) vm.identity.accelerator = options.accelerator;
    const bool is_open = vm.controller == interrupt_controller::unknown && vm.identity.accelerator != "tcg";
    if (is_open && !options.kernel_irqchip.empty()) {
        // `split` keeps the local APICs, which take the interrupts of PCI devices, in the kernel.
        vm.controller =
            options.kernel_irqchip == "off" ? interrupt_controller::emulated : interrupt_controller::in_kernel;
        vm.controller_type = "kernel-irqchip=" + options.kernel_irqchip;
    }
    for (drive_facts& drive : vm.drives) {
        for (const drive_option& option : options.drives) {
            const drive_identity& identity = drive.info.identity;
            if (option.name != identity.device && (!identity.device.empty() || option.name != identity.node_name))
                continue;
            drive.aio = option.aio;
            drive.is_cdrom = option.is_cdrom;
        }
    }
}

void conclude_from_controller(vm_facts& vm) {
    std::string& accelerator = vm.identity.accelerator;
    if (accelerator.empty()) {
        for (const std::string_view one : {"kvm", "hvf", "whpx"}) {
            if (vm.controller_type.starts_with(std::string(one) + "-")) accelerator = one;
        }
    }
    if (vm.identity.arch.empty()) {
        if (is_gic(vm.controller_type)) vm.identity.arch = "aarch64";
        if (vm.controller_type.ends_with("apic")) vm.identity.arch = "x86_64";
    }
    // TCG has nothing in the kernel.
    if (accelerator == "tcg") vm.controller = interrupt_controller::emulated;
    if (vm.gic_version.empty() && is_gic(vm.controller_type)) {
        vm.gic_version = vm.controller_type.ends_with("v3") ? "3" : "2";
    }
}

}  // namespace qmpwatch::sample
