// A notice: one thing that qmpwatch has to say, in the order in which it happened. Log lines, JSON lines and what
// scrolls above the table are all made of these.
#pragma once

#include "base/clock.hpp"
#include "sample/rate.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"
#include "stall/advice.hpp"
#include "stall/transition.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace qmpwatch::pipeline {

/// One drive over one interval. The rate is absent in the first interval of a drive.
struct rate_notice {
    std::string drive;
    sample::attachment attachment;
    sample::drive_counters counters;
    std::optional<sample::drive_rate> rate;
};

/// The monitor's state changed.
struct monitor_notice {
    sample::monitor_state before;
    sample::monitor_state after;
    std::string detail;
    bool reconnected = false;  ///< ready again after the connection had been lost
};

/// The VM's run state changed, or became known (before is empty then).
struct vm_notice {
    std::string before;
    std::string after;
};

/// Drives came or went.
struct drives_notice {
    std::vector<std::string> added;
    std::vector<std::string> removed;
};

/// An event of QEMU's.
struct qmp_notice {
    std::string event;
    std::string data;  ///< JSON text, may be empty
};

/// A stall is suspected, has ended, was none, or the verdict on a drive changed.
struct stall_notice {
    stall::transition happened;
    sample::attachment attachment;
    base::nanoseconds start_elapsed{};  ///< its start on the clock of `elapsed`; can be below zero
    std::vector<stall::remedy> remedies;  ///< when lost completions are confirmed: what helps on this VM
};

/// The last word on a VM: bytes moved since the first sample, and what stalls took.
struct summary_notice {
    struct stall_total {
        stall::cause cause = stall::cause::unknown;
        std::uint64_t count = 0;
        base::nanoseconds lost{};
    };
    struct drive_total {
        std::string drive;
        std::uint64_t read_bytes = 0, written_bytes = 0, reads_completed = 0, writes_completed = 0;
        std::vector<stall_total> stalls;  ///< of the causes that occurred
    };
    base::nanoseconds watched{};  ///< from the first sample to the last
    std::vector<drive_total> drives;
};

struct notice {
    base::wall_time time;
    std::optional<base::nanoseconds> elapsed;  ///< since the first sample of this VM; none before it
    std::string vm;
    std::variant<rate_notice, monitor_notice, vm_notice, drives_notice, qmp_notice, stall_notice, summary_notice> what;
};

}  // namespace qmpwatch::pipeline
