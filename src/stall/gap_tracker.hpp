// Measures the gaps of one drive: when nothing completed, for how long, between what, and what ended it.
#pragma once

#include "base/clock.hpp"
#include "sample/sample.hpp"
#include "stall/settings.hpp"

#include <cstdint>
#include <optional>

namespace qmpwatch::stall {

/// All counters of a drive added up: whatever completes ends a gap.
struct counter_sums {
    std::uint64_t operations = 0;  ///< failed and refused ones too
    std::uint64_t bytes = 0;
    std::uint64_t time_ns = 0;
    std::uint64_t failed = 0;
    std::optional<base::nanoseconds> idle;
};
counter_sums sum_of(const sample::drive_counters& counters);

/// The time of one sample, the same for all drives.
struct tick {
    base::instant at;
    base::steady_time before{};         ///< the sample before
    base::nanoseconds half_rtt{};
    bool is_late = false;               ///< came so late that gaps which end in it cannot be measured
    bool is_broken = false;  ///< a clock jumped, or the monitor was blocked: silences are not to be judged
    base::nanoseconds blocked{};  ///< for so long the monitor did not answer before this sample; usually 0

    base::steady_time now() const { return at.steady; }
    /// An earlier moment, on both clocks.
    base::instant earlier(base::steady_time when) const {
        return {when, at.wall - std::chrono::duration_cast<base::wall_time::duration>(at.steady - when)};
    }
    base::nanoseconds elapsed() const { return at.steady - before; }
};

/// What came after a gap.
enum class aftermath { stream, too_little_to_tell, trickle };

/// A gap that closed. Lengths are by the clock, paused time in it or not.
struct finished_gap {
    base::instant start;  ///< the last completion before
    base::nanoseconds length{};  ///< the estimate
    base::nanoseconds min{}, max{};  ///< hard bounds
    base::nanoseconds likely_min{}, likely_max{};  ///< the bounds that the estimate's usual error leaves
    base::nanoseconds excess{};  ///< time of the operations that ended it, beyond what they usually take
    std::uint64_t operations_before = 0;  ///< since the gap before this one
    std::uint64_t closing_operations = 0;  ///< seen at once with its end
    aftermath after = aftermath::trickle;
    bool is_vague = false;  ///< nothing tells where in the bounds the end lies: the estimate is the middle
    bool is_after_stream = false;
    bool is_after_beginning = false;  ///< what came before looks like a stream, but is too little to be one
    bool has_failure = false;  ///< an operation failed in it or ended it
    bool is_spoilt = false;  ///< clocks, late polls, or operations that no counter shows
};

/// A gap that has closed, and what has come after it so far.
struct closing_gap {
    finished_gap gap;
    base::steady_time end;
    std::uint64_t operations = 0, bytes = 0;
};

class gap_tracker {
public:
    /// `settings` must outlive it.
    explicit gap_tracker(const detector_settings& settings) : settings_(&settings) {}

    /// Takes the first counters, or counters that do not continue those before.
    void restart(const tick& when, const counter_sums& now);

    /// False when a counter fell.
    bool continues(const counter_sums& now) const;

    /// Takes counters that continue those before. The gap that is known in full now, if any: up to
    /// settings.resume_within after its end, when it is clear whether the stream goes on.
    std::optional<finished_gap> step(const tick& when, const counter_sums& now);

    /// True when nothing completed for long enough; `is_after_stream` says whether that matters.
    bool is_open() const { return is_open_; }
    bool is_after_stream() const { return is_open_ && is_after_stream_; }
    /// An open gap of which it will be clear afterwards only whether it matters.
    bool is_after_beginning() const { return is_open_ && is_beginning(); }
    /// The open gap can no longer be judged.
    bool is_spoilt() const { return is_spoilt_; }
    /// A gap has closed and waits for its aftermath.
    bool is_closing() const { return closing_.has_value(); }
    base::steady_time start() const { return start_; }

    /// The recent active time looks like a sequential reader or writer.
    bool is_stream() const;
    /// ... or as one does that has only begun. True of every stream.
    bool is_beginning() const;
    /// Operations per second of active time, 0 when unknown.
    double rate() const;
    /// Active time of the last step.
    base::nanoseconds active() const { return active_; }
    const counter_sums& last() const { return last_; }

    /// Forgets that there was a stream.
    void end_stream();

private:
    void silence(const tick& when, const counter_sums& now);
    std::optional<finished_gap> activity(const tick& when, const counter_sums& now);
    void close(const tick& when, base::steady_time completion, std::uint64_t operations, base::nanoseconds excess,
               bool failed);
    std::optional<finished_gap> resolve();
    bool resumed() const;
    base::nanoseconds least_gap() const;
    bool tells_time(std::uint64_t operations, base::nanoseconds longest) const;
    base::nanoseconds busy_time(std::uint64_t operations, base::nanoseconds longest) const;

    const detector_settings* settings_;
    counter_sums last_;
    base::steady_time start_{};  ///< of the silence: the last completion
    base::nanoseconds start_error_{};
    bool has_start_ = false;  ///< false before the first completion
    bool is_open_ = false;
    bool is_spoilt_ = false;
    bool is_after_stream_ = false;
    std::uint64_t operations_at_gap_ = 0;  ///< the counter when the last gap closed
    std::optional<closing_gap> closing_;
    base::nanoseconds active_{};
    // Sums over the last active time; older time counts less and less.
    double recent_operations_ = 0, recent_bytes_ = 0, recent_seconds_ = 0;
    bool is_rate_bound_ = false;  ///< the rate is the least that it can have been
    double rated_operations_ = 0, rated_active_ = 0;  ///< without the time of which it is not known when activity began
};

}  // namespace qmpwatch::stall
