// Notices as lines: for people and for scripts.
#pragma once

#include "pipeline/notice.hpp"

#include <string>

namespace qmpwatch::report {

/// One line for a person or grep, without a line end: time, VM, what happened. Only a summary has more lines: one, then
/// two for each drive (what it did, what stalls took from it), each of which begins with time and VM too.
std::string text_line(const pipeline::notice& notice);

/// One JSON object on one line, without a line end; docs/json.md is the contract. Valid UTF-8 without control
/// characters, whatever a monitor said.
std::string json_line(const pipeline::notice& notice);

}  // namespace qmpwatch::report
