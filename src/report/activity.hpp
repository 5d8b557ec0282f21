// What a drive did, cut into bins that a chart can show.
#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qmpwatch::report {

/// What a drive had done by some time, since any moment before. The sums never fall.
struct activity_point {
    base::nanoseconds at{};
    std::uint64_t read_bytes = 0, reads = 0, written_bytes = 0, writes = 0;
};

/// What it did per second between two points.
struct activity_bin {
    base::nanoseconds begin{}, end{};
    double read_bytes_per_second = 0, reads_per_second = 0, written_bytes_per_second = 0, writes_per_second = 0;
    bool is_busy = false;  ///< some operation completed in it
};

/// At most about `most` bins side by side, each from one point to another and, but for rounding, not shorter than
/// `least`. Empty with fewer than two points. Points must be in the order of time.
std::vector<activity_bin> binned(const std::vector<activity_point>& points, base::nanoseconds least, std::size_t most);

}  // namespace qmpwatch::report
