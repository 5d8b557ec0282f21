// Verdicts that the gate could have given: what its reports are tested with.
#pragma once

#include "report/gate_report.hpp"

#include <vector>

namespace qmpwatch::report_test {

/// The time of a run to the checkpoint, in seconds.
struct timed {
    double seconds = 0;
    bool is_cut = false;

    timed(double its, bool was_cut = false) : seconds(its), is_cut(was_cut) {}
};

/// By the copy of 7.74 GB, with the verdict that follows from the times.
report::gate_report some_gate(const std::vector<timed>& candidates, const std::vector<timed>& baselines);

/// 210, 225, 198 s against 165, 160, 135 s: fails; with a warning.
report::gate_report some_failed_gate();
report::gate_report some_passed_gate();
/// For noise, few-runs (t, declared), resolution, censored, too-short (no checkpoint at all).
report::gate_report some_open_gate(gate::reason why);
/// Two of four candidates were cut short, and fail all the same.
report::gate_report some_cut_gate();
/// A second metric that is only shown, and limits of which one is broken.
report::gate_report some_gate_with_limits();
/// Limits only: no baselines, no metrics.
report::gate_report some_limits_only();
/// The runs could not be compared.
report::gate_report some_failed_comparison();

/// Texts that would do harm where they are not escaped, in all places that take texts from outside.
report::gate_report some_evil_gate(const char* text);

/// Ten runs held against each other.
gate::calibration some_calibration();

}  // namespace qmpwatch::report_test
