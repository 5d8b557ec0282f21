#include "gate/gate.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "gate/bootstrap.hpp"
#include "gate/calibrate.hpp"
#include "run/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace qmpwatch::gate {

namespace {

using base::errc;

base::result<void> check_run(const input& one) {
    if (one.digest.info.is_imported || one.digest.info.ended) return {};
    return base::fail(
        errc::data,
        fmt::format("{} has no end: it is still being recorded, or its recorder was killed; record it again",
                    base::printable(one.path())));
}

/// The same run twice would count as evidence that it is not.
base::result<void> check_twins(std::span<const input> candidates, std::span<const input> baselines) {
    std::vector<std::pair<const input*, bool>> all;
    for (const input& each : baselines) all.emplace_back(&each, false);
    for (const input& each : candidates) all.emplace_back(&each, true);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = i + 1; k < all.size(); ++k) {
            const auto& [one, one_side] = all[i];
            const auto& [other, other_side] = all[k];
            const std::string& id = one->digest.info.about.id;
            const bool is_same = one->sha256 == other->sha256 || (!id.empty() && id == other->digest.info.about.id);
            if (!is_same) continue;
            return base::fail(errc::data, fmt::format("{} and {} are the same run{}: leave one of them out",
                                                      base::printable(one->path()), base::printable(other->path()),
                                                      one_side == other_side ? "" : ", on both sides"));
        }
    }
    return {};
}

run_row row_of(const input& one) {
    const run::run_info& info = one.digest.info;
    run_row row;
    row.path = info.path;
    row.sha256 = one.sha256;
    row.id = info.about.id;
    if (info.about.has_wall_clock) row.recorded = info.about.start.wall;
    row.is_complete = info.ended && info.ended->is_complete();
    row.end = info.ended ? run::name(info.ended->reason) : run::name(run::end_reason::imported);
    row.stalls = one.digest.stalls.size();
    for (const run::stall_digest& each : one.digest.stalls) row.lost += each.length;
    return row;
}

base::result<std::vector<timed_run>> curves_of(std::span<const input> runs, const metric& what,
                                               const std::string& medium) {
    std::vector<timed_run> made;
    for (const input& each : runs) {
        const base::result<curve> one = curve::of(each.digest, what, medium);
        if (one.has_error()) {
            return base::fail(errc::data, fmt::format("{} cannot be compared by {}: {}", base::printable(each.path()),
                                                      base::printable(name(what)), one.error().message));
        }
        made.push_back({each.path(), *one});
    }
    return made;
}

std::vector<measured_run> measured(std::span<const input> inputs, std::span<const timed_run> runs, const metric& what,
                                   const std::vector<time_of_run>& times, double bytes) {
    std::vector<measured_run> made;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const curve& did = runs[i].did;
        measured_run one;
        one.begin = did.begin();
        one.length = did.length();
        one.bytes = did.bytes();
        if (!times.empty()) {
            one.at_checkpoint = times[i];
            const double time = base::in_seconds(times[i].time);
            if (!times[i].is_cut && time > 0 && bytes > 0) one.bytes_per_second = bytes / time;
        }
        for (const run::drive_digest& drive : inputs[i].digest.drives) {
            if (what.what == metric::kind::run || drive.drive != did.drive()) continue;
            const base::nanoseconds window = inputs[i].digest.windows.interval;
            one.evenness =
                describe(run::window_rates(drive.moved, what.way, did.begin(), did.begin() + did.length(), window));
        }
        made.push_back(std::move(one));
    }
    return made;
}

/// What a metric says when only its own alpha counts, and when the others take their share of it.
struct told {
    estimate change;
    std::optional<estimate> stepped;

    verdict its(const margin_settings& tolerance) const {
        // That all of several are within their margins needs no correction: each has to be shown by itself.
        if (judge(change, tolerance) == verdict::pass) return verdict::pass;
        if (stepped && judge(*stepped, tolerance) == verdict::fail) return verdict::fail;
        return verdict::inconclusive;
    }
};

/// All metrics that have a checkpoint, under one reading.
std::vector<std::optional<told>> told_under(reading how, std::span<const metric_outcome> metrics,
                                            const estimate_settings& evidence) {
    std::vector<sides> deciding;
    std::vector<std::optional<told>> made;
    std::vector<std::size_t> place;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        made.emplace_back();
        if (metrics[i].at.share <= 0) continue;
        const sides its = read_as(metrics[i].at, how);
        estimate_settings alone = evidence;
        alone.resolution = its.resolution;
        made.back() = told{compare(its.candidates, its.baselines, alone), std::nullopt};
        if (metrics[i].decides) {
            deciding.push_back(its);
            place.push_back(i);
        } else {
            made.back()->stepped = made.back()->change;
        }
    }
    const std::vector<std::optional<estimate>> stepped = step_down(deciding, evidence);
    for (std::size_t i = 0; i < stepped.size(); ++i) made[place[i]]->stepped = stepped[i];
    return made;
}

constexpr std::size_t enough_runs = 3;

void settle(metric_outcome& of, const told& kindest, const told& harshest, const settings& how) {
    of.change = kindest.change;
    const bool has_cut = of.at.has_cut();
    if (has_cut) of.harshest = harshest.change;
    const sides its = read_as(of.at, reading::kindest);
    if (!has_cut) {
        of.deviation = pooled_deviation(its.candidates, its.baselines);
        if (its.candidates.size() + its.baselines.size() > 2) {
            const limits resampled = percentile_interval(bootstrap_shifts(its.candidates, its.baselines, 1), 0.90);
            of.resampled = resampled;
        }
    }
    if (of.at.share < least_share) {
        of.why = reason::too_short;
        return;
    }
    if (of.at.is_too_coarse) {
        of.why = reason::resolution;
        return;
    }
    const verdict one = kindest.its(how.tolerance), other = harshest.its(how.tolerance);
    if (one != other) {
        of.why = reason::censored;
        return;
    }
    of.its = one;
    if (one != verdict::inconclusive) return;
    const std::size_t fewest = std::min(its.candidates.size(), its.baselines.size());
    of.why = fewest < enough_runs ? reason::few_runs : reason::noise;
    if (has_cut) return;
    const double spread = std::max({of.deviation.value_or(0), how.evidence.noise_floor, of.at.resolution});
    const std::optional<std::size_t> needed =
        of.deviation ? runs_needed(*of.change, spread, how.tolerance.margin) : std::optional(enough_runs);
    if (needed) of.runs_needed = std::max(*needed, fewest + 1);
}

void warn_of_time(outcome& to, base::nanoseconds max_age, base::wall_time now) {
    std::optional<base::wall_time> first_candidate, last_baseline;
    std::size_t old = 0;
    const run_row* oldest = nullptr;
    for (const run_row& each : to.baselines) {
        if (!each.recorded) continue;
        last_baseline = std::max(last_baseline.value_or(*each.recorded), *each.recorded);
        if (now - *each.recorded <= max_age) continue;
        ++old;
        if (oldest == nullptr || *each.recorded < *oldest->recorded) oldest = &each;
    }
    for (const run_row& each : to.candidates) {
        if (each.recorded) first_candidate = std::min(first_candidate.value_or(*each.recorded), *each.recorded);
    }
    if (oldest != nullptr) {
        to.warnings.push_back(
            fmt::format("{} of {} baselines {} older than {} (--max-age), the oldest is {}: record new ones", old,
                        to.baselines.size(), old == 1 ? "is" : "are", base::format_duration(max_age),
                        base::printable(oldest->path)));
    }
    if (first_candidate && last_baseline && *last_baseline < *first_candidate &&
        to.baselines.size() + to.candidates.size() > 2) {
        to.warnings.emplace_back("all baselines were recorded before all candidates, so a host that became slower "
                                 "meanwhile looks like a slower "
                                 "candidate: take turns where you can (baseline, candidate, candidate, baseline, ...)");
    }
}

std::vector<std::string> drives_of(std::span<const std::vector<timed_run>> curves) {
    std::vector<std::string> drives;
    for (const std::vector<timed_run>& runs : curves) {
        const std::string& drive = runs.front().did.drive();
        if (!drive.empty() && std::find(drives.begin(), drives.end(), drive) == drives.end()) drives.push_back(drive);
    }
    return drives;
}

base::result<void> check_properties(outcome& to, std::span<const input> candidates, std::span<const input> baselines,
                                    const std::vector<std::string>& drives, const std::vector<std::string>& allowed) {
    std::vector<described_run> described;
    for (const auto side : {baselines, candidates}) {
        for (const input& each : side) described.push_back({each.path(), properties_of(each.digest, drives)});
    }
    to.of = fingerprint_of(described[baselines.size()].properties);
    mismatches found = compare_properties(described, allowed);
    if (!found.refusals.empty()) return base::fail(errc::data, fmt::format("{}", fmt::join(found.refusals, "; ")));
    to.warnings.insert(to.warnings.end(), found.warnings.begin(), found.warnings.end());
    if (!found.unknown.empty()) {
        to.warnings.push_back(
            fmt::format("not compared, because not every run says it (imported runs and HMP know less): {}",
                        fmt::join(found.unknown, ", ")));
    }
    return {};
}

std::vector<limited_run> limited(std::span<const input> runs, const std::vector<timed_run>& curves) {
    std::vector<limited_run> made;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        limited_run one{runs[i].path(), &runs[i].digest, std::nullopt};
        if (!curves.empty()) {
            const curve& did = curves[i].did;
            const double time = base::in_seconds(did.is_complete() ? did.length() : did.seen());
            if (time > 0) one.bytes_per_second = static_cast<double>(did.bytes()) / time;
        }
        made.push_back(std::move(one));
    }
    return made;
}

verdict overall(const outcome& of) {
    bool is_open = false;
    for (const limit_outcome& each : of.limits) {
        if (each.its == verdict::fail) return verdict::fail;
    }
    for (const metric_outcome& each : of.metrics) {
        if (!each.decides) continue;
        if (each.its == verdict::fail) return verdict::fail;
        is_open = is_open || each.its == verdict::inconclusive;
    }
    return is_open ? verdict::inconclusive : verdict::pass;
}

/// In the bytes that were moved.
bool may_differ(const settings& how) {
    return std::find(how.allowed_mismatches.begin(), how.allowed_mismatches.end(), "bytes") !=
           how.allowed_mismatches.end();
}

std::string percent(double ratio) { return fmt::format("{:.0f} %", std::abs(ratio) * 100); }

}  // namespace

base::result<outcome> decide(std::span<const input> candidates, std::span<const input> baselines, const settings& how,
                             base::wall_time now) {
    if (candidates.empty()) return base::fail(errc::usage, "there is no candidate run");
    if (baselines.empty() && !how.limits.has_any()) {
        return base::fail(errc::usage,
                          "there is no baseline run, and no limit either (--max-stalls, --min-throughput, ...)");
    }
    if (const auto differ = check_twins(candidates, baselines); differ.has_error()) return differ.error();
    outcome made;
    for (const input& each : candidates) {
        if (const auto whole = check_run(each); whole.has_error()) return whole.error();
        made.candidates.push_back(row_of(each));
    }
    for (const input& each : baselines) {
        if (const auto whole = check_run(each); whole.has_error()) return whole.error();
        made.baselines.push_back(row_of(each));
    }

    // With limits only, a run needs no copy unless its throughput has one.
    std::vector<metric> wanted = how.metrics;
    if (baselines.empty() && !how.limits.min_bytes_per_second) wanted.clear();
    const std::size_t deciding = wanted.size();
    if (!baselines.empty()) wanted.insert(wanted.end(), how.informational.begin(), how.informational.end());
    std::vector<std::vector<timed_run>> curves;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto runs = curves_of(candidates, wanted[i], how.medium);
        if (runs.has_error()) return runs.error();
        curves.push_back(std::move(*runs));
        if (baselines.empty()) continue;
        const auto before = curves_of(baselines, wanted[i], how.medium);
        if (before.has_error()) return before.error();
        auto at = pick_checkpoint(curves.back(), *before, how.tolerance.margin, may_differ(how));
        if (at.has_error()) return at.error();
        metric_outcome one;
        one.what = wanted[i];
        one.decides = i < deciding;
        one.at = std::move(*at);
        one.candidates = measured(candidates, curves.back(), one.what, one.at.candidates, one.at.bytes);
        one.baselines = measured(baselines, *before, one.what, one.at.baselines, one.at.bytes);
        one.why = reason::too_short;  // until it is settled
        made.metrics.push_back(std::move(one));
    }
    const auto same = check_properties(made, candidates, baselines, drives_of(curves), how.allowed_mismatches);
    if (same.has_error()) return same.error();

    const auto kindest = told_under(reading::kindest, made.metrics, how.evidence);
    const auto harshest = told_under(reading::harshest, made.metrics, how.evidence);
    for (std::size_t i = 0; i < made.metrics.size(); ++i) {
        if (!kindest[i]) continue;
        made.metrics[i].why = reason::none;
        settle(made.metrics[i], *kindest[i], *harshest[i], how);
    }
    if (how.limits.has_any()) {
        const std::vector<timed_run> none;
        made.limits = check_limits(limited(candidates, curves.empty() ? none : curves.front()), how.limits);
    }
    warn_of_time(made, how.max_age, now);
    made.its = overall(made);
    return made;
}

base::result<comparable_speeds> speeds_to_calibrate(std::span<const input> runs, const settings& how) {
    if (runs.size() < fewest_to_calibrate) {
        return base::fail(errc::usage, fmt::format("{} runs tell too little of the noise: at least {}", runs.size(),
                                                   fewest_to_calibrate));
    }
    if (const auto differ = check_twins({}, runs); differ.has_error()) return differ.error();
    for (const input& each : runs) {
        if (const auto whole = check_run(each); whole.has_error()) return whole.error();
    }
    const auto curves = curves_of(runs, how.metrics.front(), how.medium);
    if (curves.has_error()) return curves.error();
    auto at = pick_checkpoint(*curves, *curves, how.tolerance.margin, may_differ(how));
    if (at.has_error()) return at.error();
    outcome described;
    const std::vector<std::vector<timed_run>> all{*curves};
    const auto same = check_properties(described, runs, {}, drives_of(all), how.allowed_mismatches);
    if (same.has_error()) return same.error();
    comparable_speeds made;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!at->baselines.empty() && !at->baselines[i].is_cut) continue;
        return base::fail(errc::data, fmt::format("{} was cut short: calibrate with runs that came to their end",
                                                  base::printable(runs[i].path())));
    }
    made.logs = read_as(*at, reading::kindest).baselines;
    made.at = std::move(*at);
    made.of = described.of;
    made.warnings = std::move(described.warnings);
    if (made.at.is_too_coarse) {
        made.warnings.emplace_back(
            "the samples are far apart for so short a phase, which looks like noise: record with a shorter --poll");
    }
    return made;
}

std::string explain(const metric_outcome& of, const settings& how) {
    const std::string margin = percent(how.tolerance.margin);
    if (!of.change)
        return "no checkpoint was reached on both sides: the runs were cut short before they can be compared";
    const double ratio = std::exp(of.change->shift), low = std::exp(of.change->lower),
                 high = std::exp(of.change->upper);
    switch (of.its) {
        case verdict::pass:
            return high < 1 ? fmt::format("slower, and surely by less than {}", margin)
                            : fmt::format("surely not slower by {} or more", margin);
        case verdict::fail:
            return fmt::format("surely slower, by {} as far as these runs tell; {} are tolerated", percent(1 - ratio),
                               margin);
        case verdict::inconclusive: break;
    }
    std::string text;
    switch (of.why) {
        case reason::too_short:
            return "less than half of the baselines' bytes were reached on both sides: let the runs go on for longer";
        case reason::resolution:
            return "the samples are too far apart for so short a phase: record with a shorter --poll";
        case reason::censored:
            return "the answer hangs on how long the runs would have taken that were cut short: let them end";
        case reason::few_runs:
            if (of.change->how == method::declared) {
                text = fmt::format("one run against one cannot tell anything below a factor of {:g} from chance",
                                   how.evidence.declared_factor);
            } else {
                text = fmt::format("anything from {:.2f} to {:.2f} times as fast fits these few runs", low, high);
            }
            break;
        case reason::noise:
        case reason::none:
            text = fmt::format("anything from {:.2f} to {:.2f} times as fast fits these runs", low, high);
            break;
    }
    if (of.runs_needed) {
        text += fmt::format("; about {} runs a side would settle it", *of.runs_needed);
    } else if (!of.at.has_cut()) {
        text += "; it lies so near the margin that more runs hardly settle it";
    }
    return text;
}

}  // namespace qmpwatch::gate
