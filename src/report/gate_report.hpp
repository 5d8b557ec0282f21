// The gate's verdict in every form in which it is read: by people, by CI systems, by programs.
#pragma once

#include "gate/calibrate.hpp"
#include "gate/gate.hpp"
#include "run/digest.hpp"
#include "run/summary.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

/// All that is told of one call of the gate.
struct gate_report {
    gate::settings how;
    std::vector<std::string> arguments;    ///< of the command line, after the program's name
    std::optional<gate::outcome> outcome;  ///< none when the runs could not be judged
    std::string problem;                   ///< one sentence why not; empty otherwise
    int exit_code = 2;                     ///< that the program is going to end with

    /// pass, fail, inconclusive, or error when there is no outcome.
    std::string_view verdict() const;
};

/// A table for a terminal of so many columns; `has_color` uses the colours of the live view.
std::string gate_text(const gate_report& of, std::size_t width, bool has_color);

/// For a job's summary or a comment on a change. Below 1 MiB, which is what GitHub shows.
std::string gate_markdown(const gate_report& of);

/// GitHub's workflow commands, one a line: error, warning or notice, worst first, at most ten of a kind.
std::string gate_annotations(const gate_report& of);

/// NAME=VALUE lines for the file that $GITHUB_OUTPUT names: verdict, ratio, lower, upper (of the first metric; empty
/// where there are none).
std::string gate_outputs(const gate_report& of);

/// JUnit's XML: a case for each metric and each limit. FAIL is a failure, data that cannot be judged an error,
/// INCONCLUSIVE skipped, each with its sentence in the body too.
std::string gate_junit(const gate_report& of);

/// docs/gate.md has its contract.
std::string gate_json(const gate_report& of);

/// OpenMetrics text for artifacts:reports:metrics of GitLab, which compares values as texts: fixed decimals.
std::string gate_openmetrics(const gate_report& of);

/// For shields.io's endpoint badge: "pass 1.04x".
std::string gate_badge(const gate_report& of);

/// A row for each run and metric.
std::string gate_csv(const gate_report& of);

/// The verdict, and below it the report of two runs: those with the median times of their sides.
std::string gate_html(const gate_report& of, const run::digest& baseline, const run::summary& baseline_summary,
                      const run::digest& candidate, const run::summary& candidate_summary);

/// The verdict only, where there are no two runs to show.
std::string gate_html(const gate_report& of);

/// What `gate --calibrate` says.
std::string calibration_text(const gate::calibration& of, const gate::settings& how, std::size_t width);
std::string calibration_json(const gate::calibration& of, const gate::settings& how);

}  // namespace qmpwatch::report
