#include "stall/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

namespace qmpwatch::stall {

namespace {

using sample::drive_facts;
using sample::interrupt_controller;
using sample::qemu_version;
using sample::vm_facts;

/// The oldest and the newest QEMU in which the race has been seen, and the first with the code that has it.
constexpr qemu_version race_oldest_source{6, 0, 0};
constexpr qemu_version race_oldest_seen{7, 2, 0};
constexpr qemu_version race_newest_seen{11, 1, 3};

constexpr double full_speed_megabits = 12;

// ------------------------------------------------------------------ kernel-irqchip=off

/// What the option does, by what is known of the VM; the first row that fits counts. An empty text fits anything.
struct irqchip_rule {
    std::string_view accelerator, arch, gic_version;
    irqchip_off then;
};
constexpr std::array<irqchip_rule, 9> irqchip_rules{{
    {"tcg", "", "", irqchip_off::no_effect},
    {"whpx", "", "", irqchip_off::no_boot},
    {"hvf", "aarch64", "", irqchip_off::works},
    {"hvf", "x86_64", "", irqchip_off::no_effect},
    {"kvm", "x86_64", "", irqchip_off::works},
    {"kvm", "i386", "", irqchip_off::works},
    {"kvm", "aarch64", "2", irqchip_off::works},
    {"kvm", "aarch64", "3", irqchip_off::refused},
    {"kvm", "aarch64", "4", irqchip_off::refused},
}};

bool fits(std::string_view rule, std::string_view value) { return rule.empty() || rule == value; }

/// The machine as people write it after -machine: pc-q35-7.2 is q35, virt-11.1 is virt.
std::string short_machine(std::string_view machine) {
    if (machine.starts_with("pc-q35")) return "q35";
    if (machine.starts_with("pc-i440fx")) return "pc";
    if (machine.starts_with("virt")) return "virt";
    return std::string(machine.empty() ? std::string_view("MACHINE") : machine);
}

std::string irqchip_option(const vm_facts& vm) {
    return fmt::format("-machine {},kernel-irqchip=off", short_machine(vm.identity.machine));
}

std::string controller_text(const vm_facts& vm) {
    const std::string type = vm.controller_type.empty() ? std::string() : fmt::format(" ({})", vm.controller_type);
    switch (vm.controller) {
        case interrupt_controller::in_kernel:
            return fmt::format(
                "the interrupt controller is in the kernel{}, so the guest is interrupted at once and can "
                "ask for the status before QEMU is ready for it",
                type);
        case interrupt_controller::emulated:
            return fmt::format(
                "the interrupt controller is emulated{}: the guest learns of the data later, which makes a "
                "loss much less likely; a guest that asks for data and status together still loses",
                type);
        case interrupt_controller::unknown: break;
    }
    return "the monitor does not tell where the interrupt controller is";
}

// ------------------------------------------------------------------ rules for one drive

bool is_usb_storage(const drive_facts& drive) { return drive.info.attachment.device == "usb-storage"; }
bool is_nvme(const drive_facts& drive) { return drive.info.attachment.device.starts_with("nvme"); }

/// A disc, or an image that is only read: what one installs from.
bool is_install_medium(const drive_facts& drive) {
    const std::string& file = drive.info.media.file;
    return drive.info.media.read_only || drive.is_cdrom || drive.settings.is_overlay || file.ends_with(".iso") ||
           file.ends_with(".ISO");
}

/// Setup reads from an NVMe image; it hangs with the emulated interrupt controller.
bool has_nvme_install_medium(const vm_facts& vm) {
    return std::any_of(vm.drives.begin(), vm.drives.end(), [](const drive_facts& drive) {
        return is_nvme(drive) && drive.info.media.inserted && is_install_medium(drive);
    });
}

std::string drive_option(const drive_facts& drive, std::string_view rest) {
    std::string file = drive.info.media.file;
    if (file.empty() || file.starts_with("json:")) file = "FILE";
    for (std::size_t at = 0; (at = file.find(',', at)) != std::string::npos; at += 2) file.insert(at, ",");
    const std::string& id = drive.info.identity.device;
    return fmt::format("-drive if=none,id={},file={}{}", id.empty() ? "ID" : id, file, rest);
}

/// What to say of kernel-irqchip=off; none when it is no question.
std::optional<remedy> irqchip_remedy(const vm_facts& vm) {
    switch (judge_irqchip_off(vm)) {
        case irqchip_off::works:
            if (has_nvme_install_medium(vm)) {
                return remedy{
                    "Do not add kernel-irqchip=off here: Setup hangs with it when it installs from an NVMe image", ""};
            }
            return remedy{
                "Let QEMU make the interrupts for the time of the installation (add it to your -machine). The VM is "
                "a little slower with it: take it away afterwards. Not together with an installation from an NVMe "
                "image: Setup hangs then",
                irqchip_option(vm)};
        case irqchip_off::refused:
            return remedy{"kernel-irqchip=off is no way out here: under KVM QEMU refuses to start a GICv3 with it", ""};
        case irqchip_off::no_boot:
            return remedy{"kernel-irqchip=off is no way out here: under WHPX the guest does not boot with it", ""};
        case irqchip_off::already:
        case irqchip_off::no_effect:
        case irqchip_off::unknown: break;
    }
    return std::nullopt;
}

std::string version_text(const vm_facts& vm, const std::optional<qemu_version>& version) {
    const std::string& text = vm.identity.version;
    if (!version) return "the version of QEMU is not known; 7.2 to 11.1.3 have the race";
    if (*version < race_oldest_source)
        return fmt::format("QEMU {} is older than the code that is known to have the race", text);
    if (*version < race_oldest_seen)
        return fmt::format("QEMU {} has the same code as 7.2, where the race was reproduced", text);
    if (*version <= race_newest_seen)
        return fmt::format("QEMU {} has the race: it was reproduced from 7.2 to 11.1.3", text);
    return fmt::format("QEMU {} is newer than 11.1.3, the last one that is known to have the race", text);
}

void find_lost_completions(const vm_facts& vm, const drive_facts& drive, std::vector<finding>& out) {
    if (!is_usb_storage(drive) || !drive.info.media.inserted) return;
    const auto version = sample::parse_version(vm.identity.version);
    const bool is_version_affected = !version || (*version >= race_oldest_source && *version <= race_newest_seen);
    finding found;
    found.id = "usb_storage_lost_completion";
    found.title =
        "usb-storage can lose the status of a finished read; the guest then waits (Windows 10 s, Linux 30 s), "
        "resets the drive and reads again";
    found.certainty = certainty::possible;
    found.severity = severity::warning;
    if (drive.has_lost_completions) {
        found.severity = severity::problem;
        found.certainty = certainty::known;
        found.title =
            "usb-storage loses the status of finished reads; the guest waits (Windows 10 s, Linux 30 s), resets the "
            "drive and reads again";
        found.known.push_back(drive.are_losses_shared
                                  ? "it has happened while qmpwatch looked, to this or another usb-storage "
                                    "drive: QEMU's log does not say which"
                                  : "it has happened while qmpwatch looked");
    } else if (vm.controller == interrupt_controller::emulated) {
        found.severity = severity::info;
    } else if (vm.controller == interrupt_controller::in_kernel && is_version_affected) {
        found.certainty = certainty::likely;
    }
    found.known.push_back(fmt::format("the {} is attached as usb-storage{}",
                                      is_install_medium(drive) ? "install medium" : "drive",
                                      drive.info.attachment.bus.empty() ? "" : " on " + drive.info.attachment.bus));
    found.known.push_back(version_text(vm, version));
    found.known.push_back(controller_text(vm));
    found.known.push_back("another USB controller is no cure: EHCI and xHCI lose alike");

    if (auto irqchip = irqchip_remedy(vm)) found.remedies.push_back(std::move(*irqchip));
    if (is_install_medium(drive)) {
        found.remedies.push_back(
            {"Install from an NVMe drive instead: an image with the files of the medium (FAT32, install.wim split into "
             ".swm "
             "files; not the ISO itself). With snapshot=on the image stays as it is and writes go to a temporary file; "
             "never "
             "readonly=on or media=cdrom, which NVMe answers with errors",
             "-drive if=none,id=setup,format=raw,file=IMAGE,snapshot=on -device nvme,drive=setup,serial=setup"});
    } else {
        found.remedies.push_back({"Attach the drive in another way, if its guest has the driver",
                                  fmt::format("-device virtio-blk-pci,drive={}",
                                              drive.info.identity.device.empty() ? "ID" : drive.info.identity.device)});
    }
    std::string fixed = "No QEMU release with a fix is known: see whether one is by now in QEMU's work item 4658 "
                        "(https://gitlab.com/qemu-project/qemu/-/work_items/4658)";
    if (vm.identity.accelerator == "hvf") fixed += ". UTM is said to have it fixed from 5.0.8 on";
    found.remedies.push_back({std::move(fixed), ""});
    if (!drive.has_lost_completions) {
        found.proof = "read from the drive while `qmpwatch doctor --prove` looks, which counts the lost ones";
        if (judge_irqchip_off(vm) == irqchip_off::works && !has_nvme_install_medium(vm)) {
            found.proof += "; or compare one run with kernel-irqchip=off";
        }
    }
    out.push_back(std::move(found));
}

finding full_speed(std::string drive) {
    finding found;
    found.id = "usb_full_speed_hub";
    found.severity = severity::warning;
    found.certainty = certainty::known;
    found.drive = std::move(drive);
    found.title = "a usb-storage drive sits behind a full-speed hub of 12 Mb/s";
    found.known = {"QEMU adds such a hub by itself when the controller has no port left"};
    found.remedies = {{"Give the controller more ports, or the drive a port of its own (usb-storage,port=N)",
                       "-device qemu-xhci,id=xhci,p2=8,p3=8"}};
    found.proof = "`info usb` in the monitor shows 12 Mb/s for it, and 5000 or 480 Mb/s when it is right";
    return found;
}

void find_full_speed(const vm_facts&, const drive_facts& drive, std::vector<finding>& out) {
    if (!drive.usb_megabits_per_second || *drive.usb_megabits_per_second > full_speed_megabits) return;
    finding found = full_speed({});
    found.known.insert(found.known.begin(), fmt::format("its port has {:g} Mb/s", *drive.usb_megabits_per_second));
    out.push_back(std::move(found));
}

void find_limits(const vm_facts&, const drive_facts& drive, std::vector<finding>& out) {
    const sample::io_limits& limits = drive.settings.limits;
    if (!limits.any()) return;
    struct named_limit {
        std::uint64_t value;
        std::string_view text;
    };
    const std::array<named_limit, 6> all{{{limits.bytes_per_second, "{} bytes a second"},
                                          {limits.read_bytes_per_second, "{} bytes read a second"},
                                          {limits.write_bytes_per_second, "{} bytes written a second"},
                                          {limits.operations_per_second, "{} operations a second"},
                                          {limits.reads_per_second, "{} reads a second"},
                                          {limits.writes_per_second, "{} writes a second"}}};
    finding found;
    found.id = "throttled";
    found.severity = severity::warning;
    found.certainty = certainty::known;
    found.title = "QEMU itself holds the drive back: it has throttling limits";
    for (const named_limit& one : all) {
        if (one.value != 0) found.known.push_back("at most " + fmt::format(fmt::runtime(one.text), one.value));
    }
    found.remedies = {
        {"Leave throttling.* out of -drive, or -object throttle-group; on a VM that runs, in the monitor (HMP):",
         fmt::format("block_set_io_throttle {} 0 0 0 0 0 0",
                     drive.info.identity.device.empty() ? "DEVICE" : drive.info.identity.device)}};
    out.push_back(std::move(found));
}

/// The cache modes that cost speed or safety.
struct cache_rule {
    std::string_view mode;
    bool for_read_only, for_writable;
    stall::severity severity;
    stall::certainty certainty;
    std::string_view title, known;
};
constexpr std::array<cache_rule, 4> cache_rules{{
    {"writethrough", false, true, severity::warning, certainty::likely,
     "each write waits until the host has it on its disk", "cache=writethrough flushes after every write"},
    {"directsync", false, true, severity::warning, certainty::likely,
     "each write waits until the host has it on its disk",
     "cache=directsync flushes after every write and goes around the host's page cache"},
    {"none", true, false, severity::info, certainty::possible, "what is read again comes from the host's disk again",
     "the medium is only read, and cache=none goes around the host's page cache and its read-ahead"},
    {"unsafe", false, true, severity::info, certainty::known, "the drive is fast but not safe: flushes are ignored",
     "cache=unsafe loses what was written when the host crashes; for an installation that can be repeated that is "
     "fine"},
}};

void find_cache(const vm_facts&, const drive_facts& drive, std::vector<finding>& out) {
    // snapshot=on has cache=unsafe by itself, and a temporary file needs no flushes.
    if (!drive.info.media.cache || drive.settings.is_overlay) return;
    const std::string_view mode = sample::name(*drive.info.media.cache);
    for (const cache_rule& rule : cache_rules) {
        if (rule.mode != mode || !(drive.info.media.read_only ? rule.for_read_only : rule.for_writable)) continue;
        finding found;
        found.id = "cache_mode";
        found.severity = rule.severity;
        found.certainty = rule.certainty;
        found.title = rule.title;
        found.known = {std::string(rule.known)};
        if (!drive.info.media.cache->writeback && drive.info.attachment.device.starts_with("virtio-blk")) {
            // QEMU switches it on for a virtio-blk driver that knows no flushes, and off again for the next one.
            found.severity = severity::info;
            found.certainty = certainty::possible;
            found.known.emplace_back(
                "the guest's virtio-blk driver may have brought it about, as firmware does while it boots");
        }
        found.remedies = {{"QEMU's default is writeback", drive_option(drive, ",cache=writeback")}};
        out.push_back(std::move(found));
    }
}

void find_aio(const vm_facts& vm, const drive_facts& drive, std::vector<finding>& out) {
    // native and io_uring are Linux's; with the page cache in between, threads are no worse.
    const bool may_be_linux = vm.identity.accelerator == "kvm" || vm.identity.accelerator == "tcg";
    if (drive.aio != "threads" || !may_be_linux || !drive.info.media.cache || !drive.info.media.cache->direct) return;
    if (drive.info.media.file.find("://") != std::string::npos) return;
    finding found;
    found.id = "aio_threads";
    found.severity = severity::info;
    found.certainty = certainty::possible;
    found.title = "with cache=none the host's own asynchronous I/O is usually faster than QEMU's threads";
    found.known = {"the drive goes around the page cache and has aio=threads, which is QEMU's default"};
    found.remedies = {{"Let the kernel do it (io_uring needs Linux 5.1 and a QEMU built with it; else native)",
                       drive_option(drive, ",cache=none,aio=io_uring")}};
    out.push_back(std::move(found));
}

void find_read_only_nvme(const vm_facts&, const drive_facts& drive, std::vector<finding>& out) {
    if (!is_nvme(drive) || !drive.info.media.inserted || !(drive.info.media.read_only || drive.is_cdrom)) return;
    finding found;
    found.id = "nvme_read_only";
    found.severity = severity::warning;
    found.certainty = certainty::likely;
    found.title = "an NVMe drive that cannot be written: guests do not expect that";
    found.known = {
        drive.is_cdrom ? "media=cdrom makes the drive read-only" : "the drive is read-only",
        "NVMe has no CD drives: the guest writes all the same, QEMU answers with an error (aio failed: Operation not "
        "permitted), and Windows shows the volume as RAW"};
    found.remedies = {
        {"Make it writable; with snapshot=on the image stays as it is", drive_option(drive, ",snapshot=on")}};
    out.push_back(std::move(found));
}

/// Drives stay in their order among equals. Not std::stable_sort, which needs a function that C++17 has deprecated.
std::vector<finding> worst_first(std::vector<finding> findings) {
    std::vector<std::size_t> order(findings.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&findings](std::size_t a, std::size_t b) {
        return findings[a].severity != findings[b].severity ? findings[a].severity > findings[b].severity : a < b;
    });
    std::vector<finding> sorted;
    for (const std::size_t each : order) sorted.push_back(std::move(findings[each]));
    return sorted;
}

using rule = void (*)(const vm_facts&, const drive_facts&, std::vector<finding>&);
constexpr std::array<rule, 6> rules{find_lost_completions, find_full_speed, find_limits,
                                    find_read_only_nvme,   find_cache,      find_aio};

}  // namespace

std::string_view name(severity how_bad) {
    switch (how_bad) {
        case severity::info: return "info";
        case severity::warning: return "warning";
        case severity::problem: return "problem";
    }
    return "";
}

std::string_view name(certainty how_sure) {
    switch (how_sure) {
        case certainty::possible: return "possible";
        case certainty::likely: return "likely";
        case certainty::known: return "known";
    }
    return "";
}

irqchip_off judge_irqchip_off(const vm_facts& vm) {
    const std::string& accelerator = vm.identity.accelerator;
    if (vm.controller == interrupt_controller::emulated && accelerator != "tcg") return irqchip_off::already;
    for (const irqchip_rule& one : irqchip_rules) {
        if (fits(one.accelerator, accelerator) && fits(one.arch, vm.identity.arch) &&
            fits(one.gic_version, vm.gic_version)) {
            return one.then;
        }
    }
    return irqchip_off::unknown;
}

std::vector<finding> advise(const vm_facts& vm) {
    std::vector<finding> findings;
    for (const drive_facts& drive : vm.drives) {
        const std::size_t before = findings.size();
        for (const rule look : rules) look(vm, drive, findings);
        for (std::size_t i = before; i < findings.size(); ++i) {
            findings[i].drive = sample::drive_name(drive.info.identity);
        }
    }
    if (vm.unmatched_full_speed > 0) {
        finding found = full_speed({});
        found.known.insert(
            found.known.begin(),
            fmt::format("{} usb-storage {} 12 Mb/s; the devices have no id, so nobody knows which",
                        vm.unmatched_full_speed, vm.unmatched_full_speed == 1 ? "drive has" : "drives have"));
        findings.push_back(std::move(found));
    }
    return worst_first(std::move(findings));
}

}  // namespace qmpwatch::stall
