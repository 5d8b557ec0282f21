// The verdict for programs: JSON (docs/gate-json.md explains each key), rows of CSV, the badge.
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/csv.hpp"
#include "report/drive_fields.hpp"
#include "report/gate_document.hpp"
#include "stall/cause.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::report {

namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return base::printable(text);
}

json number(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return nullptr;
    return *value;
}

/// Null beyond what two speeds can differ by: there a run that never got there stands behind it.
json logarithm(double value) {
    if (!(std::abs(value) <= boundless)) return nullptr;
    return value;
}

std::string line_of(const json& object) {
    // JSON escapes the old control characters but neither DEL nor the C1 ones, and some terminals obey those.
    return base::printable(base::json_text(object)) + '\n';
}

template <class Texts>
json list_of(const Texts& texts) {
    json list = json::array();
    for (const auto& each : texts) list.push_back(base::printable(each));
    return list;
}

json schema(std::string_view name, int major, int minor) {
    json object;
    object["name"] = name;
    object["version"] = major;
    object["minor"] = minor;
    return object;
}

// --- what was asked for

json metric_names(const std::vector<gate::metric>& metrics) {
    json list = json::array();
    for (const gate::metric& each : metrics) list.push_back(base::printable(gate::name(each)));
    return list;
}

json limits_object(const gate::limit_settings& limits) {
    json object;
    object["max_stalls"] = limits.max_stalls ? json(*limits.max_stalls) : json(nullptr);
    object["max_stall_seconds"] = limits.max_stalled ? json(base::in_seconds(*limits.max_stalled)) : json(nullptr);
    object["no_cause"] = json::array();
    for (const stall::cause each : limits.no_cause) object["no_cause"].push_back(stall::name(each));
    object["min_bytes_per_second"] = number(limits.min_bytes_per_second);
    return object;
}

json settings_object(const gate::settings& how) {
    json object;
    object["metrics"] = metric_names(how.metrics);
    object["informational"] = metric_names(how.informational);
    object["margin"] = how.tolerance.margin;
    object["strict"] = how.tolerance.is_strict;
    object["alpha"] = how.evidence.alpha;
    object["noise_floor"] = how.evidence.noise_floor;
    object["declared_factor"] = how.evidence.declared_factor;
    object["limits"] = limits_object(how.limits);
    object["medium"] = text_or_null(how.medium);
    object["allowed_mismatches"] = list_of(how.allowed_mismatches);
    object["max_age_seconds"] = base::in_seconds(how.max_age);
    return object;
}

// --- runs, as fields that CSV has too

field_value known(const std::string& text) {
    if (text.empty()) return {};
    return base::printable(text);
}

std::vector<field> run_fields(const gate::run_row& of) {
    return {{"", "path", base::printable(of.path)},
            {"", "sha256", known(of.sha256)},
            {"", "id", known(of.id)},
            {"", "recorded", of.recorded ? field_value(base::rfc3339(*of.recorded)) : field_value()},
            {"", "complete", of.is_complete},
            {"", "end", of.end},
            {"", "stalls", of.stalls},
            {"", "lost_seconds", base::in_seconds(of.lost)}};
}

/// What one metric says of a run; null: the same keys with nothing.
std::vector<field> measured_fields(const gate::measured_run* of) {
    field_value begin, length, bytes, time, is_cut, rate;
    if (of != nullptr) {
        begin = base::in_seconds(of->begin);
        length = base::in_seconds(of->length);
        bytes = of->bytes;
        if (of->at_checkpoint) {
            time = base::in_seconds(of->at_checkpoint->time);
            is_cut = of->at_checkpoint->is_cut;
        }
        if (of->bytes_per_second) rate = *of->bytes_per_second;
    }
    return {{"", "start_elapsed", std::move(begin)}, {"", "phase_seconds", std::move(length)},
            {"", "phase_bytes", std::move(bytes)},   {"", "time_seconds", std::move(time)},
            {"", "is_cut", std::move(is_cut)},       {"", "bytes_per_second", std::move(rate)}};
}

json runs_array(const std::vector<gate::run_row>& runs) {
    json list = json::array();
    for (const gate::run_row& each : runs) {
        json object;
        append(object, run_fields(each));
        list.push_back(std::move(object));
    }
    return list;
}

json evenness_object(const std::optional<gate::within_run>& of) {
    if (!of) return nullptr;
    json object;
    object["label"] = "this run only";
    object["windows"] = of->count;
    object["mean_bytes_per_second"] = number(of->mean);
    object["median_bytes_per_second"] = number(of->median);
    object["deviation_bytes_per_second"] = number(of->deviation);
    object["neighbour_correlation"] = number(of->neighbours);
    object["effective_windows"] = number(of->effective_count);
    object["independence_p"] = number(of->independence);
    object["mean_lower"] = of->mean_interval ? number(of->mean_interval->lower) : json(nullptr);
    object["mean_upper"] = of->mean_interval ? number(of->mean_interval->upper) : json(nullptr);
    return object;
}

void append_measured(json& list, std::string_view side, const std::vector<gate::run_row>& runs,
                     const std::vector<gate::measured_run>& measured) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        json object;
        object["side"] = side;
        object["path"] = base::printable(runs[i].path);
        append(object, measured_fields(&measured[i]));
        object["evenness"] = evenness_object(measured[i].evenness);
        list.push_back(std::move(object));
    }
}

// --- metrics

/// The same keys whatever the method; all null without an estimate.
void append_estimate(json& object, const std::optional<gate::estimate>& of, const gate::settings& how) {
    const gate::estimate its = of.value_or(gate::estimate{});
    const bool is_rank = of && its.how == gate::method::rank, is_t = of && its.how == gate::method::pooled_t;
    const auto if_known = [&](json value) { return of ? std::move(value) : json(nullptr); };
    object["method"] = if_known(gate::name(its.how));
    object["assumptions"] = if_known(assumptions(its, how));
    object["ratio"] = if_known(number(std::exp(its.shift)));
    object["lower"] = if_known(number(std::exp(its.lower)));
    object["upper"] = if_known(number(std::exp(its.upper)));
    object["log_ratio"] = if_known(logarithm(its.shift));
    object["log_lower"] = if_known(logarithm(its.lower));
    object["log_upper"] = if_known(logarithm(its.upper));
    object["alpha"] = if_known(number(its.alpha));
    object["p"] = if_known(number(its.p_slower));
    object["p_rank"] = if_known(number(its.p_rank));
    object["p_rank_two_sided"] = if_known(number(its.p_rank_two_sided));
    object["U"] = if_known(number(its.count));
    object["k"] = is_rank ? json(its.k) : json(nullptr);
    object["df"] = is_t ? json(static_cast<std::uint64_t>(its.df)) : json(nullptr);
    object["t"] = is_t ? number(its.t) : json(nullptr);
    object["standard_error"] = is_t ? logarithm(its.standard_error) : json(nullptr);
    object["used_deviation"] = is_t ? logarithm(its.deviation) : json(nullptr);
}

json resampled_object(const std::optional<gate::limits>& of) {
    if (!of) return nullptr;
    json object;
    object["label"] = "for display only, the verdict does not rest on it";
    object["confidence"] = 0.9;
    object["lower"] = number(std::exp(of->lower));
    object["upper"] = number(std::exp(of->upper));
    return object;
}

json metric_object(const gate::outcome& all, const gate::metric_outcome& of, const gate::settings& how) {
    json object;
    object["name"] = base::printable(gate::name(of.what));
    object["decides"] = of.decides;
    object["verdict"] = gate::name(of.its);
    object["reason"] = of.why == gate::reason::none ? json(nullptr) : json(gate::name(of.why));
    object["explanation"] = base::printable(gate::explain(of, how));
    append_estimate(object, of.change, how);
    object["deviation"] = number(of.deviation);
    object["runs_needed"] = of.runs_needed ? json(*of.runs_needed) : json(nullptr);
    object["checkpoint"]["bytes"] = of.at.share > 0 ? number(of.at.bytes) : json(nullptr);
    object["checkpoint"]["share"] = of.at.share > 0 ? number(of.at.share) : json(nullptr);
    object["checkpoint"]["resolution"] = number(of.at.resolution);
    object["checkpoint"]["is_too_coarse"] = of.at.is_too_coarse;
    object["harshest"] = nullptr;
    if (of.harshest) append_estimate(object["harshest"], of.harshest, how);
    object["resampled"] = resampled_object(of.resampled);
    object["runs"] = json::array();
    append_measured(object["runs"], "baseline", all.baselines, of.baselines);
    append_measured(object["runs"], "candidate", all.candidates, of.candidates);
    return object;
}

json limit_object(const gate::limit_outcome& of) {
    json object;
    object["name"] = of.name;
    object["verdict"] = gate::name(of.its);
    object["limit"] = of.limit;
    object["seen"] = base::printable(of.seen);
    object["limit_value"] = number(of.limit_value);
    object["seen_value"] = number(of.seen_value);
    object["path"] = base::printable(of.path);
    return object;
}

void append_outcome(json& object, const gate::outcome& of, const gate::settings& how) {
    object["fingerprint"]["hash"] = of.of.hash;
    object["fingerprint"]["text"] = base::printable(of.of.text);
    object["candidates"] = runs_array(of.candidates);
    object["baselines"] = runs_array(of.baselines);
    for (const gate::metric_outcome& each : of.metrics) object["metrics"].push_back(metric_object(of, each, how));
    for (const gate::limit_outcome& each : of.limits) object["limits"].push_back(limit_object(each));
    object["warnings"] = list_of(of.warnings);
}

std::string_view badge_color(const gate_report& of) {
    if (!of.outcome) return "red";
    switch (of.outcome->its) {
        case gate::verdict::pass: return "brightgreen";
        case gate::verdict::fail: return "red";
        case gate::verdict::inconclusive: break;
    }
    return "lightgrey";
}

// --- CSV

/// Before those of the run: the metric and what became of it.
std::vector<field> verdict_fields(std::string_view verdict, field_value metric, field_value explanation,
                                  field_value checkpoint, field_value side) {
    return {{"", "metric", std::move(metric)},
            {"", "verdict", std::string(verdict)},
            {"", "explanation", std::move(explanation)},
            {"", "checkpoint_bytes", std::move(checkpoint)},
            {"", "side", std::move(side)}};
}

std::vector<field> together(std::vector<field> first, std::vector<field> second, std::vector<field> third) {
    for (std::vector<field>* each : {&second, &third}) {
        for (field& one : *each) first.push_back(std::move(one));
    }
    return first;
}

void append_line(std::string& out, std::string line) { out += line.erase(0, 1) + '\n'; }

/// Those of all runs; without a metric, of what is known without one.
void append_rows(std::string& out, const gate_report& of, const gate::metric_outcome* metric) {
    std::string_view verdict = of.verdict();
    field_value name, why, checkpoint;
    if (metric != nullptr) {
        verdict = gate::name(metric->its);
        name = base::printable(gate::name(metric->what));
        why = base::printable(gate::explain(*metric, of.how));
        if (metric->at.share > 0) checkpoint = metric->at.bytes;
    }
    for (const bool is_baseline : {true, false}) {
        const std::vector<gate::run_row>& runs = is_baseline ? of.outcome->baselines : of.outcome->candidates;
        const std::string side = is_baseline ? "baseline" : "candidate";
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const gate::measured_run* its = nullptr;
            if (metric != nullptr) its = is_baseline ? &metric->baselines[i] : &metric->candidates[i];
            append_line(out, csv_cells(together(verdict_fields(verdict, name, why, checkpoint, side),
                                                run_fields(runs[i]), measured_fields(its))));
        }
    }
}

}  // namespace

std::string gate_json(const gate_report& of) {
    json object;
    object["schema"] = schema(gate::schema_name, gate::schema_major, gate::schema_minor);
    object["qmpwatch_version"] = QMPWATCH_VERSION;
    object["verdict"] = of.verdict();
    object["exit_code"] = of.exit_code;
    object["problem"] = text_or_null(of.problem);
    object["arguments"] = list_of(of.arguments);
    object["settings"] = settings_object(of.how);
    object["fingerprint"] = nullptr;
    for (const char* each : {"candidates", "baselines", "metrics", "limits", "warnings"}) object[each] = json::array();
    if (of.outcome) append_outcome(object, *of.outcome, of.how);
    return line_of(object);
}

std::string gate_badge(const gate_report& of) {
    std::string message(of.verdict());
    if (of.outcome && !of.outcome->metrics.empty() && of.outcome->metrics.front().change) {
        message += fmt::format(" {}x", ratio_text(of.outcome->metrics.front().change->shift));
    }
    json object;
    object["schemaVersion"] = 1;
    object["label"] = "install";
    object["message"] = message;
    object["color"] = badge_color(of);
    return line_of(object);
}

std::string gate_csv(const gate_report& of) {
    std::string out;
    append_line(out, csv_names(together(verdict_fields("", {}, {}, {}, {}), run_fields({}), measured_fields(nullptr))));
    if (!of.outcome) {
        const std::size_t rest = run_fields({}).size() + measured_fields(nullptr).size();
        append_line(out, csv_cells(verdict_fields(of.verdict(), {}, base::printable(of.problem), {}, {})) +
                             std::string(rest, ','));
        return out;
    }
    for (const gate::metric_outcome& each : of.outcome->metrics) append_rows(out, of, &each);
    if (of.outcome->metrics.empty()) append_rows(out, of, nullptr);
    return out;
}

std::string calibration_json(const gate::calibration& of, const gate::settings& how) {
    json object;
    object["schema"] = schema("qmpwatch-calibration", gate::schema_major, gate::schema_minor);
    object["qmpwatch_version"] = QMPWATCH_VERSION;
    object["settings"] = settings_object(how);
    object["runs"] = of.runs;
    object["deviation"] = number(of.deviation);
    object["deviation_lower"] = number(of.deviation_interval.lower);
    object["deviation_upper"] = number(of.deviation_interval.upper);
    object["splits"] = of.splits;
    object["passed"] = of.passed;
    object["failed"] = of.failed;
    object["inconclusive"] = of.inconclusive;
    object["margins"] = json::array();
    for (const gate::calibration::margin_row& each : of.margins) {
        json one;
        one["margin"] = number(each.margin);
        one["runs_needed"] = each.runs_needed ? json(*each.runs_needed) : json(nullptr);
        object["margins"].push_back(std::move(one));
    }
    object["sizes"] = json::array();
    for (const gate::calibration::size_row& each : of.sizes) {
        json one;
        one["runs"] = each.runs;
        one["margin"] = number(each.margin);
        object["sizes"].push_back(std::move(one));
    }
    return line_of(object);
}

}  // namespace qmpwatch::report
