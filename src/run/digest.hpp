// The digest of a run: all that reports and the gate need of it, with times on the clock of `elapsed` (since the first
// sample).
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "pipeline/notice.hpp"
#include "run/progress.hpp"
#include "run/replay.hpp"
#include "run/run.hpp"
#include "run/source.hpp"
#include "sample/drive.hpp"
#include "sample/vm.hpp"
#include "stall/advice.hpp"
#include "stall/cause.hpp"
#include "stall/transition.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::run {

/// A drive that was seen in the run.
struct drive_digest {
    std::string drive;  ///< its name
    sample::drive_info info;  ///< the last that was known; also of a medium that was ejected
    progress moved;     ///< what it did since the first sample
    sample::drive_counters counters;  ///< QEMU's, as of the last sample
};

/// A stall that was counted.
struct stall_digest {
    std::string drive;
    stall::cause cause = stall::cause::unknown;
    stall::level level = stall::level::none;  ///< when it was counted
    base::nanoseconds start{};  ///< elapsed; below zero when it began before the first sample
    base::nanoseconds length{}, length_min{}, length_max{};
    std::string pattern;  ///< a user's name for the time-out behind it; may be empty
};

/// One drive over one interval, as `watch` reports it.
struct interval_digest {
    base::nanoseconds elapsed{};  ///< its end
    base::wall_time time{};
    pipeline::rate_notice rate;
};

/// Something to mark on the axis of time.
struct mark {
    enum class kind : std::uint8_t { event, marker, run_state, monitor };
    kind what = kind::event;
    base::nanoseconds elapsed{};
    std::string text;    ///< the event's name, the marker's text, the state
    std::string detail;  ///< JSON data of an event, the monitor's sentence; may be empty
};

/// QEMU's CPU time so far.
struct cpu_point {
    base::nanoseconds elapsed{};
    double cpu_seconds = 0;
};

struct digest {
    run_info info;
    sample::vm_identity vm;  ///< the last that was known
    base::instant first_sample, last_sample;
    std::uint64_t samples = 0;
    pipeline::window_settings windows;  ///< that the intervals were made with
    std::vector<drive_digest> drives;   ///< in the order of their first appearance
    std::vector<stall_digest> stalls;   ///< in the order of their starts
    std::vector<interval_digest> intervals;
    std::vector<mark> marks;            ///< in the order of time
    std::vector<cpu_point> cpu;
    std::vector<stall::finding> findings;  ///< what is known to be wrong with such a VM, and what helps

    /// From the first sample to the last.
    base::nanoseconds watched() const { return last_sample.steady - first_sample.steady; }
};

/// Reads a run and replays it. Errors as read_run.
base::result<digest> read_digest(const std::string& path, const replay_settings& how = {});

}  // namespace qmpwatch::run
