// The table: the latest state of all VMs as lines of text for a terminal.
#pragma once

#include "base/clock.hpp"
#include "pipeline/snapshot.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace qmpwatch::view {

struct table_settings {
    std::size_t columns = 80;     ///< width of the terminal: no line is wider
    std::size_t rows = 0;         ///< height of the terminal: not more lines than that; 0 for no limit
    bool colour = false;          ///< without it the lines are plain text, no escape sequence in them
    std::string metrics_address;  ///< for the footer, http://127.0.0.1:10977/metrics; empty when nothing is served
};

/// The lines of the table, without line ends: a header, then for each VM a line of its own and a row per drive, then a
/// footer. Below the row of a drive that stalls or has stalled there is a line that says so. What does not fit in the
/// width is left out, the least important column first; what does not fit in the height is counted in a line ("... and
/// 12 more drives"). Names come out printable, the text is UTF-8.
std::vector<std::string> table(const pipeline::snapshot& state, const table_settings& settings, base::instant now);

}  // namespace qmpwatch::view
