// A fixed beat that does not drift: the ticks are start + k * period, whatever a poll takes.
#pragma once

#include "base/clock.hpp"

#include <cstdint>

namespace qmpwatch::base {

class cadence {
public:
    /// The first tick is at `start`. `period` must be above zero.
    cadence(steady_time start, nanoseconds period) : start_(start), period_(period) {}

    nanoseconds period() const { return period_; }

    /// The first tick after `now`. Ticks that passed are skipped, not made up for.
    steady_time next_after(steady_time now) const {
        if (now < start_) return start_;
        const std::int64_t passed = (now - start_) / period_;
        return start_ + period_ * (passed + 1);
    }

private:
    steady_time start_;
    nanoseconds period_;
};

}  // namespace qmpwatch::base
