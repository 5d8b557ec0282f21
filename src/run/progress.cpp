// All look-ups are binary searches: times and sums never fall from point to point.
#include "run/progress.hpp"

#include "sample/rate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace qmpwatch::run {

namespace {

using sample::operation;

amount difference(const sample::operation_counters& before, const sample::operation_counters& after) {
    return {after.bytes - before.bytes, after.completed - before.completed, after.time_ns - before.time_ns};
}

/// When the last of the operations between the two samples ended.
base::nanoseconds end_of_work(const progress::point& before, const progress::point& after) {
    return std::clamp(after.last_completion, before.elapsed, after.elapsed);
}

std::uint64_t part(std::uint64_t whole, double share) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(whole) * share));
}

}  // namespace

amount& amount::operator+=(const amount& more) {
    bytes += more.bytes;
    operations += more.operations;
    time_ns += more.time_ns;
    return *this;
}

amount amount::operator-(const amount& less) const {
    return {bytes - less.bytes, operations - less.operations, time_ns - less.time_ns};
}

void progress::add(base::nanoseconds elapsed, const sample::drive_counters& counters) {
    point next;
    next.elapsed = elapsed;
    next.last_completion = elapsed;
    bool is_untouched = false;
    if (!points_.empty()) {
        next.elapsed = std::max(elapsed, points_.back().elapsed);
        next.read = points_.back().read;
        next.write = points_.back().write;
        if (sample::continues(*last_, counters)) {
            next.read += difference((*last_)[operation::read], counters[operation::read]);
            next.write += difference((*last_)[operation::write], counters[operation::write]);
            is_untouched = counters.by_operation == last_->by_operation;
        }
    }
    if (counters.idle) {
        next.last_completion = next.elapsed - *counters.idle;
    } else if (is_untouched) {
        next.last_completion = points_.back().last_completion;
    }
    if (!points_.empty() && points_.back().elapsed == next.elapsed) points_.pop_back();
    points_.push_back(next);
    last_ = counters;
}

std::optional<progress::place> progress::find(base::nanoseconds elapsed) const {
    const auto after = std::upper_bound(points_.begin(), points_.end(), elapsed,
                                        [](base::nanoseconds when, const point& one) { return when < one.elapsed; });
    if (after == points_.begin()) return std::nullopt;
    const point& before = *std::prev(after);
    if (after == points_.end()) return place{&before, &before, 0};
    const base::nanoseconds length = end_of_work(before, *after) - before.elapsed;
    const base::nanoseconds past = elapsed - before.elapsed;
    if (past == base::nanoseconds{}) return place{&before, &*after, 0};
    const double share = past >= length ? 1 : base::in_seconds(past) / base::in_seconds(length);
    return place{&before, &*after, share};
}

amount progress::amount_at(base::nanoseconds elapsed, direction way) const {
    const std::optional<place> here = find(elapsed);
    if (!here) return {};
    const amount& before = (*here->before)[way];
    const amount more = (*here->after)[way] - before;
    amount sum = before;
    sum += {part(more.bytes, here->share), part(more.operations, here->share), part(more.time_ns, here->share)};
    return sum;
}

double progress::bytes_at(base::nanoseconds elapsed, direction way) const {
    const std::optional<place> here = find(elapsed);
    if (!here) return 0;
    const amount& before = (*here->before)[way];
    return static_cast<double>(before.bytes) + here->share * static_cast<double>(((*here->after)[way] - before).bytes);
}

std::optional<base::nanoseconds> progress::reached(double bytes, direction way) const {
    const auto after = std::lower_bound(points_.begin(), points_.end(), bytes, [&](const point& one, double wanted) {
        return static_cast<double>(one[way].bytes) < wanted;
    });
    if (after == points_.end()) return std::nullopt;
    if (after == points_.begin()) return after->elapsed;
    const point& before = *std::prev(after);
    const double had = static_cast<double>(before[way].bytes);
    const double share = (bytes - had) / (static_cast<double>((*after)[way].bytes) - had);
    const base::nanoseconds length = end_of_work(before, *after) - before.elapsed;
    return before.elapsed + base::nanoseconds(std::llround(static_cast<double>(length.count()) * share));
}

progress::point progress::at(base::nanoseconds elapsed) const {
    const std::optional<place> here = find(elapsed);
    if (here) return *here->before;
    point nothing;
    nothing.elapsed = nothing.last_completion = elapsed;
    return nothing;
}

}  // namespace qmpwatch::run
