// A drive: one block backend of a VM, how the guest sees it, and what is in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::sample {

/// The three names by which QEMU may know a block backend; any of them can be empty.
struct drive_identity {
    std::string device;     ///< the id of -drive; empty for -blockdev
    std::string qdev;       ///< the id or the QOM path of the guest device it is plugged into
    std::string node_name;  ///< the block node; changes with a medium, a snapshot and a restart

    friend bool operator==(const drive_identity&, const drive_identity&) = default;
};

/// The drive's name everywhere in qmpwatch: `device`, else `qdev`, else `node-name`. Never node-name first: it changes
/// on a snapshot, on a medium change and at every start.
std::string drive_name(const drive_identity& identity);

/// How the guest sees the drive, as far as QOM or the device tree tells. Empty where it does not.
struct attachment {
    std::string device;  ///< usb-storage, nvme, virtio-blk, scsi-hd, scsi-cd, ide-cd, pflash, ...
    std::string bus;     ///< the controller that it hangs on: qemu-xhci, pci, virtio-scsi, ich9-ahci, ...

    friend bool operator==(const attachment&, const attachment&) = default;
};

/// How the host caches a drive, in the three flags of query-block.
struct cache_mode {
    bool direct = false;    ///< around the host's page cache
    bool no_flush = false;  ///< flushes are ignored
    bool writeback = true;  ///< false: each write is flushed

    friend bool operator==(const cache_mode&, const cache_mode&) = default;
};

/// The name for -drive cache=: none, writeback, writethrough, directsync, unsafe.
std::string_view name(cache_mode mode);

/// What is in the drive, from query-block or `info block`.
struct drive_media {
    std::string file;
    std::string format;  ///< the block driver at the top: raw, qcow2, ...
    bool inserted = false;
    bool read_only = false;
    bool removable = false;
    std::optional<std::uint64_t> size_bytes{};  ///< of the medium as the guest sees it; QMP only
    std::optional<cache_mode> cache{};  ///< none for an empty drive, and where the monitor does not tell
    std::string content{};  ///< what is on an install medium, `sampled-sha256:` and 64 digits; only a recorder tells

    friend bool operator==(const drive_media&, const drive_media&) = default;
};

/// All that is known of a drive but its counters.
struct drive_info {
    drive_identity identity;
    qmpwatch::sample::attachment attachment;
    drive_media media;

    friend bool operator==(const drive_info&, const drive_info&) = default;
};

/// The drives of a VM in the order in which QEMU lists them.
using inventory = std::vector<drive_info>;

}  // namespace qmpwatch::sample
