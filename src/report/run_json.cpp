// One function for each part of the object; docs/report.md explains each key.
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/drive_fields.hpp"
#include "report/finding.hpp"
#include "report/interval_stalls.hpp"
#include "report/run_report.hpp"
#include "report/summary_fields.hpp"
#include "report/vm_fields.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qmpwatch::report {

namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return base::printable(text);
}

json schema() { return {{"name", "qmpwatch-report"}, {"version", 1}}; }

std::string_view name(run::direction way) { return way == run::direction::read ? "read" : "write"; }

std::string_view name(run::mark::kind what) {
    switch (what) {
        case run::mark::kind::event: return "event";
        case run::mark::kind::marker: return "marker";
        case run::mark::kind::run_state: return "run_state";
        case run::mark::kind::monitor: break;
    }
    return "monitor";
}

/// A time of the run on the wall clock, if it has one.
json time_at(const run::digest& of, base::nanoseconds elapsed) {
    if (!of.info.about.has_wall_clock) return nullptr;
    return base::rfc3339(of.first_sample.wall + std::chrono::duration_cast<base::wall_time::duration>(elapsed));
}

json run_object(const run::digest& of) {
    const run::header& about = of.info.about;
    json object;
    object["file"] = text_or_null(of.info.path);
    object["id"] = text_or_null(about.id);
    object["imported"] = of.info.is_imported;
    object["redacted"] = about.is_redacted;
    object["qmpwatch_version"] = text_or_null(about.qmpwatch);
    object["time"] = time_at(of, {});
    object["watched_seconds"] = base::in_seconds(of.watched());
    object["samples"] = of.samples;
    object["poll_seconds"] = base::in_seconds(of.windows.poll);
    object["interval_seconds"] = base::in_seconds(of.windows.interval);
    object["labels"] = json::object();
    for (const auto& [key, value] : about.labels) object["labels"][base::printable(key)] = base::printable(value);
    object["git_commit"] = text_or_null(about.git_commit);
    object["ci_job"] = text_or_null(about.ci_job);
    return object;
}

json host_object(const run::host_facts& host) {
    json object;
    object["system"] = text_or_null(host.system);
    object["cpu"] = text_or_null(host.cpu);
    object["cpus"] = host.cpus > 0 ? json(host.cpus) : json(nullptr);
    return object;
}

json vm_object(const sample::vm_identity& identity) {
    json object;
    object["vm"] = text_or_null(identity.vm);
    append(object, vm_fields(identity));
    return object;
}

json end_object(const run::digest& of) {
    const std::optional<run::end>& ended = of.info.ended;
    json object;
    object["reason"] = ended ? json(run::name(ended->reason)) : json(nullptr);
    object["complete"] = ended && ended->is_complete();
    object["exit_code"] = ended && ended->exit_code ? json(*ended->exit_code) : json(nullptr);
    return object;
}

json drive_object(const run::drive_digest& drive) {
    const sample::drive_info& info = drive.info;
    const bool is_known = info.media.inserted;
    json object;
    object["drive"] = base::printable(drive.drive);
    object["device"] = text_or_null(info.attachment.device);
    object["bus"] = text_or_null(info.attachment.bus);
    object["qdev"] = text_or_null(info.identity.qdev);
    object["node_name"] = text_or_null(info.identity.node_name);
    object["file"] = text_or_null(info.media.file);
    object["format"] = text_or_null(info.media.format);
    object["read_only"] = is_known ? json(info.media.read_only) : json(nullptr);
    object["removable"] = is_known || info.media.removable ? json(info.media.removable) : json(nullptr);
    object["size_bytes"] = info.media.size_bytes ? json(*info.media.size_bytes) : json(nullptr);
    object["cache"] = info.media.cache ? json(sample::name(*info.media.cache)) : json(nullptr);
    object["content"] = text_or_null(info.media.content);
    return object;
}

void append_span(json& object, const run::phase& part) {
    object["start_elapsed"] = base::in_seconds(part.begin);
    object["end_elapsed"] = base::in_seconds(part.end);
    object["seconds"] = base::in_seconds(part.length());
}

json phase_object(const run::phase& part) {
    json object;
    object["phase"] = part.name;
    object["drive"] = base::printable(part.drive);
    object["direction"] = name(part.way);
    append_span(object, part);
    object["bytes"] = part.bytes;
    return object;
}

json drive_summary_object(const run::drive_summary& drive) {
    json object;
    append(object, summary_fields(drive));
    object["stalls_by_cause"] = json::array();
    for (const run::cause_summary& each : drive.stalls) {
        json of_cause;
        of_cause["cause"] = name(each.cause);
        of_cause["count"] = each.count;
        of_cause["seconds"] = base::in_seconds(each.lost);
        object["stalls_by_cause"].push_back(std::move(of_cause));
    }
    return object;
}

json part_object(const run::phase_summary& part, base::nanoseconds window) {
    json object;
    object["phase"] = part.phase.name;
    object["drive"] = text_or_null(part.phase.drive);
    append_span(object, part.phase);
    object["window_seconds"] = base::in_seconds(window);
    object["cpu_percent"] = part.cpu_percent ? json(*part.cpu_percent) : json(nullptr);
    object["drives"] = json::array();
    for (const run::drive_summary& each : part.drives) object["drives"].push_back(drive_summary_object(each));
    return object;
}

json stall_object(const run::digest& of, const run::stall_digest& one) {
    json object;
    object["drive"] = base::printable(one.drive);
    object["cause"] = name(one.cause);
    object["level"] = name(one.level);
    object["start"] = time_at(of, one.start);
    object["start_elapsed"] = base::in_seconds(one.start);
    object["seconds"] = base::in_seconds(one.length);
    object["seconds_min"] = base::in_seconds(one.length_min);
    object["seconds_max"] = base::in_seconds(one.length_max);
    object["pattern"] = text_or_null(one.pattern);
    return object;
}

json mark_object(const run::digest& of, const run::mark& one) {
    json object;
    object["kind"] = name(one.what);
    object["time"] = time_at(of, one.elapsed);
    object["elapsed"] = base::in_seconds(one.elapsed);
    object["text"] = base::printable(one.text);
    json data;
    if (one.what == run::mark::kind::event) data = base::parse_ordered_json(one.detail);
    object["detail"] = data.is_null() || data.is_discarded() ? text_or_null(one.detail) : std::move(data);
    return object;
}

json interval_object(const run::digest& of, const run::interval_digest& one, const interval_stalls& stalls) {
    json object;
    object["time"] = of.info.about.has_wall_clock ? json(base::rfc3339(one.time)) : json(nullptr);
    object["elapsed"] = base::in_seconds(one.elapsed);
    append(object, drive_fields(one.rate));
    object["stalls_ended"] = stalls.ended;
    object["stall_seconds"] = base::in_seconds(stalls.lost);
    return object;
}

/// Adds all that there is to say of one run.
void append_run(json& object, const run::digest& of, const run::summary& sum) {
    object["run"] = run_object(of);
    object["host"] = host_object(of.info.about.host);
    object["vm"] = vm_object(of.vm);
    object["end"] = end_object(of);
    object["medium"] = sum.phases.medium ? json(base::printable(*sum.phases.medium)) : json(nullptr);
    object["drives"] = json::array();
    for (const run::drive_digest& each : of.drives) object["drives"].push_back(drive_object(each));
    object["phases"] = json::array();
    for (const run::phase& each : sum.phases.all) object["phases"].push_back(phase_object(each));
    object["summary"] = json::array();
    for (const run::phase_summary& each : sum.parts) object["summary"].push_back(part_object(each, sum.window));
    object["stalls"] = json::array();
    for (const run::stall_digest& each : of.stalls) object["stalls"].push_back(stall_object(of, each));
    object["marks"] = json::array();
    for (const run::mark& each : of.marks) object["marks"].push_back(mark_object(of, each));
    object["findings"] = json::array();
    for (const stall::finding& each : of.findings) object["findings"].push_back(finding_object<json>(each));
    object["notes"] = json::array();
    for (const std::string& each : of.info.notes) object["notes"].push_back(base::printable(each));
    object["intervals"] = json::array();
    const std::vector<interval_stalls> stalls = stalls_by_interval(of);
    for (std::size_t i = 0; i < of.intervals.size(); ++i) {
        object["intervals"].push_back(interval_object(of, of.intervals[i], stalls[i]));
    }
}

std::optional<double> number(const field_value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
    if (const auto* figure = std::get_if<double>(&value)) return *figure;
    return std::nullopt;
}

json ratio(std::optional<double> first, std::optional<double> second) {
    if (!first || !second || !(*first > 0)) return nullptr;
    return *second / *first;
}

/// What can be said of the copy as a whole, then of the medium in it.
std::vector<field> copy_fields(const run::summary& sum) {
    const run::phase_summary& copy = *sum.copy();
    std::vector<field> fields{{"", "seconds", base::in_seconds(copy.phase.length())}, {"", "cpu_percent", {}}};
    if (copy.cpu_percent) fields.back().value = *copy.cpu_percent;
    for (field& each : summary_fields(*sum.copied())) {
        if (each.key != "drive") fields.push_back(std::move(each));
    }
    return fields;
}

json copy_comparison(const run::summary& first, const run::summary& second) {
    if (first.copied() == nullptr || second.copied() == nullptr) return nullptr;
    const std::vector<field> before = copy_fields(first), after = copy_fields(second);
    json object;
    for (std::size_t i = 0; i < before.size(); ++i) {
        json one;
        append(one, {{"", "first", before[i].value}, {"", "second", after[i].value}});
        one["ratio"] = ratio(number(before[i].value), number(after[i].value));
        json& place = before[i].group.empty() ? object : object[std::string(before[i].group)];
        place[std::string(before[i].key)] = std::move(one);
    }
    return object;
}

std::string line_of(const json& object) {
    // JSON escapes the old control characters but neither DEL nor the C1 ones, and some terminals obey those.
    return base::printable(base::json_text(object)) + '\n';
}

}  // namespace

std::string run_json(const run::digest& of, const run::summary& sum) {
    json object;
    object["schema"] = schema();
    append_run(object, of, sum);
    return line_of(object);
}

std::string run_json(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum) {
    json object;
    object["schema"] = schema();
    object["runs"] = json::array({json::object(), json::object()});
    append_run(object["runs"][0], first, first_sum);
    append_run(object["runs"][1], second, second_sum);
    const std::optional<double> speed = run::speed_ratio(first_sum, second_sum);
    object["comparison"]["speed_ratio"] = speed ? json(*speed) : json(nullptr);
    object["comparison"]["copy"] = copy_comparison(first_sum, second_sum);
    return line_of(object);
}

}  // namespace qmpwatch::report
