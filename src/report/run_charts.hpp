// The charts of a run: what of it goes into which chart.
#pragma once

#include "report/svg_chart.hpp"
#include "run/digest.hpp"
#include "run/summary.hpp"
#include "stall/cause.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

/// lost completion, slow backend, ...: the cause in words.
std::string in_words(stall::cause which);

/// MB/s and IOPS of one drive over the whole run. `charts` is how many such pairs the page has: with many of them each
/// is coarser, so that the page stays small. `id` is unique in the page.
std::string drive_charts(const run::digest& of, const run::drive_digest& drive, std::string_view id,
                         std::size_t charts);

/// When each drive was busy and when it was stalled; a drive that did nothing has no row.
std::string stall_timeline(const run::digest& of, const run::summary& sum, std::string_view id);

/// The classes of the causes that occur in these runs, in the order of stall::causes.
std::vector<std::string_view> causes_of(const std::vector<const run::digest*>& runs);

/// MB/s of two install media over the bytes that had been copied. Empty when one of the runs has no copy.
std::string copy_chart(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                       const run::summary& second_sum);

}  // namespace qmpwatch::report
