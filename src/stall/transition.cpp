#include "stall/transition.hpp"

#include <algorithm>

namespace qmpwatch::stall {

void cause_totals::add(base::nanoseconds length) {
    const double seconds = base::in_seconds(length);
    const auto bound = std::lower_bound(bounds_seconds.begin(), bounds_seconds.end(), seconds);
    ++buckets[static_cast<std::size_t>(bound - bounds_seconds.begin())];
    ++count;
    lost += length;
}

std::string_view name(change what) {
    switch (what) {
        case change::suspected: return "suspected";
        case change::closed: return "closed";
        case change::withdrawn: return "withdrawn";
        case change::level_changed: return "level_changed";
        case change::cleared: break;
    }
    return "cleared";
}

}  // namespace qmpwatch::stall
