// Quiet: when a VM whose drives had been busy has done nothing worth mentioning for a while.
#pragma once

#include "base/clock.hpp"
#include "run/phases.hpp"
#include "sample/sample.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace qmpwatch::run {

class quiet_watch {
public:
    /// `settings` says what a stream is: less on all drives together is quiet (a guest's log, a clock that is saved).
    explicit quiet_watch(const phase_settings& settings = {}) : settings_(settings) {}

    /// Takes the counters of one instant; instants must not go back.
    void add(const sample::sample& counters);

    /// How long it has been quiet by then; none before anything has streamed.
    std::optional<base::nanoseconds> quiet_for(base::steady_time now) const;

private:
    struct sums {
        base::steady_time at;
        std::uint64_t operations = 0, bytes = 0;
    };
    phase_settings settings_;
    std::deque<sums> recent_;  ///< back to one window ago
    std::optional<base::steady_time> last_busy_;
};

}  // namespace qmpwatch::run
