// Tables of what drives did, as HTML, and the numbers in them: each with its key in the JSON report and its exact
// value.
#pragma once

#include "base/clock.hpp"
#include "report/drive_fields.hpp"
#include "run/summary.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

/// A number that is known, exact and as it is shown; or nothing.
struct shown_number {
    std::optional<double> value;
    std::string exact, shown;
};

shown_number shown(std::uint64_t value, std::string text);
/// Nothing for none, and for what is no finite number.
shown_number shown(std::optional<double> value, std::string text);
/// In seconds; shown as a length.
shown_number shown(base::nanoseconds value);

/// The number inside an element that says where it stands in the JSON report; a dash for nothing. `more` is HTML for
/// the element's attributes and begins with a blank.
std::string tagged(std::string_view element, std::string_view key, const shown_number& what,
                   std::string_view more = {});

/// One of the numbers that there are of a direction.
struct measure {
    std::string_view heading;  ///< above the first with it
    std::string_view label;
    std::array<std::string_view, 2> group;  ///< as in summary_fields: of reads and of writes
    std::array<std::string_view, 2> key;
    std::string (*format)(std::optional<double>) = nullptr;  ///< none: as it is
};

/// Bytes per second, its median over windows, and operations per second.
extern const measure mean_rate, median_rate, mean_iops;

/// What a drive did in one direction in one phase.
struct drive_column {
    /// `phase` begins its keys: copy, or first.copy.
    drive_column(const run::drive_summary& of, run::direction way, std::string_view phase);

    const run::direction_summary& sum() const { return way == run::direction::read ? drive->read : drive->write; }
    /// read, write
    std::string_view way_name() const;
    shown_number value(const measure& what) const;
    /// A number of the whole drive.
    shown_number value(std::string_view key, std::string (*format)(std::optional<double>)) const;
    std::string tagged_value(std::string_view element, const measure& what) const;

    const run::drive_summary* drive;
    run::direction way;
    std::string prefix;  ///< of its keys: copy.install_media.
    std::vector<field> fields;  ///< of the drive
};

/// A duration given in seconds, as base::format_length; "-" for none.
std::string format_seconds(std::optional<double> seconds);

/// True when an operation completed.
bool did_anything(const run::direction_summary& sum);

/// What each drive did in the phase, a column for each direction in which it did something; as many tables as that
/// takes. `window` is the length of the windows.
std::string drive_tables(const run::phase_summary& part, base::nanoseconds window);

/// Two columns side by side, and how many times as much the second is.
std::string comparison_table(const drive_column& first, const drive_column& second, base::nanoseconds window);

}  // namespace qmpwatch::report
