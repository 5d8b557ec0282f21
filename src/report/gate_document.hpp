// What the gate's reports say to people: the sentences that all of them share, and the document of text and Markdown.
#pragma once

#include "gate/calibrate.hpp"
#include "gate/gate.hpp"
#include "report/document.hpp"
#include "report/gate_report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

/// A metric or a limit, and what became of it. Names of files and drives are printable.
struct judged {
    std::string name;     ///< copy, max-stalls
    std::string seen;     ///< "0.73 times as fast (0.60 to 0.83), 0.80 is tolerated"; "5 in b.run, at most 3"
    gate::verdict its = gate::verdict::pass;
    std::string label;    ///< FAIL; INCONCLUSIVE (noise); PASS, for information
    std::string why;      ///< a sentence; empty for limits
    bool decides = true;
};

/// The metrics, then the limits.
std::vector<judged> all_judged(const gate_report& of);

/// "max-stalls: 5 in b.run, at most 3: FAIL"
std::string line_of(const judged& one);

/// The first that the whole verdict comes from; none when there is no outcome.
std::optional<judged> decisive(const gate_report& of);

/// PASS, FAIL, INCONCLUSIVE, ERROR
std::string loud_verdict(const gate_report& of);

/// Logarithms beyond this come from runs that never got there: no two speeds differ so much.
inline constexpr double boundless = 700;

/// "0.73": how many times as fast, of a logarithm.
std::string ratio_text(double logarithm);

/// What the method takes for granted, in one plain sentence without a full stop.
std::string assumptions(const gate::estimate& of, const gate::settings& how);

/// The names by which runs are shown: of the files, or the paths as given where those do not tell them apart. Baselines
/// first, as in all lists for people.
std::vector<std::string> shown_names(const gate::outcome& of);

document document_of(const gate_report& of);
document document_of(const gate::calibration& of, const gate::settings& how);

}  // namespace qmpwatch::report
