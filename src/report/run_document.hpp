// What a report of one run or two says to people.
#pragma once

#include "report/document.hpp"
#include "run/digest.hpp"
#include "run/summary.hpp"

#include <string>

namespace qmpwatch::report {

document document_of(const run::digest& of, const run::summary& sum);
document document_of(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum);

/// 1:44.0 or 1:02:03.4: a time of the run; with a minus before the first sample.
std::string format_elapsed(base::nanoseconds elapsed);

}  // namespace qmpwatch::report
