#include "stall/gap_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace qmpwatch::stall {

namespace {

base::nanoseconds from_seconds(double value) {
    return std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(value));
}

}  // namespace

counter_sums sum_of(const sample::drive_counters& counters) {
    counter_sums sum;
    for (const sample::operation_counters& each : counters.by_operation) {
        sum.operations += each.completed + each.failed + each.invalid;
        sum.bytes += each.bytes;
        sum.time_ns += each.time_ns;
        sum.failed += each.failed;
    }
    sum.idle = counters.idle;
    return sum;
}

void gap_tracker::restart(const tick& when, const counter_sums& now) {
    const detector_settings* settings = settings_;
    *this = gap_tracker(*settings);
    last_ = now;
    operations_at_gap_ = now.operations;
    if (!now.idle) return;
    has_start_ = true;
    start_ = when.now() - *now.idle;
    start_error_ = when.half_rtt;
    is_spoilt_ = when.is_broken;
    is_open_ = *now.idle >= settings_->gap;
}

bool gap_tracker::continues(const counter_sums& now) const {
    return now.operations >= last_.operations && now.bytes >= last_.bytes && now.time_ns >= last_.time_ns &&
           now.failed >= last_.failed;
}

std::optional<finished_gap> gap_tracker::step(const tick& when, const counter_sums& now) {
    active_ = {};
    std::optional<finished_gap> finished;
    if (now.operations == last_.operations) {
        silence(when, now);
    } else {
        finished = activity(when, now);
    }
    if (!finished && closing_ && (resumed() || when.now() >= closing_->end + settings_->resume_within))
        finished = resolve();
    last_ = now;
    return finished;
}

void gap_tracker::silence(const tick& when, const counter_sums& now) {
    if (!now.idle) return;
    const base::steady_time completion = when.now() - *now.idle;
    if (!has_start_) {
        has_start_ = true;
        start_ = completion;
        start_error_ = when.half_rtt;
        is_spoilt_ = true;  // it was accessed before, or by something that is not counted
    }
    if (when.is_broken) is_spoilt_ = true;
    const base::nanoseconds tolerance = settings_->idle_tolerance + start_error_ + when.half_rtt;
    if (completion > start_ + tolerance) {
        // Something completed that no counter shows: a failed operation over HMP.
        start_ = completion;
        start_error_ = when.half_rtt;
        is_spoilt_ = true;
        is_open_ = false;
    } else if (completion < start_ - tolerance) {
        is_spoilt_ = true;  // idle time ran on while our clock did not: the host slept
    } else if (when.half_rtt < start_error_) {
        start_ = completion;
        start_error_ = when.half_rtt;
    }
    if (!is_open_ && when.now() - start_ >= least_gap()) {
        is_open_ = true;
        is_after_stream_ = is_stream();
    }
}

std::optional<finished_gap> gap_tracker::activity(const tick& when, const counter_sums& now) {
    const std::uint64_t operations = now.operations - last_.operations;
    const std::uint64_t bytes = now.bytes - last_.bytes;
    const double seconds = static_cast<double>(now.time_ns - last_.time_ns) * 1e-9;
    const double usual =
        recent_operations_ >= 1 ? recent_seconds_ / recent_operations_ * static_cast<double>(operations) : 0;
    // The counters were read at `before` and now: what is new completed between.
    const base::steady_time completion =
        std::clamp(now.idle ? when.now() - *now.idle : when.now(), when.before, when.now());

    std::optional<finished_gap> finished;
    base::steady_time active_from = when.before;
    bool is_gap = false;
    if (has_start_) {
        active_from = std::max(start_, when.before - settings_->gap);
        if (is_open_ || when.before - start_ >= least_gap() / 2) {
            if (!is_open_) is_after_stream_ = is_stream();
            const base::steady_time end =
                std::clamp(completion - busy_time(operations, completion - when.before), when.before, completion);
            if (is_open_ || end - start_ >= least_gap()) {
                finished = resolve();
                is_gap = true;
                close(when, completion, operations, from_seconds(std::max(0.0, seconds - usual)),
                      now.failed != last_.failed);
                closing_->end = end;
                active_from = end;
            }
        }
    }
    if (closing_) {
        closing_->operations += operations;
        closing_->bytes += bytes;
        if (!is_gap) closing_->gap.excess += from_seconds(std::max(0.0, seconds - usual));
        if (now.failed != last_.failed) closing_->gap.has_failure = true;
    }

    active_ = std::max(base::nanoseconds::zero(), base::nanoseconds(completion - active_from));
    const double active = base::in_seconds(active_);
    const double fade = std::exp(-active / base::in_seconds(settings_->stream_window));
    recent_operations_ = recent_operations_ * fade + static_cast<double>(operations);
    recent_bytes_ = recent_bytes_ * fade + static_cast<double>(bytes);
    recent_seconds_ = recent_seconds_ * fade + (is_gap ? std::min(seconds, usual) : seconds);
    // When the activity of an interval began is known only when it went on from the one before. Where it did not, the
    // interval shows how fast it was at the slowest.
    const double longest = base::in_seconds(completion - when.before);
    if (has_start_ && !is_gap) {
        if (is_rate_bound_) rated_operations_ = rated_active_ = 0;
        is_rate_bound_ = false;
        rated_operations_ = rated_operations_ * fade + static_cast<double>(operations);
        rated_active_ = rated_active_ * fade + active;
    } else if (is_gap && static_cast<double>(operations - 1) > rate() * longest) {
        is_rate_bound_ = is_rate_bound_ || !tells_time(operations, completion - when.before);
        rated_operations_ = static_cast<double>(operations - 1);
        rated_active_ = longest;
    }

    has_start_ = true;
    start_ = completion;
    start_error_ = when.half_rtt;
    is_open_ = false;
    is_after_stream_ = false;
    is_spoilt_ = when.is_broken;
    return finished;
}

void gap_tracker::close(const tick& when, base::steady_time completion, std::uint64_t operations,
                        base::nanoseconds excess, bool failed) {
    closing_.emplace();
    finished_gap& gap = closing_->gap;
    gap.start = when.earlier(start_);
    gap.min = std::max(base::nanoseconds::zero(), base::nanoseconds(when.before - start_));
    gap.max = completion - start_;
    gap.length = std::clamp(gap.max - busy_time(operations, gap.max - gap.min), gap.min, gap.max);
    // The end is reckoned back from the last completion by the usual rate, which may be wrong by a good part.
    base::nanoseconds error = base::milliseconds(30) + start_error_ + (gap.max - gap.length) * 3 / 10;
    gap.is_vague = !tells_time(operations, gap.max - gap.min) || settings_->poll >= settings_->coarse_from;
    if (gap.is_vague) error = gap.max - gap.min;
    gap.likely_min = std::max(gap.min, gap.length - error);
    gap.likely_max = std::min(gap.max, gap.length + error);
    gap.excess = excess;
    gap.operations_before = last_.operations - operations_at_gap_;
    gap.closing_operations = operations;
    gap.is_after_stream = is_after_stream_;
    gap.is_after_beginning = is_beginning();
    gap.has_failure = failed;
    gap.is_spoilt = is_spoilt_ || when.is_late || when.is_broken;
    operations_at_gap_ = last_.operations;
}

bool gap_tracker::resumed() const {
    const double operations = static_cast<double>(closing_->operations);
    const double bytes = static_cast<double>(closing_->bytes);
    return operations >= settings_->resume_operations && bytes >= settings_->resume_bytes &&
           bytes >= operations * settings_->stream_mean_bytes;
}

std::optional<finished_gap> gap_tracker::resolve() {
    if (!closing_) return std::nullopt;
    finished_gap gap = closing_->gap;
    const double mean = static_cast<double>(closing_->bytes) / static_cast<double>(closing_->operations);
    gap.after = resumed()                              ? aftermath::stream
                : mean >= settings_->stream_mean_bytes ? aftermath::too_little_to_tell
                                                       : aftermath::trickle;
    closing_.reset();
    if (gap.after == aftermath::trickle) {
        end_stream();
    } else if (!gap.is_after_stream && !is_stream()) {
        // What came before and after it is no stream together, but may become one.
        gap.after = aftermath::too_little_to_tell;
    }
    return gap;
}

base::nanoseconds gap_tracker::least_gap() const {
    const double rate = this->rate();
    if (rate <= 0) return settings_->gap;
    // A drive that does less than an operation in some seconds never streams: its silences need no bound.
    const double least = std::min(settings_->gap_operations / rate, 10 * base::in_seconds(settings_->gap));
    return std::max(settings_->gap, from_seconds(least));
}

bool gap_tracker::is_stream() const {
    return is_beginning() && recent_operations_ >= settings_->stream_operations &&
           recent_bytes_ >= settings_->stream_bytes;
}

bool gap_tracker::is_beginning() const {
    return recent_operations_ >= 1 && recent_bytes_ >= recent_operations_ * settings_->stream_mean_bytes;
}

double gap_tracker::rate() const {
    return rated_active_ > 1e-3 && rated_operations_ >= 2 ? rated_operations_ / rated_active_ : 0;
}

/// False when the usual rate is unknown, known as a bound only, or too far from what must have been to say anything.
bool gap_tracker::tells_time(std::uint64_t operations, base::nanoseconds longest) const {
    const double rate = this->rate();
    return rate > 0 && !is_rate_bound_ && static_cast<double>(operations - 1) / rate < 2 * base::in_seconds(longest);
}

/// How long so many operations took from the first completion to the last, which was at most `longest`.
base::nanoseconds gap_tracker::busy_time(std::uint64_t operations, base::nanoseconds longest) const {
    if (!tells_time(operations, longest)) return longest / 2;
    return std::min(longest, from_seconds(static_cast<double>(operations - 1) / rate()));
}

void gap_tracker::end_stream() {
    recent_operations_ = recent_bytes_ = recent_seconds_ = rated_operations_ = rated_active_ = 0;
}

}  // namespace qmpwatch::stall
