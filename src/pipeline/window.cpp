#include "pipeline/window.hpp"

#include <algorithm>

namespace qmpwatch::pipeline {

namespace {

constexpr int checkpoints_per_window = 16;

}  // namespace

void sliding_window::add(base::steady_time at, const sample::drive_counters& counters) {
    if (last_ && !sample::continues(last_->counters, counters)) {
        earlier_.clear();
        last_.reset();
    }
    if (last_) {
        // Not every sample is kept: with --poll 100ms and --interval 10m that would be 6,000 of them.
        const base::nanoseconds spacing = settings_.interval / checkpoints_per_window;
        if (earlier_.empty() || last_->at - earlier_.back().at >= spacing - settings_.poll / 2) {
            earlier_.push_back(*last_);
        }
    }
    last_ = checkpoint{at, counters};
    // The window begins at the youngest checkpoint that is old enough; what is older is of no more use.
    const base::steady_time old_enough = at - settings_.interval + settings_.poll / 2;
    while (earlier_.size() >= 2 && earlier_[1].at <= old_enough) earlier_.pop_front();
}

std::optional<sample::drive_rate> sliding_window::rate() const {
    if (!last_ || earlier_.empty()) return std::nullopt;
    const checkpoint& begin = earlier_.front();
    const base::nanoseconds elapsed = last_->at - begin.at;
    if (elapsed < settings_.interval - settings_.poll / 2) return std::nullopt;
    return sample::rate_between(begin.counters, last_->counters, elapsed);
}

report_clock::tick report_clock::take(base::steady_time at) {
    if (!origin_) {
        origin_ = at;
        next_ = at + settings_.interval;
        return tick::opens;
    }
    const base::steady_time tolerant = at + settings_.poll / 2;
    if (tolerant < next_) return tick::between;
    const auto windows = (tolerant - *origin_) / settings_.interval;
    next_ = *origin_ + settings_.interval * (windows + 1);
    closed_one_ = true;
    return tick::closes;
}

std::optional<base::nanoseconds> report_clock::first_window_left(base::steady_time now) const {
    if (!origin_ || closed_one_) return std::nullopt;
    return std::max(base::nanoseconds::zero(), base::nanoseconds(next_ - now));
}

void report_clock::reset() {
    origin_.reset();
    closed_one_ = false;
}

}  // namespace qmpwatch::pipeline
