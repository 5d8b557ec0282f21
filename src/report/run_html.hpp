// A run, or two of them, as one HTML page that needs nothing else: no script, no other file, no network.
//
// A number that the JSON report has too carries its place there and its exact value:
//     <td data-key="copy.install_media.read_bytes_per_second" data-value="4100000">4.10</td>
// The place is the phase (run, copy), the drive, and the key in its object there, with read_windows. or the like before
// the keys of inner objects; copy.install_media.stalls_by_cause.lost_completion.count for a cause; copy.seconds and
// copy.cpu_percent for the phase. With two runs it begins with first. or second.; comparison.speed_ratio is of both. A
// value that is not known has neither.
#pragma once

#include "run/digest.hpp"
#include "run/summary.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::report {

/// What happened in a run: the headline, charts, a timeline of stalls, tables, what helps, and where it was recorded.
std::string run_html(const run::digest& of, const run::summary& sum);

/// Two runs side by side; the reads of their install media over the bytes that were copied.
std::string run_html(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum);

/// The page of two runs in parts, for a page that says more above it: it needs the hatches of svg_chart.hpp.
struct pair_parts {
    std::string headline;  ///< plain text
    std::string header;  ///< HTML: the headline and what either run did
    std::string body;  ///< HTML: the sections
};
/// `heading` is the element of the headline: h1, or h2 below another.
pair_parts run_html_parts(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                          const run::summary& second_sum, std::string_view heading);

}  // namespace qmpwatch::report
