// A sample: the raw cumulative counters of all drives of a VM at one instant. Nothing derived.
#pragma once

#include "base/clock.hpp"
#include "base/process.hpp"
#include "sample/drive.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::sample {

enum class operation : std::uint8_t { read, write, flush, discard };
inline constexpr std::array operations{operation::read, operation::write, operation::flush, operation::discard};

/// Counters of one kind of operation since QEMU started. QEMU counts when an operation completes; what is in flight
/// cannot be seen.
struct operation_counters {
    std::uint64_t bytes = 0;       ///< of successful operations; always 0 for flushes
    std::uint64_t completed = 0;   ///< successful operations
    std::uint64_t time_ns = 0;     ///< sum of the latencies of completed operations; may grow faster than the clock
    std::uint64_t merged = 0;      ///< requests merged into another
    std::uint64_t failed = 0;      ///< completed with an error
    std::uint64_t invalid = 0;     ///< refused at submission

    friend bool operator==(const operation_counters&, const operation_counters&) = default;
};

struct drive_counters {
    std::array<operation_counters, operations.size()> by_operation{};
    std::optional<base::nanoseconds> idle;  ///< since the last completed operation; none before the first one.
                                            ///< Runs on while the VM is paused
    std::optional<std::uint64_t> highest_write_offset_bytes;
    /// False where the monitor does not report discards, failed and invalid operations (HMP): their zeros mean nothing.
    bool detailed = true;

    const operation_counters& operator[](operation kind) const { return by_operation[static_cast<std::size_t>(kind)]; }
    operation_counters& operator[](operation kind) { return by_operation[static_cast<std::size_t>(kind)]; }

    friend bool operator==(const drive_counters&, const drive_counters&) = default;
};

struct drive_sample {
    drive_identity identity;
    drive_counters counters;
};

struct sample {
    base::instant at;  ///< midpoint of asking and hearing: the counters are of then, give or take rtt / 2
    base::nanoseconds rtt{};  ///< from asking to hearing
    std::vector<drive_sample> drives;
    std::optional<base::process_usage> process;  ///< of QEMU, when it was read with this sample
};

}  // namespace qmpwatch::sample
