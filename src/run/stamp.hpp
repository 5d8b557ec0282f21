// Times as people's scripts write them into logs: `date` in its many forms, Unix seconds, t=12.5.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace qmpwatch::run {

struct stamp {
    enum class kind : std::uint8_t {
        wall_clock,   ///< a date, a time and a zone that is known, or Unix seconds
        local_clock,  ///< a date and a time; where is not known
        time_of_day,  ///< a time without a date
        seconds,      ///< since something that is not known
    };
    kind what = kind::seconds;
    /// Since 1970 in UTC, since 1970 as if it were UTC, since midnight, since whatever; never below zero.
    base::nanoseconds value{};
    bool has_fraction = false;  ///< else it is only known to the second

    friend bool operator==(const stamp&, const stamp&) = default;
};

/// The first time in the first 160 bytes of a line, whatever stands around it: RFC 3339 and its relatives, what `date`,
/// `date -R`, `date +%T`, `date +%s`, `date +%s.%N` and `ts` print, and `t=12.5` at the beginning. A date without a
/// year counts as none. None where there is no time.
std::optional<stamp> find_stamp(std::string_view line);

}  // namespace qmpwatch::run
