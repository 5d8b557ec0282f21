// The VM's state, and the QOM objects that clients walk through to find out how a drive is attached.
#include "sim/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace qmpwatch::sim {
namespace {

std::string json_string(std::string_view text) { return fmt::format("\"{}\"", text); }

/// QEMU resolves an id below /machine/peripheral.
std::string full_path(const std::string& qdev) {
    return qdev.empty() || qdev.front() == '/' ? qdev : "/machine/peripheral/" + qdev;
}

std::string parent_of(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

}  // namespace

std::string cpu_path(unsigned index) {
    // The numbers between are those of other devices.
    return fmt::format("/machine/unattached/device[{}]", index == 0 ? 0 : 1000 + index);
}

machine::machine(scenario what) : what_(std::move(what)) {
    for (const drive_spec& drive : what_.drives) extras_.push_back({drive.load});
}

void machine::set_status(std::string_view status, nanoseconds now) {
    const bool was_running = running();
    what_.status = std::string(status);
    if (was_running && !running()) paused_at_ = now;
    if (was_running || !running()) return;
    for (std::size_t index = 0; index < what_.drives.size(); ++index) {
        const nanoseconds start = extras_[index].start;
        if (auto* generated = std::get_if<generated_load>(&what_.drives[index].load)) {
            generated->freeze(std::max(paused_at_ - start, nanoseconds(0)), now - start);
        }
    }
}

counters machine::counted(std::size_t index, nanoseconds now) {
    extra& more = extras_[index];
    counters counted;
    if (auto* generated = std::get_if<generated_load>(&what_.drives[index].load)) {
        const nanoseconds until = running() ? now : std::max(std::min(now, paused_at_), more.start);
        counted = generated->at(until - more.start);
        if (counted.idle_ns) *counted.idle_ns += static_cast<std::uint64_t>((now - until).count());
    } else {
        counted = std::get<recorded_load>(what_.drives[index].load).at(now - more.start);
    }
    counted.failed_reads += more.failed_reads;
    counted.failed_writes += more.failed_writes;
    return counted;
}

void machine::add_drive(drive_spec drive, nanoseconds now) {
    extras_.push_back({drive.load, 0, 0, now});
    what_.drives.push_back(std::move(drive));
}

drive_spec* machine::find(std::string_view device) {
    for (drive_spec& drive : what_.drives) {
        if (device == (drive.device.empty() ? drive.qdev : drive.device)) return &drive;
    }
    return nullptr;
}

bool machine::remove_drive(std::string_view device) {
    const drive_spec* drive = find(device);
    if (drive == nullptr) return false;
    const auto index = drive - what_.drives.data();
    what_.drives.erase(what_.drives.begin() + index);
    extras_.erase(extras_.begin() + index);
    return true;
}

bool machine::change_medium(std::string_view device, std::string file) {
    drive_spec* drive = find(device);
    if (drive == nullptr) return false;
    drive->inserted = !file.empty();
    drive->file = std::move(file);
    drive->node_name = fmt::format("#block{}", 2000 + 100 * ++media_changes_);
    return true;
}

bool machine::fail_operation(std::string_view device, bool write) {
    const drive_spec* drive = find(device);
    if (drive == nullptr) return false;
    extra& more = extras_[static_cast<std::size_t>(drive - what_.drives.data())];
    ++(write ? more.failed_writes : more.failed_reads);
    return true;
}

void machine::restart(nanoseconds now) {
    for (std::size_t index = 0; index < what_.drives.size(); ++index) {
        what_.drives[index].load = extras_[index].fresh;
        extras_[index].failed_reads = extras_[index].failed_writes = 0;
        extras_[index].start = now;
    }
    paused_at_ = now;
}

std::vector<qom_node> machine::qom_tree() const {
    std::vector<qom_node> tree;
    const auto add = [&tree](std::string path, std::string type, std::string bus = {}) -> qom_node& {
        const auto same =
            std::find_if(tree.begin(), tree.end(), [&](const qom_node& node) { return node.path == path; });
        if (same != tree.end()) return *same;
        tree.push_back({std::move(path), std::move(type), {}});
        if (!bus.empty()) tree.back().properties.emplace_back("parent_bus", json_string(bus));
        return tree.back();
    };

    const bool arm = what_.arch == "aarch64";
    const bool in_kernel = what_.kernel_irqchip && what_.accelerator != "tcg";
    qom_node& root = add("/machine", what_.machine);
    if (arm) root.properties.emplace_back("gic-version", json_string(what_.gic_version));
    add("/machine/peripheral", "container");
    add("/machine/peripheral-anon", "container");
    add("/machine/unattached", "container");
    add(cpu_path(0), arm ? "host-arm-cpu" : "host-x86_64-cpu");  // a client needs one
    if (arm) {
        const std::string gic = what_.gic_version == "2" ? "gic" : "gicv3";
        const std::string name = what_.gic_version == "2" ? "arm_gic" : "arm-gicv3";
        add("/machine/unattached/device[1]", in_kernel ? what_.accelerator + "-arm-" + gic : name);
    } else {
        add(cpu_path(0) + "/lapic", in_kernel ? "kvm-apic" : "apic");
        add("/machine/q35", "q35-pcihost");
        add("/machine/q35/ioapic", in_kernel ? "kvm-ioapic" : "ioapic");
        add("/machine/unattached/device[2]", in_kernel ? "kvm-i8259" : "isa-i8259");
    }
    const std::string pci = arm ? "/machine/unattached/device[9]/pcie.0" : "/machine/q35/pcie.0";
    add(pci, "PCIE");

    for (const drive_spec& drive : what_.drives) {
        const std::string path = full_path(drive.qdev);
        if (path.empty()) continue;
        switch (drive.kind) {
            case guest_device::usb_storage: {
                const std::string controller =
                    "/machine/peripheral/" + (drive.controller.empty() ? std::string("xhci") : drive.controller);
                add(controller, drive.controller.empty() ? "qemu-xhci" : drive.controller, pci);
                add(controller + "/xhci.0", "usb-bus");
                const std::string bus = parent_of(path);
                add(parent_of(bus), "usb-storage", controller + "/xhci.0");
                add(bus, "SCSI");
                add(path, "scsi-hd", bus);
                break;
            }
            case guest_device::nvme: add(path, "nvme", pci); break;
            case guest_device::virtio_blk:
                add(parent_of(path), "virtio-blk-pci", pci);
                add(parent_of(path) + "/virtio-bus", "virtio-pci-bus");
                add(path, "virtio-blk-device", parent_of(path) + "/virtio-bus");
                break;
            case guest_device::ide_cd:
                add("/machine/unattached/device[15]", "ich9-ahci", pci);
                add("/machine/unattached/device[15]/ide.0", "IDE");
                add(path, "ide-cd", "/machine/unattached/device[15]/ide.0");
                break;
            case guest_device::scsi_cd:
                add("/machine/peripheral/vscsi", "virtio-scsi-pci", pci);
                add("/machine/peripheral/vscsi/virtio-backend", "virtio-scsi-device");
                add("/machine/peripheral/vscsi/virtio-backend/vscsi.0", "SCSI");
                add(path, "scsi-cd", "/machine/peripheral/vscsi/virtio-backend/vscsi.0");
                break;
            case guest_device::other: {
                if (drive.controller.empty()) {
                    add(path, drive.type);
                    break;
                }
                const std::string controller = "/machine/unattached/" + drive.controller;
                add(controller, drive.controller);
                add(controller + "/bus.0", "bus");
                add(path, drive.type, controller + "/bus.0");
                break;
            }
        }
    }
    return tree;
}

}  // namespace qmpwatch::sim
