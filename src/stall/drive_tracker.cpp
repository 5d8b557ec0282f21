#include "stall/drive_tracker.hpp"

#include <algorithm>

namespace qmpwatch::stall {

namespace {

constexpr base::nanoseconds none{};
/// More gaps than this are never held back for a pattern that is not probable yet.
constexpr std::size_t most_uncounted = 8;
/// An error is heard a moment before or after the operation that failed is seen.
constexpr base::seconds error_slack{1};

base::nanoseconds not_below_zero(base::nanoseconds span) { return std::max(none, span); }

}  // namespace

drive_tracker::drive_tracker(const detector_settings& settings, std::string name, sample::drive_identity known)
    : identity(std::move(known)),
      settings_(&settings),
      name_(std::move(name)),
      gaps_(settings),
      evidence_(settings),
      coarse_(settings) {}

void drive_tracker::attach(std::string_view device) {
    evidence_.attach(device);
    is_serial_ = device == "usb-storage";  // bulk-only transport: one command at a time
}

void drive_tracker::limit(double operations_per_second, double bytes_per_second) {
    operations_limit_ = operations_per_second;
    bytes_limit_ = bytes_per_second;
}

void drive_tracker::first(const tick& when, const counter_sums& now) {
    is_known_ = true;
    gaps_.restart(when, now);
}

void drive_tracker::step(const tick& when, const counter_sums& now, const surroundings& around,
                         std::vector<transition>& out) {
    if (!gaps_.continues(now)) {
        forget(when.at, false, "the counters were reset", out);
        first(when, now);
        return;
    }
    const counter_sums before = gaps_.last();
    if (when.blocked > none) watch_blocked(when, now.operations - before.operations, around, out);
    const std::optional<finished_gap> finished = gaps_.step(when, now);
    if (finished) judge(when, *finished, around, out);
    watch_open_gap(when, around, out);
    if (is_limited()) watch_limits(when, before, now, out);
    if (is_coarse()) watch_coarse(when, before, now, out);
    clear_old(when, out);
}

drive_tracker::running_gap drive_tracker::without_pauses(const finished_gap& gap, const pause_log& pauses) const {
    running_gap running;
    running.gap = gap;
    const base::steady_time start = gap.start.steady;
    running.paused = pauses.within(start, start + gap.length);
    const paused_time most = pauses.within(start, start + gap.max);
    const base::nanoseconds doubt = running.paused.max - running.paused.min;
    running.length = not_below_zero(gap.length - running.paused.estimate);
    running.min = not_below_zero(gap.min - running.paused.max);
    running.max = not_below_zero(gap.max - most.min);
    running.likely_min = std::clamp(gap.likely_min - running.paused.estimate - doubt / 2, running.min, running.max);
    running.likely_max = std::clamp(gap.likely_max - running.paused.estimate + doubt / 2, running.min, running.max);
    running.length = std::clamp(running.length, running.min, running.max);
    return running;
}

void drive_tracker::judge(const tick& when, const finished_gap& gap, const surroundings& around,
                          std::vector<transition>& out) {
    given_up_.reset();
    if (gap.is_spoilt) {
        withdraw(when.at, "the clock or the polls were disturbed in it", out);
        return;
    }
    running_gap running = without_pauses(gap, *around.pauses);
    const base::steady_time start = gap.start.steady;
    const bool has_error = gap.has_failure || (last_error_ && *last_error_ >= start - error_slack);
    if (!gap.is_after_stream) {
        // A stream may lose its first operations already; what followed shows that it was one.
        const bool is_quiet =
            !has_error && running.paused.max == none &&
            base::in_seconds(gap.excess) < settings_->unknown_share * base::in_seconds(running.length);
        if (gap.is_after_beginning && is_quiet && gap.after != aftermath::trickle)
            judge_guest_side(when, running, around, out);
        else
            judge_first_operations(when, gap, around, out);
        return;
    }
    const bool is_pause =
        running.paused.max > none && (running.length < settings_->gap || running.min < settings_->gap);
    if (has_error || (is_pause && running.length < settings_->gap)) {
        // All of it counts: the guest did not get its data meanwhile.
        const cause which = has_error ? cause::io_error : cause::vm_paused;
        running.length = which == cause::vm_paused
                             ? std::clamp(running.paused.min, gap.length, std::max(gap.length, gap.max))
                             : gap.length;
        running.min = gap.min;
        running.max = gap.max;
        close_measured(when, which, running, has_error ? "an operation failed in it" : "the VM did not run", out);
        return;
    }
    if (is_pause) {
        withdraw(when.at, "the VM was paused in it, nobody knows for how long", out);
        return;
    }
    // Between samples that are far apart the length is hardly known: then only what holds for the longest counts.
    const double width = base::in_seconds(running.max - running.min);
    const bool is_vague = width > settings_->widest_share * base::in_seconds(running.length);
    const base::nanoseconds length = is_vague ? running.max : running.length;
    const double share = base::in_seconds(gap.excess) / base::in_seconds(std::max(length, base::nanoseconds(1)));
    if (share >= settings_->slow_backend_share) {
        const double bound = std::max(operations_limit_ > 0 ? 2 / operations_limit_ : 0,
                                      bytes_limit_ > 0 ? 4 * settings_->stream_bytes / bytes_limit_ : 0);
        if (is_limited() && base::in_seconds(running.length) <= bound) {
            close_measured(when, cause::throttled, running, "the drive's own limits explain it", out);
        } else {
            close_measured(when, cause::slow_backend, running, "the operations that ended it took as long", out);
        }
    } else if (share >= settings_->unknown_share) {
        if (around.has_jobs || (around.last_job && *around.last_job >= start)) {
            withdraw(when.at, "a block job or a migration ran", out);
        } else if (is_vague) {
            withdraw(when.at, "the samples are too far apart to tell", out);
        } else {
            close_measured(when, cause::unknown, running, "the operations that ended it took only a part of it", out);
        }
    } else {
        judge_guest_side(when, running, around, out);
    }
}

/// Without a stream before it a silence means nothing, but operations that took long do.
void drive_tracker::judge_first_operations(const tick& when, const finished_gap& gap, const surroundings& around,
                                           std::vector<transition>& out) {
    // What many operations took together proves nothing, as they may have been under way at the same time; but one
    // after the other they cannot have taken longer than the time in which they were seen, unless one began before.
    const base::nanoseconds each =
        gap.excess / static_cast<std::int64_t>(std::max<std::uint64_t>(1, gap.closing_operations));
    const bool is_slow =
        each >= settings_->least_stall || (is_serial_ && gap.excess >= when.elapsed() + settings_->least_stall);
    running_gap slow = without_pauses(gap, *around.pauses);
    if (!is_slow || slow.paused.max > none || gap.has_failure) {
        withdraw(when.at, "it did not interrupt a stream", out);
        return;
    }
    slow.max = std::min(gap.max, gap.excess);
    slow.min = std::min(is_serial_ ? gap.excess - std::min(gap.excess, when.elapsed()) : each, slow.max);
    slow.length = std::clamp(is_serial_ ? gap.excess : each, slow.min, slow.max);
    slow.length = std::min(slow.length, std::max(slow.min, gap.length));
    slow.gap.start = when.earlier(gap.start.steady + (gap.length - slow.length));
    close_measured(when, cause::slow_backend, slow, "the operations that ended it took as long", out);
}

void drive_tracker::judge_guest_side(const tick& when, const running_gap& gap, const surroundings& around,
                                     std::vector<transition>& out) {
    if (around.has_jobs || (around.last_job && *around.last_job >= gap.gap.start.steady)) {
        withdraw(when.at, "a block job or a migration ran", out);
        return;
    }
    if (gap.length < settings_->least_evidence) {
        withdraw(when.at, "it was too short", out);
        return;
    }
    guest_gap seen;
    seen.start = gap.gap.start.steady;
    seen.likely_min = gap.likely_min;
    seen.likely_max = gap.likely_max;
    seen.operations_before = gap.gap.operations_before;
    seen.after = gap.gap.after;
    if (others_rate_ >= settings_->busy_elsewhere_bytes) seen.weight = settings_->busy_elsewhere_weight;
    const doubt why = evidence_.look(seen);
    if (why == doubt::job || seen.after == aftermath::trickle) doubtful_.clear();
    std::optional<band> found;
    if (why == doubt::none) {
        if (!gap.gap.is_after_stream && seen.after == aftermath::too_little_to_tell) {
            withdraw(when.at, "it did not interrupt a stream", out);
            return;
        }
        for (const auto& [earlier, counted] : std::exchange(doubtful_, {})) {
            if (const std::optional<band> held = evidence_.weigh(earlier)) count_lost(when, counted, *held, true, out);
        }
        found = evidence_.weigh(seen);
    } else {
        found = evidence_.confirmed_for(seen);
        if (!found) {
            if (why != doubt::job && doubtful_.size() < most_uncounted) doubtful_.emplace_back(seen, gap);
            withdraw(when.at,
                     why == doubt::too_little ? "too little followed as yet to tell"
                                              : "it may be a job with a timer, which does as much each time",
                     out);
            return;
        }
    }
    if (found) {
        count_lost(when, gap, *found, false, out);
        return;
    }
    // What came before is no pattern either; a level that was reached stands until the odds turn.
    uncounted_.clear();
    withdraw(when.at, "the guest was idle: no known time-out is that long, or the stream did not go on", out);
    if (level_of(cause::lost_completion) != level::none && pattern_ != nullptr && evidence_.odds(pattern_->band) < 0) {
        set_level(when.at, cause::lost_completion, level::none, "gaps of other lengths followed", out);
        pattern_ = nullptr;
    }
}

/// A gap that speaks for a time-out: counts it, and those before it, as soon as the pattern is probable.
void drive_tracker::count_lost(const tick& when, running_gap gap, band found, bool is_retroactive,
                               std::vector<transition>& out) {
    if (gap.gap.is_vague) {
        // Given that it is this time-out, it is most probably as long as they usually are.
        const band_limits& limits = limits_of(found);
        const base::nanoseconds low = std::max(gap.min, limits.core_low), high = std::min(gap.max, limits.core_high);
        if (low < high) gap.length = low + (high - low) / 2;
    }
    const double odds = evidence_.odds(found);
    const level before = level_of(cause::lost_completion);
    level reached = odds >= settings_->confirmed  ? level::confirmed
                    : odds >= settings_->probable ? level::probable
                                                  : level::none;
    if (is_coarse()) reached = std::min(reached, level::probable);
    if (before >= level::probable) reached = std::max(reached, before);
    if (reached == level::none) {
        if (uncounted_.size() < most_uncounted) uncounted_.push_back(gap);
        if (!is_retroactive)
            withdraw(when.at, "it may be idling that is as long by chance; it counts if it recurs", out);
        return;
    }
    pattern_ = evidence_.pattern(found);
    levels_[index_of(cause::lost_completion)] = reached;
    for (const running_gap& earlier : uncounted_) {
        close(when, cause::lost_completion, earlier, true, pattern_->meaning, out);
    }
    uncounted_.clear();
    close(when, cause::lost_completion, gap, is_retroactive, pattern_->meaning, out);
    if (reached > before) {
        out.push_back(make(change::level_changed, when.at, cause::lost_completion, pattern_->meaning));
    }
}

void drive_tracker::watch_open_gap(const tick& when, const surroundings& around, std::vector<transition>& out) {
    if (!gaps_.is_after_beginning()) {
        gap_age_ = none;
        if (suspected_ && !gaps_.is_closing()) withdraw(when.at, "something completed that no counter shows", out);
        if (!gaps_.is_closing()) others_rate_ = 0;
        others_since_.reset();
        return;
    }
    const base::steady_time start = gaps_.start();
    gap_start_ = when.earlier(start);
    const paused_time paused = around.pauses->within(start, when.now());
    gap_age_ = not_below_zero(when.now() - start - paused.estimate);

    const std::uint64_t others = around.bytes - std::min(around.bytes, gaps_.last().bytes);
    if (when.before - start < settings_->gap) {
        // What the others do now may be the rest of what was read before.
    } else if (!others_since_ || others < others_bytes_) {
        others_since_ = when.before;
        others_bytes_ = others;
    } else if (when.before - *others_since_ >= settings_->resume_within) {
        others_rate_ = static_cast<double>(others - others_bytes_) / base::in_seconds(when.before - *others_since_);
    }

    if (suspected_) {
        suspected_->age = gap_age_;
        const bool is_over = suspected_->pattern != nullptr &&
                             gap_age_ > limits_of(suspected_->pattern->band).high + settings_->withdraw_after;
        if (gaps_.is_spoilt()) {
            withdraw(when.at, "the clock or the polls were disturbed in it", out);
        } else if (is_over || gap_age_ > settings_->stream_memory) {
            withdraw(when.at, "it lasts longer than the time-out: the stream has ended", out);
        }
        return;
    }
    const bool is_disturbed = gaps_.is_spoilt() || !around.pauses->is_running() || around.has_jobs ||
                              (around.last_job && *around.last_job >= start) || is_coarse();
    if (is_disturbed || !gaps_.is_after_stream() || gap_age_ > settings_->stream_memory) return;
    const auto is_recent = [&](cause which) {
        const auto& last = last_[index_of(which)].at;
        return last && when.now() - *last <= settings_->recent + gap_age_;
    };
    const bool is_slow_host = is_recent(cause::slow_backend) && !is_recent(cause::lost_completion);
    for (std::size_t which = 0; which < band_count && !is_slow_host; ++which) {
        const signature* pattern = evidence_.pattern(static_cast<band>(which));
        if (pattern == nullptr) continue;
        const band_limits& limits = limits_of(pattern->band);
        if (gap_age_ < limits.low - settings_->suspect_before || gap_age_ > limits.high) continue;
        if (limits.low - settings_->suspect_before < settings_->least_stall) continue;  // 3 s: over before it is said
        const bool is_known = pattern == pattern_ && is_recent(cause::lost_completion);
        if ((!pattern->is_suspicious && !is_known) || (given_up_ == start && !is_known)) continue;
        suspect(when, cause::lost_completion, pattern, out);
        return;
    }
    const base::nanoseconds age_of_doubt = limits_of(band::seconds_10).low - settings_->suspect_before;
    if (given_up_ != start && gap_age_ >= age_of_doubt && is_slow_host) {
        suspect(when, cause::slow_backend, nullptr, out);
    }
}

void drive_tracker::suspect(const tick& when, cause which, const signature* pattern, std::vector<transition>& out) {
    suspected_ = suspicion{which, pattern, when.earlier(gaps_.start()), gap_age_};
    level& now = levels_[index_of(which)];
    now = std::max(now, level::suspected);
    transition said =
        make(change::suspected, when.at, which, pattern != nullptr ? pattern->name : "the host was slow before");
    said.start = suspected_->start;
    said.length = said.length_min = said.length_max = gap_age_;
    said.paused = not_below_zero(when.now() - gaps_.start() - gap_age_);
    said.pattern = pattern;
    out.push_back(std::move(said));
}

void drive_tracker::withdraw(base::instant at, std::string_view why, std::vector<transition>& out) {
    if (!suspected_) return;
    const suspicion was = *suspected_;
    suspected_.reset();
    given_up_ = was.start.steady;
    level& now = levels_[index_of(was.cause)];
    if (now == level::suspected) now = level::none;
    transition said = make(change::withdrawn, at, was.cause, why);
    said.start = was.start;
    said.length = said.length_min = said.length_max = was.age;
    said.paused = none;
    said.pattern = was.pattern;
    out.push_back(std::move(said));
}

void drive_tracker::watch_blocked(const tick& when, std::uint64_t operations, const surroundings& around,
                                  std::vector<transition>& out) {
    if (!gaps_.is_stream() || gaps_.is_open() || !around.pauses->is_running() || when.blocked < settings_->least_stall)
        return;
    const double rate = gaps_.rate();
    const double done = rate > 0 ? static_cast<double>(operations) / rate : 0;  // seconds of usual work
    const double blocked = base::in_seconds(when.blocked);
    if (done >= settings_->slow_backend_share * blocked) return;
    running_gap gap;
    gap.length = std::min(when.blocked, when.elapsed());
    gap.max = std::max(when.elapsed(), gap.length);
    gap.min = std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(blocked - done));
    gap.min = std::min(gap.min, gap.length);
    const base::steady_time start = std::min(when.before + settings_->poll, when.now() - gap.length);
    gap.gap.start = when.earlier(start);
    close_measured(when, cause::monitor_blocked, gap, "QEMU did not answer, and the drive did less than usual", out);
}

void drive_tracker::watch_limits(const tick& when, const counter_sums& before, const counter_sums& now,
                                 std::vector<transition>& out) {
    const double elapsed = base::in_seconds(when.elapsed());
    if (elapsed <= 0) return;
    const auto is_at = [&](std::uint64_t change, double limit) {
        return limit > 0 && static_cast<double>(change) / elapsed >= settings_->limit_share * limit;
    };
    const bool is_busy = static_cast<double>(now.time_ns - before.time_ns) * 1e-9 / elapsed >= settings_->limit_busy;
    const bool is_held = is_busy && (is_at(now.operations - before.operations, operations_limit_) ||
                                     is_at(now.bytes - before.bytes, bytes_limit_));
    at_limit_ = is_held ? at_limit_ + when.elapsed() : none;
    off_limit_ = is_held ? none : off_limit_ + when.elapsed();
    if (at_limit_ >= settings_->limit_for) {
        set_level(when.at, cause::throttled, level::probable,
                  "it does as much as its limits allow, and waits in between", out);
    } else if (off_limit_ >= settings_->limit_for) {
        set_level(when.at, cause::throttled, level::none, "it does less than its limits allow", out);
    }
}

void drive_tracker::watch_coarse(const tick& when, const counter_sums& before, const counter_sums& now,
                                 std::vector<transition>& out) {
    coarse_.step(when, before, now);
    const signature* pattern = evidence_.pattern(band::seconds_10);
    const level reached = pattern != nullptr ? coarse_.verdict() : level::none;
    if (reached <= level_of(cause::lost_completion)) return;
    pattern_ = pattern;
    last_[index_of(cause::lost_completion)].at = when.now();
    last_[index_of(cause::lost_completion)].active_since = none;
    set_level(when.at, cause::lost_completion, reached,
              "the idle times fit a time-out that recurs; polling every second would tell", out);
}

void drive_tracker::clear_old(const tick& when, std::vector<transition>& out) {
    for (const cause which : {cause::lost_completion, cause::slow_backend}) {
        if (level_of(which) == level::none || (suspected_ && suspected_->cause == which)) continue;
        last_time& last = last_[index_of(which)];
        if (gaps_.is_stream()) last.active_since += gaps_.active();
        const bool is_old = !last.at || when.now() - *last.at >= settings_->clear_elapsed;
        if (!is_old && (last.active_since < settings_->clear_active || gaps_.is_closing())) continue;
        set_level(when.at, which, level::none, is_old ? "it has not recurred" : "the stream goes on without it", out);
        if (which == cause::lost_completion) {
            evidence_.reset();
            uncounted_.clear();
            doubtful_.clear();
            pattern_ = nullptr;
        }
    }
}

void drive_tracker::close_measured(const tick& when, cause which, const running_gap& gap, std::string_view why,
                                   std::vector<transition>& out) {
    if (gap.length < settings_->least_stall) {
        withdraw(when.at, "it was too short", out);
        return;
    }
    const bool has_level = which == cause::slow_backend;
    const level before = level_of(which);
    if (has_level) levels_[index_of(which)] = std::max(before, level::probable);
    close(when, which, gap, false, why, out);
    if (has_level && before < level::probable) out.push_back(make(change::level_changed, when.at, which, why));
}

void drive_tracker::close(const tick& when, cause which, const running_gap& gap, bool is_retroactive,
                          std::string_view why, std::vector<transition>& out) {
    if (!is_retroactive && suspected_) {
        level& now = levels_[index_of(suspected_->cause)];
        if (now == level::suspected) now = level::none;
        suspected_.reset();
    }
    totals_[index_of(which)].add(gap.length);
    last_time& last = last_[index_of(which)];
    last.at = when.now();
    last.active_since = none;
    last.said = {};
    last.said.start = gap.gap.start;
    last.said.length = gap.length;
    last.said.length_min = gap.min;
    last.said.length_max = gap.max;
    last.said.paused = gap.paused.estimate;
    transition said = make(change::closed, when.at, which, why);
    said.level = std::max(said.level, level::probable);
    said.is_retroactive = is_retroactive;
    out.push_back(std::move(said));
}

void drive_tracker::set_level(base::instant at, cause which, level now, std::string_view why,
                              std::vector<transition>& out) {
    level& current = levels_[index_of(which)];
    if (current == now) return;
    const level before = std::exchange(current, now);
    if (now > before)
        out.push_back(make(change::level_changed, at, which, why));
    else if (now == level::none)
        out.push_back(make(change::cleared, at, which, why));
}

transition drive_tracker::make(change what, base::instant at, cause which, std::string_view why) const {
    transition said = last_[index_of(which)].said;
    said.what = what;
    said.drive = place;
    said.drive_name = name_;
    said.at = at;
    said.cause = which;
    said.level = level_of(which);
    said.pattern = which == cause::lost_completion ? pattern_ : nullptr;
    said.count = totals_[index_of(which)].count;
    said.lost = totals_[index_of(which)].lost;
    said.would_faster_polling_tell = is_coarse();
    said.reason = why;
    return said;
}

void drive_tracker::forget(base::instant at, bool is_gone, std::string_view why, std::vector<transition>& out) {
    const std::size_t from = out.size();
    withdraw(at, why, out);
    for (const cause which : causes) set_level(at, which, level::none, why, out);
    for (std::size_t index = from; index < out.size(); ++index) out[index].is_gone = is_gone;
    evidence_.reset();
    coarse_.reset();
    uncounted_.clear();
    doubtful_.clear();
    pattern_ = nullptr;
    last_ = {};
    given_up_.reset();
    gap_age_ = none;
    at_limit_ = off_limit_ = none;
    others_since_.reset();
    others_rate_ = 0;
    gaps_ = gap_tracker(*settings_);
    is_known_ = false;
}

drive_view drive_tracker::view() const {
    drive_view seen;
    seen.drive = name_;
    seen.levels = levels_;
    for (const cause which : causes) {
        if (level_of(which) <= seen.level) continue;
        seen.level = level_of(which);
        seen.cause = which;
    }
    seen.pattern = pattern_ != nullptr ? pattern_ : suspected_ ? suspected_->pattern : nullptr;
    if (gaps_.is_after_stream() && gap_age_ <= settings_->stream_memory) {
        seen.gap_age = gap_age_;
        seen.gap_start = gap_start_;
    }
    seen.is_suspected = suspected_.has_value();
    seen.is_streaming = gaps_.is_stream() && !seen.gap_start;
    seen.would_faster_polling_tell = is_coarse();
    seen.is_told_less = is_told_less;
    seen.totals = &totals_;
    return seen;
}

base::nanoseconds drive_tracker::wanted_poll(base::nanoseconds normal) const {
    if (is_coarse()) return normal;
    if (gaps_.is_closing()) return std::min(normal, settings_->fast_poll);
    if (!gaps_.is_after_beginning() || gap_age_ > limits_of(band::seconds_60).high) return normal;
    base::nanoseconds wanted = std::min(normal, settings_->fast_poll);
    for (std::size_t which = 0; which < band_count; ++which) {
        if (evidence_.pattern(static_cast<band>(which)) == nullptr) continue;
        const band_limits& limits = limits_of(static_cast<band>(which));
        if (gap_age_ < limits.low - settings_->fast_poll || gap_age_ > limits.high) continue;
        const bool is_in_core = gap_age_ >= limits.core_low - settings_->faster_poll && gap_age_ <= limits.core_high;
        wanted = std::min(wanted, is_in_core ? settings_->fastest_poll : settings_->faster_poll);
    }
    return wanted;
}

}  // namespace qmpwatch::stall
