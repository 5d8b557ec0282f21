#include "stall/pause_log.hpp"

#include <algorithm>

namespace qmpwatch::stall {

namespace {

base::nanoseconds overlap(base::steady_time from, base::steady_time to, base::steady_time begin,
                          base::steady_time end) {
    return std::max(base::nanoseconds::zero(), base::nanoseconds(std::min(to, end) - std::max(from, begin)));
}

}  // namespace

void pause_log::heard(bool is_running, base::steady_time at) {
    change(is_running, {at, at});
    is_exact_ = true;
}

void pause_log::asked(bool is_running, base::steady_time at) {
    if (is_running != is_running_) {
        change(is_running, {std::min(at, last_told_.value_or(at)), at});
        is_exact_ = false;
    }
    last_told_ = at;
}

void pause_log::change(bool is_running, edge when) {
    last_told_ = when.latest;
    if (is_running == is_running_) return;
    is_running_ = is_running;
    if (is_running) {
        pauses_[(count_ - 1) % pauses_.size()].end = when;
    } else {
        pauses_[count_ % pauses_.size()] = {when, std::nullopt};
        ++count_;
    }
}

paused_time pause_log::within(base::steady_time from, base::steady_time to) const {
    paused_time sum;
    for (std::size_t back = 1; back <= std::min(count_, pauses_.size()); ++back) {
        const pause& each = pauses_[(count_ - back) % pauses_.size()];
        if (each.end && each.end->latest < from) break;
        // What lasts by the last word may have ended since, unless the end would have been heard.
        const base::steady_time told = is_exact_ ? to : last_told_.value_or(to);
        sum.estimate += overlap(from, to, each.begin.middle(), each.end ? each.end->middle() : to);
        sum.min += overlap(from, to, each.begin.latest, each.end ? each.end->earliest : told);
        sum.max += overlap(from, to, each.begin.earliest, each.end ? each.end->latest : to);
    }
    return sum;
}

}  // namespace qmpwatch::stall
