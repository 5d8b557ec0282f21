// What scripts get to know of what a drive did in a phase: one list of keys and values, for a run and for comparisons.
#pragma once

#include "report/drive_fields.hpp"
#include "run/summary.hpp"

#include <vector>

namespace qmpwatch::report {

/// From `drive` to `bytes_per_second_without_stalls`; the same keys in the same order whatever is known. The stalls by
/// cause are not among them.
std::vector<field> summary_fields(const run::drive_summary& drive);

}  // namespace qmpwatch::report
