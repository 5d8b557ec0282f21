// A snapshot: the latest state of all VMs, immutable once published. Screen, metrics and page read nothing else.
#pragma once

#include "base/clock.hpp"
#include "base/process.hpp"
#include "sample/rate.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"
#include "stall/cause.hpp"
#include "stall/transition.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::pipeline {

/// Stalls of one cause.
struct stall_totals {
    stall::cause cause = stall::cause::unknown;
    stall::cause_totals totals;
};

/// What the detector knows of a drive.
struct stall_snapshot {
    stall::level level = stall::level::none;                         ///< the highest of all causes
    stall::cause cause = stall::cause::unknown;                      ///< the one with that level
    std::array<stall::level, stall::causes.size()> levels{};         ///< of each cause
    std::string_view pattern;                ///< a user's name for the time-out behind lost_completion; may be empty
    std::optional<base::instant> gap_start;  ///< of a gap that is open inside a stream
    base::nanoseconds gap_age{};             ///< its age in running time as of the last sample
    bool is_suspected = false;               ///< that gap is thought to be a stall
    bool would_faster_polling_tell = false;  ///< the samples are too far apart for more than `probable`
    std::vector<stall_totals> totals;        ///< of the causes that occurred

    /// The stalls of all causes.
    std::uint64_t count() const {
        std::uint64_t sum = 0;
        for (const stall_totals& each : totals) sum += each.totals.count;
        return sum;
    }
    /// The time lost to them.
    base::nanoseconds lost() const {
        base::nanoseconds sum{};
        for (const stall_totals& each : totals) sum += each.totals.lost;
        return sum;
    }
    /// Those of one cause.
    stall::cause_totals totals_of(stall::cause which) const {
        for (const stall_totals& each : totals) {
            if (each.cause == which) return each.totals;
        }
        return {};
    }
};

struct drive_snapshot {
    std::string drive;                       ///< its name, unique within the VM
    sample::drive_info info;
    sample::drive_counters counters;         ///< as of the last sample
    std::optional<sample::drive_rate> rate;  ///< over the interval that ends with the last sample; none in the first
    stall_snapshot stall;
};

/// What a histogram of poll durations needs: counts at or below each bound.
struct poll_statistics {
    static constexpr std::array bounds_seconds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                               0.05,   0.1,   0.25,   0.5,   1.0,  2.5};
    std::array<std::uint64_t, bounds_seconds.size() + 1> buckets{};  ///< per bucket, not cumulative
    double sum_seconds = 0;
    std::uint64_t succeeded = 0;
    std::uint64_t timed_out = 0;
    std::uint64_t failed = 0;
    std::uint64_t late = 0;  ///< begun more than 100 ms after their beat

    poll_statistics& operator+=(const poll_statistics& other) {
        for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i] += other.buckets[i];
        sum_seconds += other.sum_seconds;
        succeeded += other.succeeded;
        timed_out += other.timed_out;
        failed += other.failed;
        late += other.late;
        return *this;
    }
};

struct vm_snapshot {
    sample::vm_identity identity;
    sample::monitor_state monitor = sample::monitor_state::absent;
    std::string monitor_detail;              ///< why, in a sentence; may be empty
    base::instant monitor_since;
    std::string run_state;                   ///< as QEMU names it; empty while unknown
    std::vector<drive_snapshot> drives;      ///< empty unless connected
    std::optional<base::instant> last_sample;
    std::optional<base::nanoseconds> first_rate_in;  ///< while the first window is open: until it closes
    std::optional<base::process_usage> process;
    std::optional<double> cpu_percent;       ///< of one core: 250 means two and a half cores
    std::map<std::string, std::uint64_t> events;     ///< QMP events by name since qmpwatch started
    poll_statistics polls;
    std::uint64_t reconnects = 0;            ///< connections after the first
};

/// The age of the drive's open gap by now, 0 without one. It stands still while the VM does not run or does not answer.
inline base::nanoseconds gap_age_at(base::steady_time now, const vm_snapshot& vm, const drive_snapshot& drive) {
    if (!drive.stall.gap_start) return {};
    const bool is_running = vm.run_state.empty() || vm.run_state == "running";
    if (vm.monitor != sample::monitor_state::ready || !is_running || !vm.last_sample) return drive.stall.gap_age;
    return drive.stall.gap_age + std::max(base::nanoseconds{}, base::nanoseconds(now - vm.last_sample->steady));
}

struct snapshot {
    base::instant at;
    base::nanoseconds interval{};  ///< the window of the rates
    std::vector<std::shared_ptr<const vm_snapshot>> vms;  ///< in the order of their names
    poll_statistics former_polls;  ///< of VMs that are not watched any more: sums must not fall
};

}  // namespace qmpwatch::pipeline
