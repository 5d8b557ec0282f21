#include "run/quiet.hpp"

namespace qmpwatch::run {

void quiet_watch::add(const sample::sample& counters) {
    sums now{counters.at.steady, 0, 0};
    for (const sample::drive_sample& drive : counters.drives) {
        for (const sample::operation_counters& kind : drive.counters.by_operation) {
            now.operations += kind.completed;
            now.bytes += kind.bytes;
        }
    }
    // A drive that went, or a new QEMU: nothing can be said of the time before.
    if (!recent_.empty() && (now.operations < recent_.back().operations || now.bytes < recent_.back().bytes)) {
        recent_.clear();
    }
    recent_.push_back(now);
    while (recent_.size() > 2 && recent_[1].at <= now.at - settings_.window) recent_.pop_front();
    const sums& before = recent_.front();
    if (now.operations - before.operations < settings_.operations || now.bytes - before.bytes < settings_.bytes) return;
    // Busy until the last sample that brought something, not until the window has forgotten it.
    for (std::size_t i = recent_.size() - 1; i > 0; --i) {
        if (recent_[i].operations == recent_[i - 1].operations) continue;
        last_busy_ = recent_[i].at;
        break;
    }
}

std::optional<base::nanoseconds> quiet_watch::quiet_for(base::steady_time now) const {
    if (!last_busy_) return std::nullopt;
    return now - *last_busy_;
}

}  // namespace qmpwatch::run
