#include "gate/checkpoint.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qmpwatch::gate {

namespace {

double median_bytes(std::span<const timed_run> runs) {
    std::vector<double> complete, all;
    for (const timed_run& each : runs) {
        all.push_back(static_cast<double>(each.did.bytes()));
        if (each.did.is_complete()) complete.push_back(all.back());
    }
    std::vector<double>& values = complete.empty() ? all : complete;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

bool counts_as_complete(const curve& did, double median) {
    if (did.is_complete() || median <= 0) return did.is_complete();
    return static_cast<double>(did.bytes()) >= (1 - tolerated_difference) * median;
}

/// Whether a checkpoint can be there.
bool is_reached(std::span<const timed_run> runs, double bytes, double median) {
    bool has_one = false;
    for (const timed_run& each : runs) {
        const bool is_there = each.did.time_to(bytes).has_value();
        if (!is_there && counts_as_complete(each.did, median)) return false;
        has_one = has_one || is_there;
    }
    return has_one;
}

std::vector<time_of_run> times_at(std::span<const timed_run> runs, double bytes) {
    std::vector<time_of_run> made;
    for (const timed_run& each : runs) {
        const std::optional<base::nanoseconds> time = each.did.time_to(bytes);
        made.push_back({time.value_or(each.did.seen()), !time});
    }
    return made;
}

base::result<void> check_bytes(std::span<const timed_run> runs, double median) {
    for (const timed_run& each : runs) {
        const double bytes = static_cast<double>(each.did.bytes());
        if (!each.did.is_complete() || std::abs(bytes / median - 1) <= tolerated_difference) continue;
        return base::fail(
            base::errc::data,
            fmt::format("{} moved {}, the baselines {} (median): they did not do the same work; --allow-mismatch bytes "
                        "compares them all the same",
                        base::printable(each.path), base::format_bytes(bytes), base::format_bytes(median)));
    }
    return {};
}

void take_resolution(checkpoint& at, std::span<const timed_run> runs, const std::vector<time_of_run>& times,
                     double margin) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double cadence = base::in_seconds(runs[i].did.cadence()), time = base::in_seconds(times[i].time);
        if (cadence > margin / 2 * time || time <= 0) at.is_too_coarse = true;
        if (time > 0) at.resolution = std::max(at.resolution, cadence / (std::sqrt(6.0) * time));
    }
}

double log_of_speed(const time_of_run& run, bool cut_is_never) {
    if (run.is_cut && cut_is_never) return log_of_never;
    // A time of nothing is too coarse for a verdict, and still has to be a number.
    return -std::log(std::max(base::in_seconds(run.time), 1e-9));
}

}  // namespace

bool checkpoint::has_cut() const {
    const auto is_cut = [](const time_of_run& each) { return each.is_cut; };
    return std::any_of(candidates.begin(), candidates.end(), is_cut) ||
           std::any_of(baselines.begin(), baselines.end(), is_cut);
}

base::result<checkpoint> pick_checkpoint(std::span<const timed_run> candidates, std::span<const timed_run> baselines,
                                         double margin, bool may_differ) {
    const double median = median_bytes(baselines);
    if (median > 0 && !may_differ) {
        for (const auto side : {baselines, candidates}) {
            if (const auto same = check_bytes(side, median); same.has_error()) return same.error();
        }
    }
    checkpoint made;
    for (const double share : checkpoint_shares) {
        const double bytes = std::floor(share * median);
        if (!is_reached(candidates, bytes, median) || !is_reached(baselines, bytes, median)) continue;
        made.bytes = bytes;
        made.share = share;
        made.candidates = times_at(candidates, bytes);
        made.baselines = times_at(baselines, bytes);
        take_resolution(made, candidates, made.candidates, margin);
        take_resolution(made, baselines, made.baselines, margin);
        break;
    }
    return made;
}

sides read_as(const checkpoint& at, reading how) {
    sides made;
    for (const time_of_run& each : at.candidates) {
        made.candidates.push_back(log_of_speed(each, how == reading::harshest));
    }
    for (const time_of_run& each : at.baselines) {
        made.baselines.push_back(log_of_speed(each, how == reading::kindest));
    }
    made.resolution = at.resolution;
    return made;
}

}  // namespace qmpwatch::gate
