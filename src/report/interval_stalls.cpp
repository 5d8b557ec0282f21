#include "report/interval_stalls.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace qmpwatch::report {

namespace {

/// The stalls of one drive, by their ends.
struct queue {
    std::vector<std::pair<base::nanoseconds, base::nanoseconds>> ends_and_lengths;
    std::size_t next = 0;
};

}  // namespace

std::vector<interval_stalls> stalls_by_interval(const run::digest& of) {
    std::map<std::string, queue> by_drive;
    for (const run::stall_digest& each : of.stalls) {
        by_drive[each.drive].ends_and_lengths.emplace_back(each.start + each.length, each.length);
    }
    for (auto& [drive, stalls] : by_drive) std::sort(stalls.ends_and_lengths.begin(), stalls.ends_and_lengths.end());

    std::vector<interval_stalls> sums;
    for (const run::interval_digest& each : of.intervals) {
        interval_stalls& sum = sums.emplace_back();
        const auto found = by_drive.find(each.rate.drive);
        if (found == by_drive.end()) continue;
        queue& stalls = found->second;
        for (; stalls.next < stalls.ends_and_lengths.size(); ++stalls.next) {
            const auto [end, length] = stalls.ends_and_lengths[stalls.next];
            if (end > each.elapsed) break;
            ++sum.ended;
            sum.lost += length;
        }
    }
    return sums;
}

}  // namespace qmpwatch::report
