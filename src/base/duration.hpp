// Durations as people write them: 500ms, 15s, 2m, 1h, and sums such as 1m30s.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::base {

/// Reads a duration with units (ms, s, m, h; decimals allowed: 0.5s). A number without a unit is an error, because
/// nobody can tell seconds from milliseconds. Never negative.
result<nanoseconds> parse_duration(std::string_view text);

/// The shortest of the forms that parse_duration reads: 15s, 500ms, 1m30s.
std::string format_duration(nanoseconds span);

/// How long ago, for a narrow column, never more than five characters: 0.3s, 12s, 4m10s, 3h05m, 12d.
std::string format_age(nanoseconds span);

/// How long something lasted, with a tenth of a second as long as that matters: 0.3s, 10.1s, 141s, 20m30s, 3h05m.
std::string format_length(nanoseconds span);

}  // namespace qmpwatch::base
