// Notices as lines: for people and for scripts.
#pragma once

#include "pipeline/notice.hpp"

#include <string>

namespace qmpwatch::report {

/// How a line begins: 2026-11-30T21:29:13.042Z; 21:29:13Z for a screen that somebody sits at; +134.500s, since the
/// first sample, for what happened nobody knows when.
enum class time_style { full, clock, elapsed };

/// One line for a person or grep, without a line end: time, VM, what happened. Some have more lines, each of which
/// begins with time and VM too: a summary (one, then two for each drive: what it did, what stalls took from it), and a
/// stall with remedies.
std::string text_line(const pipeline::notice& notice, time_style style = time_style::full);

/// One JSON object on one line, without a line end; docs/json.md is the contract. Valid UTF-8 without control
/// characters, whatever a monitor said. Without a wall clock `time` and `start` are null.
std::string json_line(const pipeline::notice& notice, bool has_wall_clock = true);

}  // namespace qmpwatch::report
