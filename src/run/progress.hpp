// Progress: how much a drive had done by when, since the first sample of a run. Counters that are reset by a new QEMU
// process go on where they were.
#pragma once

#include "base/clock.hpp"
#include "sample/sample.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace qmpwatch::run {

/// What can be summed up of one direction.
struct amount {
    std::uint64_t bytes = 0;
    std::uint64_t operations = 0;
    std::uint64_t time_ns = 0;  ///< sum of latencies

    friend bool operator==(const amount&, const amount&) = default;
    amount& operator+=(const amount& more);
    /// `less` must be an earlier sum of the same: nothing in it is more.
    amount operator-(const amount& less) const;
};

enum class direction : std::uint8_t { read, write };

class progress {
public:
    struct point {
        base::nanoseconds elapsed{};
        amount read, write;
        /// Elapsed; when the last operation before this point ended. Where the monitor does not tell (no idle time),
        /// the first sample that had it. Below zero when that was before the first sample.
        base::nanoseconds last_completion{};
        const amount& operator[](direction way) const { return way == direction::read ? read : write; }
    };

    /// Takes the counters of one instant; instants must not go back. Of two with one time the later stands. Counters
    /// that fell add nothing: nobody knows since when they count.
    void add(base::nanoseconds elapsed, const sample::drive_counters& counters);

    /// One for each sample in which the drive was there.
    const std::vector<point>& points() const { return points_; }

    /// What had been done by then: between two samples in proportion to the time until the last completion, after
    /// which nothing was done. Before the first sample nothing; after the last all. The operations are rounded.
    amount amount_at(base::nanoseconds elapsed, direction way) const;

    /// The same in bytes, with fractions.
    double bytes_at(base::nanoseconds elapsed, direction way) const;

    /// When so many bytes had been moved; between two samples in the same proportion. None when they never were.
    std::optional<base::nanoseconds> reached(double bytes, direction way) const;

    /// The sum at the last sample at or before that time; nothing, with that time, before the first sample.
    point at(base::nanoseconds elapsed) const;

private:
    /// A moment between two samples: `share` of what was done between them was done by then.
    struct place {
        const point* before = nullptr;
        const point* after = nullptr;
        double share = 0;
    };
    std::optional<place> find(base::nanoseconds elapsed) const;

    std::vector<point> points_;
    std::optional<sample::drive_counters> last_;
};

}  // namespace qmpwatch::run
