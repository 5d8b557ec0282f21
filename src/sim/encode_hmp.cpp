// Every line ends with \r\n: QEMU's monitor puts a \r before each \n.
#include "sim/encode_hmp.hpp"

#include "base/format.hpp"

#include <fmt/format.h>

namespace qmpwatch::sim {
namespace {

struct qtree_writer {
    std::string& out;

    void line(std::size_t depth, std::string_view text) {
        out.append(2 * depth, ' ');
        out += text;
        out += "\r\n";
    }

    void properties(std::size_t depth, const drive_spec& drive, bool owns_drive) {
        const std::string& backend = drive.device.empty() ? drive.node_name : drive.device;
        line(depth, fmt::format("drive = \"{}\"", owns_drive ? backend : std::string()));
        line(depth, "backend_defaults = \"auto\"");
        line(depth, "logical_block_size = 512 (512 B)");
        line(depth, "physical_block_size = 512 (512 B)");
        line(depth, "write-cache = \"auto\"");
        line(depth, "share-rw = false");
        line(depth, "account-invalid = \"auto\"");
        line(depth, "account-failed = \"auto\"");
    }
};

std::string id_of(const drive_spec& drive) {
    constexpr std::string_view folder = "/machine/peripheral/";
    std::string_view path = drive.qdev;
    if (path.substr(0, folder.size()) == folder) {
        path.remove_prefix(folder.size());
        return std::string(path.substr(0, path.find('/')));
    }
    return path.empty() || path.front() == '/' ? std::string() : drive.qdev;
}

}  // namespace

void encode_banner(std::string& out, const version& which) {
    base::append(out, "QEMU {}.{}.{} monitor - type 'help' for more information\r\n{}", which.major, which.minor,
                 which.micro, hmp_prompt);
}

void line_editor::redraw(std::string& echo) const {
    for (std::size_t column = 0; column < drawn_; ++column) echo += "\x1b[D";
    echo += text_;
    echo += "\x1b[K";
}

bool line_editor::take(char byte, std::string& echo) {
    if (escape_ == escape::started) {
        escape_ = byte == '[' || byte == 'O' ? escape::in_sequence : escape::none;
        return false;
    }
    if (escape_ == escape::in_sequence) {
        if (byte < '0' || byte > '9') escape_ = escape::none;
        return false;
    }
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '\n' || byte == '\r') {
        entered_ = std::move(text_);
        text_.clear();
        drawn_ = 0;
        echo += "\r\n";
        return true;
    }
    if (code == 0x1b) {
        escape_ = escape::started;
        return false;
    }
    if (code == 0x08 || code == 0x7f) {
        if (text_.empty()) return false;
        text_.pop_back();
    } else if (code >= 0x20 && text_.size() < longest_line) {
        text_ += byte;
    } else {
        return false;
    }
    redraw(echo);
    drawn_ = text_.size();
    return false;
}

void encode_hmp_blockstats(std::string& out, const drive_spec& drive, const counters& counted, const version& which) {
    if (which.at_least(11, 0)) {
        base::append(out, "{}: idle_time_ns={}\r\n", drive.device, counted.idle_ns.value_or(0));
        base::append(out, "{:>31}{:>17}{:>25}{:>11}\r\n", "bytes", "operations", "total_time_ns", "merged");
        base::append(out, "{:<6}{:>25}{:>17}{:>25}{:>11}\r\n", "Read:", counted.read_bytes, counted.reads,
                     counted.read_ns, counted.reads_merged);
        base::append(out, "{:<6}{:>25}{:>17}{:>25}{:>11}\r\n", "Write:", counted.write_bytes, counted.writes,
                     counted.write_ns, counted.writes_merged);
        base::append(out, "{:<6}{:>42}{:>25}\r\n", "Flush:", counted.flushes, counted.flush_ns);
        return;
    }
    base::append(
        out,
        "{}: rd_bytes={} wr_bytes={} rd_operations={} wr_operations={} flush_operations={} wr_total_time_ns={} "
        "rd_total_time_ns={} flush_total_time_ns={} rd_merged={} wr_merged={} idle_time_ns={}\r\n",
        drive.device, counted.read_bytes, counted.write_bytes, counted.reads, counted.writes, counted.flushes,
        counted.write_ns, counted.read_ns, counted.flush_ns, counted.reads_merged, counted.writes_merged,
        counted.idle_ns.value_or(0));
}

void encode_hmp_block(std::string& out, const drive_spec& drive) {
    if (!drive.inserted) {
        base::append(out, "{}: [not inserted]\r\n", drive.device);
    } else {
        if (drive.device.empty()) {
            base::append(out, "{}: ", drive.node_name);
        } else {
            base::append(out, "{} ({}): ", drive.device, drive.node_name);
        }
        base::append(out, "{} ({}{})\r\n", drive.file, drive.format, drive.read_only ? ", read-only" : "");
    }
    if (!drive.qdev.empty()) base::append(out, "    Attached to:      {}\r\n", drive.qdev);
    if (drive.is_removable()) out += "    Removable device: not locked, tray closed\r\n";
    if (drive.inserted) {
        base::append(out, "    Cache mode:       {}{}{}\r\n", drive.cache_writeback ? "writeback" : "writethrough",
                     drive.cache_direct ? ", direct" : "", drive.cache_no_flush ? ", ignore flushes" : "");
    }
    if (drive.limit_bytes_per_second > 0 || drive.limit_operations_per_second > 0) {
        base::append(out,
                     "    I/O throttling:   bps={} bps_rd=0 bps_wr=0 bps_max=0 bps_rd_max=0 bps_wr_max=0 iops={} "
                     "iops_rd=0 iops_wr=0 iops_max=0 iops_rd_max=0 iops_wr_max=0 iops_size=0 group={}\r\n",
                     drive.limit_bytes_per_second, drive.limit_operations_per_second,
                     drive.device.empty() ? drive.node_name : drive.device);
    }
}

void encode_hmp_qtree(std::string& out, const scenario& vm) {
    qtree_writer tree{out};
    tree.line(0, "bus: main-system-bus");
    tree.line(1, "type System");
    tree.line(1, vm.arch == "aarch64" ? "dev: gpex-pcihost, id \"\"" : "dev: q35-pcihost, id \"\"");
    tree.line(2, "bus: pcie.0");
    tree.line(3, "type PCIE");
    std::size_t usb = 0;
    bool controller = false;
    for (const drive_spec& drive : vm.drives) {
        const std::string id = id_of(drive);
        switch (drive.kind) {
            case guest_device::virtio_blk:
                tree.line(3, fmt::format("dev: virtio-blk-pci, id \"{}\"", id));
                tree.line(4, "ioeventfd = true");
                tree.line(4, "bus: virtio-bus");
                tree.line(5, "type virtio-pci-bus");
                tree.line(5, "dev: virtio-blk-device, id \"\"");
                tree.properties(6, drive, true);
                break;
            case guest_device::nvme:
                tree.line(3, fmt::format("dev: nvme, id \"{}\"", id));
                tree.properties(4, drive, true);
                tree.line(4, "bus: nvme-bus.0");
                tree.line(5, "type nvme-bus");
                break;
            case guest_device::ide_cd:
                tree.line(3, "dev: ich9-ahci, id \"\"");
                tree.line(4, "bus: ide.0");
                tree.line(5, "type IDE");
                tree.line(5, fmt::format("dev: ide-cd, id \"{}\"", id));
                tree.properties(6, drive, true);
                break;
            case guest_device::scsi_cd:
                tree.line(3, "dev: virtio-scsi-pci, id \"vscsi\"");
                tree.line(4, "bus: virtio-bus");
                tree.line(5, "type virtio-pci-bus");
                tree.line(5, "dev: virtio-scsi-device, id \"\"");
                tree.line(6, "bus: vscsi.0");
                tree.line(7, "type SCSI");
                tree.line(7, fmt::format("dev: scsi-cd, id \"{}\"", id));
                tree.properties(8, drive, true);
                break;
            case guest_device::other: {
                const std::size_t depth = drive.controller.empty() ? 3 : 5;
                if (!drive.controller.empty()) {
                    tree.line(3, fmt::format("dev: {}, id \"\"", drive.controller));
                    tree.line(4, "bus: bus.0");
                    tree.line(5, "type bus");
                }
                tree.line(depth, fmt::format("dev: {}, id \"{}\"", drive.type, id));
                tree.properties(depth + 1, drive, true);
                break;
            }
            case guest_device::usb_storage:
                if (!controller) {
                    tree.line(3, fmt::format("dev: {}, id \"xhci\"",
                                             drive.controller.empty() ? "qemu-xhci" : drive.controller));
                    tree.line(4, "bus: xhci.0");
                    tree.line(5, "type usb-bus");
                    controller = true;
                    for (const drive_spec& other : vm.drives) {
                        if (other.kind != guest_device::usb_storage) continue;
                        const std::string other_id = id_of(other);
                        const std::string bus = other_id.empty() ? "scsi" : other_id;
                        tree.line(5, fmt::format("dev: usb-storage, id \"{}\"", other_id));
                        tree.properties(6, other, false);
                        ++usb;
                        tree.line(6,
                                  fmt::format("addr 0.{}, port {}, speed 5000, name QEMU USB MSD, attached", usb, usb));
                        tree.line(6, fmt::format("bus: {}.0", bus));
                        tree.line(7, "type SCSI");
                        tree.line(7, "dev: scsi-hd, id \"\"");
                        tree.properties(8, other, true);
                    }
                }
                break;
        }
    }
}

void encode_hmp_status(std::string& out, std::string_view status) {
    if (status == "running") {
        out += "VM status: running\r\n";
    } else if (status == "paused") {
        out += "VM status: paused\r\n";
    } else {
        base::append(out, "VM status: paused ({})\r\n", status);
    }
}

}  // namespace qmpwatch::sim
