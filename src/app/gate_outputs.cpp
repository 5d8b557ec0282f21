#include "app/gate_outputs.hpp"

#include "app/console.hpp"
#include "app/whole_file.hpp"
#include "base/text.hpp"
#include "run/phases.hpp"
#include "run/summary.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace qmpwatch::app {

namespace {

constexpr std::array<std::string_view, 8> format_names{"text",        "markdown", "json",  "junit",
                                                       "openmetrics", "csv",      "badge", "html"};

/// The run whose time stands in the middle of its side's: of two the faster one. None where nothing was timed.
const gate::input* median_run(const std::vector<gate::input>& runs, const std::vector<gate::measured_run>& measured) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        if (measured[i].at_checkpoint) order.push_back(i);
    }
    if (order.empty() || measured.size() != runs.size()) return nullptr;
    std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return measured[one].at_checkpoint->time < measured[other].at_checkpoint->time;
    });
    return &runs[order[(order.size() - 1) / 2]];
}

std::optional<run::summary> summary_of(const run::digest& of, const std::string& medium) {
    const base::result<run::phases> parts = run::find_all_phases(of, medium);
    if (parts.has_error()) return std::nullopt;
    return run::summarize(of, *parts, of.windows.interval);
}

std::string html_of(const report::gate_report& told, const gate_inputs& runs) {
    if (told.outcome && !told.outcome->metrics.empty()) {
        const gate::metric_outcome& first = told.outcome->metrics.front();
        const gate::input* const baseline = median_run(runs.baselines, first.baselines);
        const gate::input* const candidate = median_run(runs.candidates, first.candidates);
        if (baseline != nullptr && candidate != nullptr) {
            const auto before = summary_of(baseline->digest, told.how.medium);
            const auto after = summary_of(candidate->digest, told.how.medium);
            if (before && after) return report::gate_html(told, baseline->digest, *before, candidate->digest, *after);
        }
    }
    return report::gate_html(told);
}

std::string text_in(std::string_view format, const report::gate_report& told, const gate_inputs& runs) {
    if (format == "text") {
        const view::table_settings how = settings_for_standard_output();
        return report::gate_text(told, how.columns, how.colour);
    }
    for (const gate_file& each : gate_files{}.all()) {
        if (each.flag.substr(2) == format) return each.render == nullptr ? html_of(told, runs) : each.render(told);
    }
    return {};
}

bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code ignored;
    return std::filesystem::equivalent(one, other, ignored);
}

/// What an environment variable says; empty when it is not set.
std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::vector<gate_file> gate_files::all() {
    return {
        {"--markdown", "the verdict as Markdown", &markdown, report::gate_markdown},
        {"--json", "the verdict with all numbers as JSON", &json, report::gate_json},
        {"--junit", "the verdict as JUnit XML", &junit, report::gate_junit},
        {"--openmetrics", "the numbers as OpenMetrics text", &openmetrics, report::gate_openmetrics},
        {"--csv", "each run's numbers as CSV", &csv, report::gate_csv},
        {"--badge", "JSON for a shields.io endpoint badge", &badge, report::gate_badge},
        {"--html", "the verdict and the two runs in the middle as one HTML page", &html, nullptr},
    };
}

bool is_gate_format(std::string_view name) {
    return std::find(format_names.begin(), format_names.end(), name) != format_names.end();
}

std::string gate_format_names() {
    std::string text;
    for (const std::string_view each : format_names) {
        if (!text.empty()) text += each == format_names.back() ? " or " : ", ";
        text += each;
    }
    return text;
}

base::result<void> keep_runs(const gate_inputs& runs, gate_files files) {
    for (const gate_file& file : files.all()) {
        for (const auto* side : {&runs.candidates, &runs.baselines}) {
            for (const gate::input& each : *side) {
                if (file.path->empty() || !is_same_file(*file.path, each.path())) continue;
                return base::fail(base::errc::usage, fmt::format("{} {} is one of the runs: write into another file",
                                                                 file.flag, base::printable(*file.path)));
            }
        }
    }
    return {};
}

base::result<void> write_gate_reports(const report::gate_report& told, const gate_inputs& runs, gate_files files,
                                      std::string_view format) {
    base::result<void> first{};
    const auto note = [&](const base::result<void>& written) {
        if (written.has_error() && first.has_value()) first = written.error();
    };
    for (const gate_file& each : files.all()) {
        if (each.path->empty()) continue;
        note(write_whole_file(*each.path, each.render == nullptr ? html_of(told, runs) : each.render(told)));
    }
    if (const std::string file = environment("GITHUB_STEP_SUMMARY"); !file.empty()) {
        note(append_to_file(file, report::gate_markdown(told)));
    }
    if (const std::string file = environment("GITHUB_OUTPUT"); !file.empty()) {
        note(append_to_file(file, report::gate_outputs(told)));
    }
    // GitHub reads its commands from both streams; standard output may be a file.
    if (environment("GITHUB_ACTIONS") == "true") fmt::print(stderr, "{}", report::gate_annotations(told));
    if (!told.outcome) fmt::print(stderr, "qmpwatch gate: {}\n", told.problem);
    if (!told.outcome && format == "text") return first;
    const auto shown = write_to_standard_output(text_in(format, told, runs));
    if (shown.has_error() && shown.error().code != base::errc::closed) note(shown);
    return first;
}

}  // namespace qmpwatch::app
