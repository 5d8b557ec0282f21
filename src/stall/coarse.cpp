#include "stall/coarse.hpp"

#include <algorithm>

namespace qmpwatch::stall {

namespace {

constexpr double time_out_seconds = 10;
constexpr double longest_seconds = time_out_seconds + 0.6;   ///< with the guest's reset
constexpr double spacing_seconds = time_out_seconds - 0.2;   ///< from start to start, at least
constexpr double clear_idle_seconds = 1;                     ///< shorter idle times may be of an ordinary stream
constexpr double deep_seconds = time_out_seconds - 1.5;  ///< one of many samples falls as late into a stall as this
constexpr std::size_t least_starts = 5;

}  // namespace

void coarse_look::step(const tick& when, const counter_sums& before, const counter_sums& now) {
    const double elapsed = base::in_seconds(when.elapsed());
    if (!now.idle || when.is_late || when.is_broken || elapsed < time_out_seconds || elapsed > 2 * time_out_seconds) {
        windows_.clear();
        return;
    }
    const auto most = static_cast<std::size_t>(std::max(settings_->coarse_probable, settings_->coarse_suspected));
    if (windows_.size() >= most) windows_.erase(windows_.begin());
    windows_.push_back({when.now() - *now.idle, base::in_seconds(*now.idle),
                        static_cast<double>(now.operations - before.operations),
                        static_cast<double>(now.bytes - before.bytes),
                        static_cast<double>(now.time_ns - before.time_ns) * 1e-9 / elapsed});
}

level coarse_look::verdict() const {
    if (holds(static_cast<std::size_t>(settings_->coarse_probable))) return level::probable;
    if (holds(static_cast<std::size_t>(settings_->coarse_suspected))) return level::suspected;
    return level::none;
}

bool coarse_look::holds(std::size_t count) const {
    if (count == 0 || windows_.size() < count) return false;
    std::size_t starts = 0;
    double operations = 0, bytes = 0, deepest = 0;
    std::optional<base::steady_time> last_start;
    for (std::size_t index = windows_.size() - count; index < windows_.size(); ++index) {
        const window& each = windows_[index];
        if (each.operations <= 0 || each.idle_seconds > longest_seconds || each.busy > settings_->coarse_busy)
            return false;
        operations += each.operations;
        bytes += each.bytes;
        deepest = std::max(deepest, each.idle_seconds);
        if (each.idle_seconds <= clear_idle_seconds) continue;
        if (last_start && base::in_seconds(each.completion - *last_start) < spacing_seconds) return false;
        last_start = each.completion;
        ++starts;
    }
    return starts >= least_starts && deepest >= deep_seconds &&
           static_cast<double>(starts) >= settings_->coarse_idle_share * static_cast<double>(count) &&
           operations >= settings_->stream_operations * static_cast<double>(count) &&
           bytes >= operations * settings_->stream_mean_bytes;
}

}  // namespace qmpwatch::stall
