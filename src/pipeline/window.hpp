// The rates of one drive: over the interval that ends now, and over the fixed intervals of the reports.
#pragma once

#include "base/clock.hpp"
#include "sample/rate.hpp"
#include "sample/sample.hpp"

#include <deque>
#include <optional>

namespace qmpwatch::pipeline {

/// How samples become rates.
struct window_settings {
    base::nanoseconds interval = base::seconds(15);  ///< the length of a window
    base::nanoseconds poll = base::seconds(1);  ///< the distance of samples; half of it is the tolerance in time
};

/// A window that slides: the rate over the last interval, from the real elapsed time.
class sliding_window {
public:
    explicit sliding_window(window_settings settings) : settings_(settings) {}

    /// Takes the counters of one instant; instants must not go back. A counter that fell starts the window anew.
    void add(base::steady_time at, const sample::drive_counters& counters);

    /// The rate from the sample one interval ago to the last one. None until there is such a sample.
    std::optional<sample::drive_rate> rate() const;

private:
    struct checkpoint {
        base::steady_time at;
        sample::drive_counters counters;
    };
    window_settings settings_;
    std::deque<checkpoint> earlier_;  ///< at most 18, whatever the poll interval
    std::optional<checkpoint> last_;
};

/// Windows that stand side by side: origin + k * interval, so that reports neither drift nor overlap.
class report_clock {
public:
    explicit report_clock(window_settings settings) : settings_(settings) {}

    enum class tick {
        opens,  ///< the first sample: the first window begins here
        between,  ///< inside a window
        closes,  ///< a window ends here and the next begins; a late sample closes all windows that passed, in one
    };

    /// What the sample at `at` is. Instants must not go back.
    tick take(base::steady_time at);

    /// Until the first window closes; none when it has closed, or before the first sample.
    std::optional<base::nanoseconds> first_window_left(base::steady_time now) const;

    /// True when a window has closed since the origin.
    bool has_closed() const { return closed_one_; }

    /// Forgets the origin: the VM is gone.
    void reset();

private:
    window_settings settings_;
    std::optional<base::steady_time> origin_;
    base::steady_time next_{};
    bool closed_one_ = false;
};

}  // namespace qmpwatch::pipeline
