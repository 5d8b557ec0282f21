#include "monitor/backoff.hpp"

#include <algorithm>

namespace qmpwatch::monitor {

base::nanoseconds backoff::next(double chance) {
    const base::nanoseconds full = delay_;
    delay_ = std::min(delay_ * 2, longest);
    return full - base::nanoseconds(static_cast<std::int64_t>(static_cast<double>(full.count()) * chance / 4));
}

}  // namespace qmpwatch::monitor
