#include "report/activity.hpp"

#include <algorithm>

namespace qmpwatch::report {

namespace {

activity_bin bin_between(const activity_point& from, const activity_point& to) {
    activity_bin bin;
    bin.begin = from.at;
    bin.end = to.at;
    const double span = base::in_seconds(to.at - from.at);
    const auto per_second = [span](std::uint64_t before, std::uint64_t after) {
        return span > 0 && after > before ? static_cast<double>(after - before) / span : 0.0;
    };
    bin.read_bytes_per_second = per_second(from.read_bytes, to.read_bytes);
    bin.reads_per_second = per_second(from.reads, to.reads);
    bin.written_bytes_per_second = per_second(from.written_bytes, to.written_bytes);
    bin.writes_per_second = per_second(from.writes, to.writes);
    bin.is_busy = to.reads > from.reads || to.writes > from.writes;
    return bin;
}

}  // namespace

std::vector<activity_bin> binned(const std::vector<activity_point>& points, base::nanoseconds least, std::size_t most) {
    std::vector<activity_bin> bins;
    if (points.size() < 2) return bins;
    const base::nanoseconds span = points.back().at - points.front().at;
    // Samples are never quite so far apart as they should be.
    const base::nanoseconds width =
        std::max(least / 4 * 3, span / static_cast<std::int64_t>(std::max<std::size_t>(most, 1)));
    const activity_point* begin = &points.front();
    const activity_point* before = nullptr;  // where the last bin began
    for (const activity_point& point : points) {
        if (point.at <= begin->at || point.at - begin->at < width) continue;
        bins.push_back(bin_between(*begin, point));
        before = begin;
        begin = &point;
    }
    // What is left is too short for a bin of its own: its rate would be noise.
    if (points.back().at > begin->at) {
        if (before != nullptr) {
            bins.back() = bin_between(*before, points.back());
        } else {
            bins.push_back(bin_between(*begin, points.back()));
        }
    }
    return bins;
}

}  // namespace qmpwatch::report
