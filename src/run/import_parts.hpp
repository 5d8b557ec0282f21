// What both kinds of imports need: the cadence, the first words of the story, how drives are attached.
#pragma once

#include "base/clock.hpp"
#include "run/import.hpp"
#include "sample/drive.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace qmpwatch::run {

/// Takes the next line from the text, without its end.
std::string_view take_line(std::string_view& text);

/// The median distance of the samples, rounded to two digits and below ten seconds finer; none with less than two.
std::optional<base::nanoseconds> cadence_of(const std::vector<happening>& story);

/// What the names alone tell of the drives of a sample: whether there is a medium, and for some how they are attached.
sample::inventory inventory_of(const sample::sample& counters);

/// The moment so long after zero, on both clocks: where the wall clock is not known it must at least go on as the other
/// does.
base::instant moment(base::nanoseconds since_zero);

/// Moves the times of all that happened to where the wall clock is `wall` at zero.
void set_wall_clock(imported& run, base::wall_time wall);

/// Puts the identity in front and the cadence into the header.
void complete(imported& run, const sample::vm_identity& vm);

}  // namespace qmpwatch::run
