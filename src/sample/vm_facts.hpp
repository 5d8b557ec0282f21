// What a look at a VM finds out for advice: settings of its drives, its interrupt controller, where it logs.
#pragma once

#include "sample/drive.hpp"
#include "sample/vm.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::sample {

/// The numbers of QEMU's version.
struct qemu_version {
    int major = 0;
    int minor = 0;
    int micro = 0;

    friend auto operator<=>(const qemu_version&, const qemu_version&) = default;
};

/// Reads 7.2.22 and what begins like it; none when it does not begin with two numbers.
std::optional<qemu_version> parse_version(std::string_view text);

/// Where the guest's interrupts are made: in the host's kernel (or hypervisor), or in QEMU.
enum class interrupt_controller : std::uint8_t { unknown, in_kernel, emulated };

/// What a QOM type says: kvm-apic, kvm-arm-gicv3, hvf-arm-gicv3 and whpx-... are in the kernel, apic, arm_gic and
/// arm-gicv3 are emulated. Unknown for anything else.
interrupt_controller controller_of_type(std::string_view type);

/// The throttling limits of a drive, 0 for none. A total counts reads and writes together.
struct io_limits {
    std::uint64_t bytes_per_second = 0, read_bytes_per_second = 0, write_bytes_per_second = 0;
    std::uint64_t operations_per_second = 0, reads_per_second = 0, writes_per_second = 0;

    bool any() const {
        return (bytes_per_second | read_bytes_per_second | write_bytes_per_second | operations_per_second |
                reads_per_second | writes_per_second) != 0;
    }
    friend bool operator==(const io_limits&, const io_limits&) = default;
};

/// The host's side of a drive.
struct drive_settings {
    io_limits limits;
    bool is_overlay = false;  ///< snapshot=on: writes go to a temporary file

    friend bool operator==(const drive_settings&, const drive_settings&) = default;
};

/// The settings in the JSON text of query-block's reply, one for each entry that decode_query_block gives, in its
/// order. Empty when it is no array.
std::vector<drive_settings> decode_drive_settings(std::string_view json);

/// The same for `info block`, in the order of decode_hmp_info_block.
std::vector<drive_settings> decode_hmp_drive_settings(std::string_view text);

/// A USB mass storage device in what x-query-usb and `info usb` print.
struct usb_storage_port {
    std::string id;  ///< of the device; empty when it has none
    std::string port;  ///< 4.1 is port 1 of the hub at port 4
    double megabits_per_second = 0;

    friend bool operator==(const usb_storage_port&, const usb_storage_port&) = default;
};

/// Reads that list. Never fails: what cannot be read is left out.
std::vector<usb_storage_port> decode_usb_list(std::string_view text);

/// The type of the interrupt controller in HMP's `info qtree`: a GIC, else the I/O APIC; empty when there is neither.
std::string controller_in_qtree(std::string_view text);

/// What QEMU's command line says of a -drive or a -blockdev.
struct drive_option {
    std::string name;  ///< the id, or the node name
    std::string aio;  ///< threads (also when QEMU's default), native, io_uring; empty: another option tells
    bool is_cdrom = false;  ///< media=cdrom

    friend bool operator==(const drive_option&, const drive_option&) = default;
};

/// What QEMU's command line says; fields that it does not mention are empty.
struct command_line_facts {
    std::string arch;  ///< from the program's name: qemu-system-aarch64
    std::string machine;  ///< of -machine
    std::string accelerator;  ///< the first of accel= or -accel
    std::string kernel_irqchip;  ///< on, off, split
    std::string log_file;  ///< of -D
    std::vector<drive_option> drives;
};

/// Reads a command line, word by word.
command_line_facts read_options(const std::vector<std::string>& command_line);

/// A drive with all that advice may depend on.
struct drive_facts {
    drive_info info;
    drive_settings settings;
    std::optional<double> usb_megabits_per_second;  ///< of its USB port
    std::string aio;  ///< threads, native or io_uring where the command line tells; else empty
    bool is_cdrom = false;  ///< media=cdrom on the command line; the guest need not see a CD drive
    bool has_lost_completions = false;  ///< it was seen to lose them,
    bool are_losses_shared = false;  ///< or another usb-storage drive of the VM was: nobody can tell
};

/// A VM with all that advice may depend on.
struct vm_facts {
    vm_identity identity;
    interrupt_controller controller = interrupt_controller::unknown;
    std::string controller_type;  ///< QOM's name of it, or the option that says where it is; may be empty
    std::string gic_version;  ///< 2, 3 or 4 on Arm machines that tell; else empty
    std::vector<drive_facts> drives;
    /// USB storage devices with 12 Mb/s of which nobody knows which drive they are.
    int unmatched_full_speed = 0;
};

/// Puts the speeds of USB ports on the drives they belong to: by the id of the device, or for all drives that are left
/// when all devices that are left have one speed. Sets unmatched_full_speed.
void apply_usb_list(vm_facts& vm, const std::vector<usb_storage_port>& ports);

/// Puts on the VM what its own answers have left open and its command line tells.
void apply_command_line(vm_facts& vm, const command_line_facts& options);

/// Says of the accelerator and the architecture what the type of the interrupt controller gives away, if nothing else
/// told them.
void conclude_from_controller(vm_facts& vm);

}  // namespace qmpwatch::sample
