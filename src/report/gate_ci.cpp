// The verdict in the forms that CI systems read: GitHub's commands and outputs, JUnit, OpenMetrics.
#include "base/text.hpp"
#include "report/gate_document.hpp"
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::report {

namespace {

constexpr std::string_view tool = "qmpwatch-gate";

/// "copy: 0.73 times as fast (...), 0.80 is tolerated: FAIL: surely slower, ..."
std::string sentence(const judged& one) { return one.why.empty() ? line_of(one) : line_of(one) + ": " + one.why; }

// --- GitHub

/// GitHub shows no more of a kind.
constexpr std::size_t most_of_a_kind = 10;

/// A workflow command's text; of a property also what would end it. A line break would end the command: printable()
/// leaves none.
std::string escape_command(std::string_view text, bool is_property) {
    std::string out;
    for (const char each : base::printable(text)) {
        switch (each) {
            case '%': out += "%25"; continue;
            case ':':
                if (!is_property) break;
                out += "%3A";
                continue;
            case ',':
                if (!is_property) break;
                out += "%2C";
                continue;
            default: break;
        }
        out += each;
    }
    return out;
}

struct annotation {
    std::string about, text;
};

void append_commands(std::string& out, std::string_view kind, const std::vector<annotation>& all) {
    const bool is_too_many = all.size() > most_of_a_kind;
    const std::size_t shown = is_too_many ? most_of_a_kind - 1 : all.size();
    const auto add = [&](std::string_view about, std::string_view text) {
        fmt::format_to(std::back_inserter(out), "::{} title={}::{}\n", kind, escape_command(about, true),
                       escape_command(text, false));
    };
    for (std::size_t i = 0; i < shown; ++i) add(all[i].about, all[i].text);
    if (is_too_many) add("qmpwatch gate", fmt::format("and {} more like these, see the report", all.size() - shown));
}

/// Fixed decimals, whatever the locale; nothing for what is no finite number.
std::string fixed(std::optional<double> value) {
    return value && std::isfinite(*value) ? fmt::format("{:.6f}", *value) : std::string();
}

struct ratios {
    std::optional<double> ratio, lower, upper;
};
ratios ratios_of(const gate::metric_outcome& of) {
    if (!of.change) return {};
    return {std::exp(of.change->shift), std::exp(of.change->lower), std::exp(of.change->upper)};
}

// --- JUnit

/// As HTML, but for two code points that XML 1.0 does not have.
std::string escape_xml(std::string_view text) {
    std::string out = escape_html(text);
    for (const std::string_view bad : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
        for (std::size_t at = out.find(bad); at != std::string::npos; at = out.find(bad, at)) out.replace(at, 3, "?");
    }
    return out;
}

/// A test case: `element` is failure, error or skipped, or empty for one that passed.
void append_case(std::string& out, std::string_view name, std::string_view element, std::string_view text) {
    const std::string escaped = escape_xml(text);
    fmt::format_to(std::back_inserter(out), "<testcase classname=\"{}\" name=\"{}\" time=\"0\">", tool,
                   escape_xml(name));
    if (element.empty()) {
        fmt::format_to(std::back_inserter(out), "<system-out>{}</system-out>", escaped);
    } else {
        const std::string_view type = element == "skipped" ? ""
                                      : element == "error" ? " type=\"data\""
                                                           : " type=\"regression\"";
        fmt::format_to(std::back_inserter(out), "<{0} message=\"{1}\"{2}>{1}</{0}>", element, escaped, type);
    }
    out += "</testcase>\n";
}

// --- OpenMetrics

std::string escape_label(std::string_view text) {
    std::string out;
    for (const char each : base::printable(text)) {
        if (each == '\\' || each == '"') out += '\\';
        out += each;
    }
    return out;
}

struct metric_sample {
    std::string labels;  ///< metric="copy"
    std::string value;
};

std::string label(std::string_view key, std::string_view value) {
    return fmt::format("{}=\"{}\"", key, escape_label(value));
}

/// Nothing without samples. The unit, where there is one, is the end of the name. All are gauges, state sets too: older
/// readers know no other type that would fit.
void append_family(std::string& out, std::string_view name, std::string_view unit, std::string_view help,
                   const std::vector<metric_sample>& samples) {
    if (samples.empty()) return;
    fmt::format_to(std::back_inserter(out), "# TYPE {} gauge\n", name);
    if (!unit.empty()) fmt::format_to(std::back_inserter(out), "# UNIT {} {}\n", name, unit);
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n", name, help);
    for (const metric_sample& each : samples) {
        out += name;
        if (!each.labels.empty()) out += '{' + each.labels + '}';
        out += ' ' + each.value + '\n';
    }
}

/// Of the times to the checkpoint, the middle one (the later of two); none when that run was cut short.
std::optional<double> median_seconds(std::vector<gate::time_of_run> times) {
    if (times.empty()) return std::nullopt;
    std::sort(times.begin(), times.end(), [](const gate::time_of_run& one, const gate::time_of_run& other) {
        return std::pair(one.is_cut, one.time) < std::pair(other.is_cut, other.time);
    });
    const gate::time_of_run& middle = times[times.size() / 2];
    return middle.is_cut ? std::nullopt : std::optional(base::in_seconds(middle.time));
}

void append_outcome(std::string& out, const gate::outcome& of) {
    std::vector<metric_sample> runs, stalls, lost, ratio, lower, upper, times, limits, seen;
    for (const bool is_candidate : {true, false}) {
        const std::vector<gate::run_row>& rows = is_candidate ? of.candidates : of.baselines;
        const std::string_view name = is_candidate ? "candidate" : "baseline";
        const std::string side = label("side", name);
        std::uint64_t stall_count = 0;
        base::nanoseconds stalled{};
        for (const gate::run_row& each : rows) {
            stall_count += each.stalls;
            stalled += each.lost;
        }
        runs.push_back({side, fmt::format("{}", rows.size())});
        stalls.push_back({side, fmt::format("{}", stall_count)});
        lost.push_back({side, fixed(base::in_seconds(stalled))});
        for (const gate::metric_outcome& each : of.metrics) {
            const auto median = median_seconds(is_candidate ? each.at.candidates : each.at.baselines);
            const std::string labels = label("metric", gate::name(each.what)) + ',' + side;
            if (median) times.push_back({labels, fixed(median)});
        }
    }
    for (const gate::metric_outcome& each : of.metrics) {
        const std::string metric = label("metric", gate::name(each.what));
        const ratios its = ratios_of(each);
        const auto add = [&](std::vector<metric_sample>& to, std::optional<double> value) {
            if (const std::string text = fixed(value); !text.empty()) to.push_back({metric, text});
        };
        add(ratio, its.ratio);
        add(lower, its.lower);
        add(upper, its.upper);
    }
    for (const gate::limit_outcome& each : of.limits) {
        const std::string labels = label("limit", each.name);
        limits.push_back({labels, fixed(each.limit_value)});
        seen.push_back({labels, fixed(each.seen_value)});
    }
    append_family(out, "qmpwatch_gate_runs", "", "Runs that were compared.", runs);
    append_family(out, "qmpwatch_gate_speed_ratio", "ratio", "How many times as fast the candidates are.", ratio);
    append_family(out, "qmpwatch_gate_speed_lower_ratio", "ratio", "Its lower limit.", lower);
    append_family(out, "qmpwatch_gate_speed_upper_ratio", "ratio", "Its upper limit.", upper);
    append_family(out, "qmpwatch_gate_time_seconds", "seconds", "Median time to the checkpoint.", times);
    append_family(out, "qmpwatch_gate_stalls", "", "Stalls in all runs of a side.", stalls);
    append_family(out, "qmpwatch_gate_stall_seconds", "seconds", "Time lost to them.", lost);
    append_family(out, "qmpwatch_gate_limit", "", "What is allowed.", limits);
    append_family(out, "qmpwatch_gate_limit_seen", "", "What the worst candidate did.", seen);
}

}  // namespace

std::string gate_annotations(const gate_report& of) {
    std::vector<annotation> errors, warnings, notices;
    if (!of.outcome) errors.push_back({"qmpwatch gate", of.problem});
    for (const judged& each : all_judged(of)) {
        const bool is_notice = !each.decides || each.its == gate::verdict::pass;
        std::vector<annotation>& kind = is_notice ? notices : each.its == gate::verdict::fail ? errors : warnings;
        kind.push_back({"qmpwatch gate: " + each.name, sentence(each)});
    }
    if (of.outcome) {
        for (const std::string& each : of.outcome->warnings) warnings.push_back({"qmpwatch gate", each});
    }
    std::string out;
    append_commands(out, "error", errors);
    append_commands(out, "warning", warnings);
    append_commands(out, "notice", notices);
    return out;
}

std::string gate_outputs(const gate_report& of) {
    ratios first;
    if (of.outcome && !of.outcome->metrics.empty()) first = ratios_of(of.outcome->metrics.front());
    return fmt::format("verdict={}\nratio={}\nlower={}\nupper={}\n", of.verdict(), fixed(first.ratio),
                       fixed(first.lower), fixed(first.upper));
}

std::string gate_junit(const gate_report& of) {
    std::string cases;
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    for (const judged& each : all_judged(of)) {
        std::string_view element;
        if (each.decides && each.its == gate::verdict::fail) {
            element = "failure";
            ++failures;
        } else if (each.decides && each.its == gate::verdict::inconclusive) {
            element = "skipped";
            ++skipped;
        }
        append_case(cases, each.decides ? each.name : each.name + " (for information)", element, sentence(each));
        ++tests;
    }
    if (!of.outcome) {
        append_case(cases, "data", "error", of.problem);
        ++tests;
        ++errors;
    }
    const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
                                           tests, failures, errors, skipped);
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{0}\" {1}>\n"
                       "<testsuite name=\"{0}\" {1}>\n{2}</testsuite>\n</testsuites>\n",
                       tool, counts, cases);
}

std::string gate_openmetrics(const gate_report& of) {
    std::string out;
    std::vector<metric_sample> verdicts;
    for (const std::string_view each : {"pass", "fail", "inconclusive", "error"}) {
        verdicts.push_back({label("verdict", each), each == of.verdict() ? "1" : "0"});
    }
    append_family(out, "qmpwatch_gate_verdict", "", "1 for what the gate says, 0 for the others.", verdicts);
    append_family(out, "qmpwatch_gate_exit_code", "", "What it ended with.", {{"", fmt::format("{}", of.exit_code)}});
    if (of.outcome) {
        append_outcome(out, *of.outcome);
    } else {
        append_family(out, "qmpwatch_gate_problem", "", "Why it could not judge.",
                      {{label("problem", of.problem), "1"}});
    }
    return out + "# EOF\n";
}

}  // namespace qmpwatch::report
