// The stalls of a run by the intervals in which they ended: for the rows of CSV and JSON.
#pragma once

#include "base/clock.hpp"
#include "run/digest.hpp"

#include <cstdint>
#include <vector>

namespace qmpwatch::report {

struct interval_stalls {
    std::uint64_t ended = 0;   ///< stalls of this drive that ended in this interval
    base::nanoseconds lost{};  ///< the time that they took, also before the interval
};

/// One for each of the digest's intervals, in their order. A drive's interval reaches back to its one before, the first
/// of all to any time. Stalls that ended after the last are in none.
std::vector<interval_stalls> stalls_by_interval(const run::digest& of);

}  // namespace qmpwatch::report
