#include "report/some_gate.hpp"

#include "gate/bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

namespace qmpwatch::report_test {

namespace {

constexpr double checkpoint_bytes = 7'736'125'440;

base::nanoseconds span(double seconds) { return base::nanoseconds(std::llround(seconds * 1e9)); }

/// 2026-11-30T20:00:00Z, which is 20787 days and 20 hours after the epoch.
base::wall_time some_day() { return base::wall_time(std::chrono::hours(20787 * 24 + 20)); }

std::vector<gate::run_row> rows(const std::vector<timed>& runs, const std::string& folder, int first_hour) {
    std::vector<gate::run_row> made;
    for (const timed& each : runs) {
        const std::size_t number = made.size() + 1;
        gate::run_row row;
        row.path = fmt::format("{}/{}{}.jsonl.gz", folder, folder.front(), number);
        row.sha256 = std::string(63, folder.front()) + std::to_string(number);
        row.id = fmt::format("{}{:015}", folder.front(), number);
        row.recorded = some_day() + std::chrono::hours(first_hour + static_cast<int>(number));
        row.is_complete = !each.is_cut;
        row.end = each.is_cut ? "time-limit" : "guest-shutdown";
        if (number == 2) {
            row.stalls = 5;
            row.lost = span(50.4);
        }
        made.push_back(std::move(row));
    }
    return made;
}

std::vector<gate::time_of_run> times(const std::vector<timed>& runs) {
    std::vector<gate::time_of_run> made;
    for (const timed& each : runs) made.push_back({span(each.seconds), each.is_cut});
    return made;
}

std::vector<gate::measured_run> measured(const std::vector<timed>& runs) {
    std::vector<gate::measured_run> made;
    for (const timed& each : runs) {
        gate::measured_run one;
        one.begin = span(4.2);
        one.length = span(each.seconds);
        one.bytes = static_cast<std::uint64_t>(each.is_cut ? checkpoint_bytes / 2 : checkpoint_bytes);
        one.at_checkpoint = gate::time_of_run{span(each.seconds), each.is_cut};
        if (!each.is_cut) one.bytes_per_second = checkpoint_bytes / each.seconds;
        const std::vector<double> rates{54.3, 84.7, 62.6, 66.6, 80.6, 79.8, 92.2};
        if (made.empty()) one.evenness = gate::describe(rates);
        made.push_back(std::move(one));
    }
    return made;
}

gate::metric_outcome metric_of(const std::vector<timed>& candidates, const std::vector<timed>& baselines,
                               const gate::settings& how) {
    gate::metric_outcome made;
    made.candidates = measured(candidates);
    made.baselines = measured(baselines);
    made.at.bytes = checkpoint_bytes;
    made.at.share = 1;
    made.at.candidates = times(candidates);
    made.at.baselines = times(baselines);
    made.at.resolution = 0.002;
    const gate::sides kind = gate::read_as(made.at, gate::reading::kindest);
    made.change = gate::compare(kind.candidates, kind.baselines, how.evidence);
    made.its = gate::judge(*made.change, how.tolerance);
    if (made.at.has_cut()) {
        const gate::sides harsh = gate::read_as(made.at, gate::reading::harshest);
        made.harshest = gate::compare(harsh.candidates, harsh.baselines, how.evidence);
        if (gate::judge(*made.harshest, how.tolerance) != made.its) {
            made.its = gate::verdict::inconclusive;
            made.why = gate::reason::censored;
        } else if (made.its == gate::verdict::inconclusive) {
            made.why = gate::reason::noise;
        }
        return made;
    }
    made.deviation = gate::pooled_deviation(kind.candidates, kind.baselines);
    if (made.deviation) made.resampled = gate::limits{made.change->lower / 2, made.change->upper / 2};
    if (made.its == gate::verdict::inconclusive) {
        made.why = std::min(candidates.size(), baselines.size()) < 3 ? gate::reason::few_runs : gate::reason::noise;
        made.runs_needed = 6;
    }
    return made;
}

gate::limit_outcome limit(std::string name, std::string allowed, std::string seen, double value, double seen_value,
                          gate::verdict its) {
    return {std::move(name), std::move(allowed), std::move(seen), value, seen_value, "candidates/c2.jsonl.gz", its};
}

}  // namespace

report::gate_report some_gate(const std::vector<timed>& candidates, const std::vector<timed>& baselines) {
    report::gate_report made;
    made.arguments = {"gate", "--baseline", "baselines", "--candidate", "candidates"};
    gate::outcome its;
    its.candidates = rows(candidates, "candidates", 2);
    its.baselines = rows(baselines, "baselines", 0);
    its.metrics.push_back(metric_of(candidates, baselines, made.how));
    its.its = its.metrics.front().its;
    its.of = {"media=sampled-sha256:9f86d081, bus=nvme on pci, cache=writeback, vcpus=6, accelerator=hvf",
              "3f2a9c0d1b7e"};
    made.exit_code = its.its == gate::verdict::pass ? 0 : its.its == gate::verdict::fail ? 1 : 3;
    made.outcome = std::move(its);
    return made;
}

report::gate_report some_failed_gate() {
    report::gate_report made = some_gate({210, 225, 198}, {165, 160, 135});
    made.outcome->warnings = {"QEMU's version differs: 11.1.0 in baselines/b1.jsonl.gz, 11.1.1 in "
                              "candidates/c1.jsonl.gz"};
    return made;
}

report::gate_report some_passed_gate() { return some_gate({150, 158, 140}, {165, 160, 135}); }

report::gate_report some_cut_gate() { return some_gate({210, {400, true}, {400, true}, 225}, {165, 160, 135, 150}); }

report::gate_report some_open_gate(gate::reason why) {
    switch (why) {
        case gate::reason::none:
        case gate::reason::noise: break;
        case gate::reason::few_runs: return some_gate({165}, {135});
        case gate::reason::resolution: {
            report::gate_report made = some_passed_gate();
            made.outcome->metrics[0].at.is_too_coarse = true;
            made.outcome->metrics[0].its = made.outcome->its = gate::verdict::inconclusive;
            made.outcome->metrics[0].why = why;
            made.exit_code = 3;
            return made;
        }
        case gate::reason::censored: return some_gate({150, {155, true}, 140}, {165, 160, {135, true}});
        case gate::reason::too_short: {
            report::gate_report made = some_gate({{40, true}, {50, true}}, {{45, true}, {30, true}});
            gate::metric_outcome& metric = made.outcome->metrics[0];
            metric.at = {};
            metric.change = metric.harshest = std::nullopt;
            metric.its = made.outcome->its = gate::verdict::inconclusive;
            metric.why = why;
            for (auto* side : {&metric.candidates, &metric.baselines}) {
                for (gate::measured_run& each : *side) each.at_checkpoint = std::nullopt;
            }
            made.exit_code = 3;
            return made;
        }
    }
    return some_gate({172, 181, 169}, {165, 160, 135});
}

report::gate_report some_gate_with_limits() {
    report::gate_report made = some_passed_gate();
    made.how.informational = {{gate::metric::kind::drive, "system", run::direction::write}};
    made.how.limits.max_stalls = 3;
    made.how.limits.max_stalled = std::chrono::minutes(2);
    made.how.limits.no_cause = {stall::cause::lost_completion};
    made.how.limits.min_bytes_per_second = 40e6;
    gate::metric_outcome second = metric_of({300, 330, 290}, {290, 300, 250}, made.how);
    second.what = made.how.informational.front();
    second.decides = false;
    made.outcome->metrics.push_back(std::move(second));
    made.outcome->limits = {
        limit("max-stalls", "at most 3", "5 in candidates/c2.jsonl.gz", 3, 5, gate::verdict::fail),
        limit("max-stall-seconds", "at most 120.0 s", "50.4 s in candidates/c2.jsonl.gz", 120, 50.4,
              gate::verdict::pass),
        limit("no-cause lost_completion", "none", "0 in candidates/c1.jsonl.gz", 0, 0, gate::verdict::pass),
        limit("min-throughput", "at least 40.0 MB/s", "49.0 MB/s in candidates/c2.jsonl.gz", 40e6, 49e6,
              gate::verdict::pass)};
    made.outcome->its = gate::verdict::fail;
    made.exit_code = 1;
    return made;
}

report::gate_report some_limits_only() {
    report::gate_report made = some_gate_with_limits();
    made.outcome->metrics.clear();
    made.outcome->baselines.clear();
    made.how.informational.clear();
    return made;
}

report::gate_report some_failed_comparison() {
    report::gate_report made;
    made.arguments = {"gate", "--baseline", "b.run", "--candidate", "c.run"};
    made.problem = "how the medium is attached differs: nvme on pci in b.run, usb-storage in c.run; "
                   "--allow-mismatch bus compares them all the same";
    return made;
}

report::gate_report some_evil_gate(const char* text) {
    report::gate_report made = some_gate_with_limits();
    made.arguments = {text};
    made.problem = text;
    made.how.medium = text;
    made.how.allowed_mismatches = {text};
    made.how.informational.front().drive = text;
    gate::outcome& its = *made.outcome;
    its.metrics[1].what.drive = text;
    its.of.text = text;
    its.warnings = {text};
    for (auto* side : {&its.candidates, &its.baselines}) {
        for (gate::run_row& each : *side) each.path = text + each.path;
        side->front().id = text;
    }
    for (gate::limit_outcome& each : its.limits) {
        each.path = text;
        each.seen += text;
    }
    return made;
}

gate::calibration some_calibration() {
    gate::calibration made;
    made.runs = 10;
    made.deviation = 0.081;
    made.deviation_interval = {0.0591, 0.1333};
    made.splits = 252;
    made.passed = 240;
    made.failed = 2;
    made.inconclusive = 10;
    made.margins = {{0.05, 31}, {0.1, 8}, {0.2, 3}, {0.01, std::nullopt}};
    made.sizes = {{3, 0.152}, {10, 0.0862}};
    return made;
}

}  // namespace qmpwatch::report_test
