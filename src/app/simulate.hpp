// The command `simulate`: serves monitor sockets without a VM, for trying things out and for load tests.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::app {

struct simulate_options {
    /// Path of the UNIX socket, or tcp:HOST:PORT with a numeric host. Must be given.
    std::string socket;
    /// `qmp` or `hmp`.
    std::string protocol = "qmp";
    /// How many VMs, at least 1. With more than one the paths get -0001, -0002, ... and the TCP ports count up.
    unsigned vms = 1;
    /// A recording to play (JSON Lines); empty: the generated load below.
    std::string play;
    /// How much faster than real time the recording is played, above 0. All durations shrink with it.
    double speed = 1;
    /// Starts the recording again at its end; otherwise its last counters stay.
    bool loop = false;
    /// How many drives each VM has, at least 1: usb-storage `install_media`, nvme `system`, then virtio-blk disks.
    unsigned drives = 2;
    /// What the guest reads from the first drive, in MB/s (10^6).
    double read_megabytes = 4.1;
    /// What the guest writes to the second drive (the first, if there is one only), in MB/s.
    double write_megabytes = 8.6;
    /// Size of each operation in bytes, above 0.
    std::uint64_t operation_bytes = 64 * 1024;
    /// Mean latency of an operation.
    base::nanoseconds latency{60'000};
    /// What interrupts the first drive: `none`, `idle`, `lost-completion`, `host-stall`.
    std::string stall = "lost-completion";
    /// Mean time of I/O between two stalls.
    base::nanoseconds stall_every = std::chrono::seconds(12);
    /// Length of a stall.
    base::nanoseconds stall_length = std::chrono::seconds(10);
    /// QEMU's version, MAJOR.MINOR.MICRO.
    std::string qemu_version = "7.2.22";
    /// Name of the VM; with more than one they get -0001, -0002, ...
    std::string vm_name = "simulated";
    /// Misbehaviours, each NAME or NAME=VALUE; sim::misbehaviour_names() has the names.
    std::vector<std::string> misbehave;
    /// Same seed, same loads.
    std::uint64_t seed = 1;
};

/// Serves until SIGINT or SIGTERM. Prints one line to standard output when all sockets listen, and errors to standard
/// error. Exit code: 0 ended by a signal, 1 could not, 2 the options make no sense.
int simulate(const simulate_options& options);

}  // namespace qmpwatch::app
