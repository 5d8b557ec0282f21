#include "stall/signature.hpp"

namespace qmpwatch::stall {

namespace {

using base::milliseconds;

constexpr std::array<band_limits, band_count> limits{{
    {milliseconds(3000), milliseconds(2800), milliseconds(3800), milliseconds(2950), milliseconds(3450)},
    {milliseconds(10000), milliseconds(9500), milliseconds(11500), milliseconds(9950), milliseconds(10450)},
    {milliseconds(30000), milliseconds(29500), milliseconds(32000), milliseconds(29950), milliseconds(31000)},
    {milliseconds(36000), milliseconds(34000), milliseconds(40000), milliseconds(35000), milliseconds(37000)},
    {milliseconds(60000), milliseconds(59000), milliseconds(64000), milliseconds(59950), milliseconds(61500)},
}};

/// Devices with a row of their own start at 0 or not far below; a device that is unknown or has no row for the band
/// takes the row without a device, twenty times less likely (a choice, not data).
constexpr double is_named = 0, is_less_sure = -1.5, is_doubtful = -3, is_unnamed = -3;

constexpr std::string_view lost_csw =
    "QEMU finished a read but never sent its status (CSW); the guest timed out, reset the device and read again";
constexpr std::string_view lost_interrupt =
    "QEMU finished an operation, but its completion or interrupt never reached the guest's driver";

constexpr std::array table{
    signature{band::seconds_10, "usb-storage", is_named, true, "Windows' 10 s CD time-out on usb-storage", lost_csw},
    signature{band::seconds_30, "usb-storage", is_named, false, "Linux' 30 s disk time-out on usb-storage", lost_csw},
    signature{band::seconds_36, "usb-storage", is_less_sure, false,
              "Linux' 30 s disk time-out on usb-storage with a slow reset", lost_csw},
    signature{band::seconds_60, "usb-storage", is_less_sure, false, "a 60 s disk time-out on usb-storage", lost_csw},
    signature{band::seconds_3, "usb-storage", is_doubtful, false, "the firmware's 3 s time-out on usb-storage",
              lost_csw},

    signature{band::seconds_30, "nvme", is_named, false, "Linux' 30 s NVMe time-out", lost_interrupt},
    signature{band::seconds_60, "nvme", is_less_sure, false, "the 60 s NVMe controller reset or a 60 s disk time-out",
              lost_interrupt},
    signature{band::seconds_30, "usb-uas", is_less_sure, false, "Linux' 30 s disk time-out on usb-uas", lost_interrupt},
    signature{band::seconds_30, "scsi-hd", is_less_sure, false, "a 30 s disk time-out of the guest's SCSI driver",
              lost_interrupt},
    signature{band::seconds_30, "scsi-cd", is_less_sure, false, "a 30 s CD time-out of the guest's SCSI driver",
              lost_interrupt},
    signature{band::seconds_30, "ide-hd", is_less_sure, false, "a 30 s disk time-out of the guest's ATA driver",
              lost_interrupt},
    signature{band::seconds_30, "ide-cd", is_less_sure, false, "a 30 s CD time-out of the guest's ATA driver",
              lost_interrupt},
    signature{band::seconds_30, "virtio-blk", is_less_sure, false, "Windows' 30 s time-out of the viostor driver",
              lost_interrupt},
    signature{band::seconds_10, "scsi-cd", is_less_sure, false, "Windows' 10 s CD time-out", lost_interrupt},
    signature{band::seconds_10, "ide-cd", is_less_sure, false, "Windows' 10 s CD time-out", lost_interrupt},

    signature{band::seconds_10, "", is_unnamed, false, "a 10 s time-out of the guest's driver", lost_interrupt},
    signature{band::seconds_30, "", is_unnamed, false, "a 30 s time-out of the guest's driver", lost_interrupt},
    signature{band::seconds_60, "", is_unnamed, false, "a 60 s time-out of the guest's driver", lost_interrupt},
};

}  // namespace

const band_limits& limits_of(band which) { return limits[static_cast<std::size_t>(which)]; }

const signature* find_signature(band which, std::string_view device) {
    const signature* other = nullptr;
    for (const signature& row : table) {
        if (row.band != which) continue;
        if (row.device.empty())
            other = &row;
        else if (row.device == device)
            return &row;
    }
    return other;
}

std::array<const signature*, band_count> signatures_of(std::string_view device) {
    std::array<const signature*, band_count> found{};
    for (std::size_t which = 0; which < band_count; ++which)
        found[which] = find_signature(static_cast<band>(which), device);
    return found;
}

}  // namespace qmpwatch::stall
