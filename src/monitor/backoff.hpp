// How long to wait before the next attempt to connect.
#pragma once

#include "base/clock.hpp"

namespace qmpwatch::monitor {

class backoff {
public:
    static constexpr base::milliseconds first{100};
    static constexpr base::milliseconds longest{5000};

    /// The delay before the next attempt; each doubles up to 5 s. `chance` in [0, 1) spreads it by up to a quarter, so
    /// that a thousand VMs of a rebooted host do not come back in step.
    base::nanoseconds next(double chance);

    /// After an attempt that ended with an answer.
    void reset() { delay_ = first; }

private:
    base::milliseconds delay_ = first;
};

}  // namespace qmpwatch::monitor
