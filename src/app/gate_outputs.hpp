// Where a verdict is written: standard output, files, and what a CI system reads.
#pragma once

#include "app/gate_inputs.hpp"
#include "base/error.hpp"
#include "report/gate_report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::app {

struct gate_file {
    std::string_view flag, what;
    std::string* path;
    std::string (*render)(const report::gate_report&);  ///< null for HTML, which wants the runs too
};

/// The files that were asked for; empty: not.
struct gate_files {
    std::string markdown, json, junit, openmetrics, csv, badge, html;

    std::vector<gate_file> all();
};

bool is_gate_format(std::string_view name);
/// For sentences: text, markdown, ...
std::string gate_format_names();

/// Fails with `usage` when a report would be written over one of the runs.
base::result<void> keep_runs(const gate_inputs& runs, gate_files files);

/// Writes everything: the files, then what $GITHUB_STEP_SUMMARY, $GITHUB_OUTPUT and $GITHUB_ACTIONS ask for, then
/// standard output. Goes on where one cannot be written, and fails with the first such.
base::result<void> write_gate_reports(const report::gate_report& told, const gate_inputs& runs, gate_files files,
                                      std::string_view format);

}  // namespace qmpwatch::app
