// A run, or two of them compared, as text, Markdown, CSV and JSON. As HTML: run_html.hpp.
#pragma once

#include "run/digest.hpp"
#include "run/summary.hpp"

#include <cstddef>
#include <string>

namespace qmpwatch::report {

/// For a terminal of that width: where and how it was recorded, what the drives did in the copy and in the whole run,
/// stalls, what is known to be wrong and what helps, markers and events. What is to be copied is not wrapped.
std::string run_text(const run::digest& of, const run::summary& sum, std::size_t width);

/// Two of them: how many times as fast, their numbers side by side, then the rest of each.
std::string run_text(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum, std::size_t width);

/// The same in Markdown with GitHub's tables: for an issue, or $GITHUB_STEP_SUMMARY.
std::string run_markdown(const run::digest& of, const run::summary& sum);
std::string run_markdown(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                         const run::summary& second_sum);

/// A line of column names, then one for each interval and drive, in the order of time. docs/report.md is the contract.
std::string run_csv(const run::digest& of);

/// With a column `run` before all others: 1 and 2.
std::string run_csv(const run::digest& first, const run::digest& second);

/// One JSON object on one line with a line feed; docs/report.md is the contract.
std::string run_json(const run::digest& of, const run::summary& sum);

/// An object with both and what they are to each other.
std::string run_json(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum);

}  // namespace qmpwatch::report
