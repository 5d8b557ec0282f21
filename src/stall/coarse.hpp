// Stalls seen in samples that are further apart than the stalls are long: a suspicion from the idle times alone.
#pragma once

#include "base/clock.hpp"
#include "stall/cause.hpp"
#include "stall/gap_tracker.hpp"
#include "stall/settings.hpp"

#include <optional>
#include <vector>

namespace qmpwatch::stall {

/// Works for the 10 s band and samples 10 to 20 s apart. When a stream loses completions again and again, then
/// every window has operations, no sample is idle for longer than the time-out, most samples fall into a stall, and the
/// starts that their idle times give are a time-out apart. Natural idling fails one of these soon: of the models in
/// docs/stall-accuracy.md at most a few in a hundred pass, so `probable` is all there is.
class coarse_look {
public:
    /// `settings` must outlive it.
    explicit coarse_look(const detector_settings& settings) : settings_(&settings) {}

    /// Takes the window between two samples; `before` and `now` are the counters at its ends.
    void step(const tick& when, const counter_sums& before, const counter_sums& now);

    /// What the last windows allow to say.
    level verdict() const;

    void reset() { windows_.clear(); }

private:
    struct window {
        base::steady_time completion;  ///< the last one before the sample that closes it
        double idle_seconds = 0;
        double operations = 0, bytes = 0;
        double busy = 0;  ///< share of time in operations
    };
    bool holds(std::size_t count) const;

    const detector_settings* settings_;
    std::vector<window> windows_;  ///< the latest, at most coarse_probable
};

}  // namespace qmpwatch::stall
