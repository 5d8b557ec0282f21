// A number is looked up among the fields that the JSON report is made of, so that the two cannot differ.
#include "report/summary_tables.hpp"

#include "base/duration.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "report/html.hpp"
#include "report/run_charts.hpp"
#include "report/summary_fields.hpp"
#include "stall/cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

namespace qmpwatch::report {

namespace {

using run::drive_summary;
using run::phase_summary;

constexpr std::size_t columns_in_a_table = 6;

constexpr std::string_view over_all = "Over the whole phase";
constexpr std::string_view in_windows = "MB/s in windows";
constexpr std::string_view time_to = "Time to";

constexpr std::array<std::string_view, 2> alone{"", ""};
constexpr std::array<std::string_view, 2> windows{"read_windows", "write_windows"};
constexpr std::array<std::string_view, 2> reached{"read_reached_seconds", "write_reached_seconds"};

constexpr std::array<std::string_view, 2> both(std::string_view key) { return {key, key}; }

}  // namespace

const measure mean_rate{
    over_all, "MB/s", alone, {"read_bytes_per_second", "write_bytes_per_second"}, base::format_megabytes};
const measure median_rate{in_windows, "median", windows, both("median_bytes_per_second"), base::format_megabytes};
const measure mean_iops{over_all, "IOPS", alone, {"read_iops", "write_iops"}, base::format_count};

namespace {

const std::array measures{
    measure{over_all, "bytes", alone, {"read_bytes", "written_bytes"}, base::format_bytes},
    measure{over_all, "operations", alone, {"reads_completed", "writes_completed"}},
    mean_rate,
    mean_iops,
    measure{over_all, "mean request", alone, {"read_size_bytes", "write_size_bytes"}, base::format_bytes},
    measure{over_all, "mean latency", alone, {"read_latency_seconds", "write_latency_seconds"}, base::format_latency},
    measure{in_windows, "mean", windows, both("mean_bytes_per_second"), base::format_megabytes},
    median_rate,
    measure{in_windows, "10th percentile", windows, both("p10_bytes_per_second"), base::format_megabytes},
    measure{in_windows, "90th percentile", windows, both("p90_bytes_per_second"), base::format_megabytes},
    measure{in_windows, "maximum", windows, both("max_bytes_per_second"), base::format_megabytes},
    measure{time_to, "25 % of the bytes", reached, both("25"), format_seconds},
    measure{time_to, "50 %", reached, both("50"), format_seconds},
    measure{time_to, "75 %", reached, both("75"), format_seconds},
    measure{time_to, "90 %", reached, both("90"), format_seconds},
    measure{time_to, "100 %", reached, both("100"), format_seconds},
};

std::string heading_text(std::string_view heading, base::nanoseconds window) {
    if (heading == in_windows) return fmt::format("{} of {}", heading, base::format_duration(window));
    return std::string(heading);
}

/// The value of a key as the JSON report has it. `format` makes it short; without one it is shown as it is.
shown_number value_of(const std::vector<field>& fields, std::string_view group, std::string_view key,
                      std::string (*format)(std::optional<double>)) {
    for (const field& each : fields) {
        if (each.group != group || each.key != key) continue;
        if (const auto* count = std::get_if<std::uint64_t>(&each.value)) {
            return shown(*count, format != nullptr ? format(static_cast<double>(*count)) : fmt::format("{}", *count));
        }
        if (const auto* number = std::get_if<double>(&each.value)) {
            return shown(std::optional(*number), format != nullptr ? format(*number) : fmt::format("{}", *number));
        }
    }
    return {};
}

/// The directions in which drives did something.
std::vector<drive_column> columns_of(const phase_summary& part) {
    std::vector<drive_column> columns;
    for (const drive_summary& drive : part.drives) {
        for (const run::direction way : {run::direction::read, run::direction::write}) {
            drive_column one(drive, way, part.phase.name);
            if (did_anything(one.sum())) columns.push_back(std::move(one));
        }
    }
    return columns;
}

/// How many neighbours from `begin` on belong to the same drive.
std::size_t width_of(const std::vector<drive_column>& columns, std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < columns.size() && columns[end].drive == columns[begin].drive) ++end;
    return end - begin;
}

/// A row of values that belong to the drive as a whole. `of` makes a cell of a drive's first column; the text before is
/// HTML already.
template <class Cell>
void add_drive_row(std::string& out, std::string_view label, const std::vector<drive_column>& columns, const Cell& of) {
    base::append(out, "<tr><th scope=\"row\">{}</th>", label);
    for (std::size_t i = 0; i < columns.size(); i += width_of(columns, i)) {
        const std::size_t width = width_of(columns, i);
        out += of(columns[i], width > 1 ? fmt::format(" colspan=\"{}\"", width) : std::string());
    }
    out += "</tr>\n";
}

void add_group(std::string& out, std::string_view text, std::size_t columns) {
    base::append(out, "<tr><th class=\"group\" scope=\"colgroup\" colspan=\"{}\">{}</th></tr>\n", columns + 1, text);
}

void add_stall_rows(std::string& out, const std::vector<drive_column>& columns) {
    bool is_first = true;
    for (const stall::cause which : stall::causes) {
        const auto find = [which](const drive_summary& drive) {
            const auto found = std::find_if(drive.stalls.begin(), drive.stalls.end(),
                                            [which](const auto& each) { return each.cause == which; });
            return found == drive.stalls.end() ? nullptr : &*found;
        };
        if (std::none_of(columns.begin(), columns.end(), [&](const drive_column& one) { return find(*one.drive); }))
            continue;
        if (std::exchange(is_first, false)) add_group(out, "Stalls, and the time they took", columns.size());
        add_drive_row(out, in_words(which), columns, [&](const drive_column& one, const std::string& more) {
            const run::cause_summary* const found = find(*one.drive);
            if (found == nullptr) return fmt::format("<td class=\"zero\"{}>0</td>", more);
            const std::string key = fmt::format("{}stalls_by_cause.{}.", one.prefix, name(which));
            return fmt::format("<td{}>{}, {}</td>", more,
                               tagged("span", key + "count", shown(found->count, fmt::format("{}", found->count))),
                               tagged("span", key + "seconds", shown(found->lost)));
        });
    }
    const bool has_rate = std::any_of(columns.begin(), columns.end(), [](const drive_column& one) {
        return one.drive->bytes_per_second_without_stalls.has_value();
    });
    if (!has_rate) return;
    add_drive_row(out, "MB/s without the stalls", columns, [](const drive_column& one, const std::string& more) {
        const std::optional<double> rate = one.drive->bytes_per_second_without_stalls;
        return tagged("td", one.prefix + "bytes_per_second_without_stalls", shown(rate, base::format_megabytes(rate)),
                      more);
    });
}

void add_table(std::string& out, const std::vector<drive_column>& columns, base::nanoseconds window) {
    out += "<div class=\"scroll\"><table>\n<thead><tr><td></td>";
    for (std::size_t i = 0; i < columns.size(); i += width_of(columns, i)) {
        base::append(out, "<th scope=\"colgroup\" colspan=\"{}\">{}</th>", width_of(columns, i),
                     escape_html(columns[i].drive->drive));
    }
    out += "</tr>\n<tr><td></td>";
    for (const drive_column& each : columns) {
        base::append(out, "<th scope=\"col\">{}</th>", each.way_name());
    }
    out += "</tr></thead>\n<tbody>\n";
    std::string_view heading;
    for (const measure& each : measures) {
        if (std::exchange(heading, each.heading) != each.heading) {
            add_group(out, heading_text(each.heading, window), columns.size());
        }
        base::append(out, "<tr><th scope=\"row\">{}</th>", each.label);
        for (const drive_column& one : columns) out += one.tagged_value("td", each);
        out += "</tr>\n";
    }
    add_stall_rows(out, columns);
    out += "</tbody>\n</table></div>\n";
}

/// The columns in tables of a width that a page can take; a drive's two directions stay together.
std::vector<std::vector<drive_column>> tables_of(const std::vector<drive_column>& columns) {
    std::vector<std::vector<drive_column>> tables;
    for (std::size_t i = 0; i < columns.size();) {
        const std::size_t width = width_of(columns, i);
        if (tables.empty() || tables.back().size() + width > columns_in_a_table) tables.emplace_back();
        const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(i);
        tables.back().insert(tables.back().end(), begin, begin + static_cast<std::ptrdiff_t>(width));
        i += width;
    }
    return tables;
}

}  // namespace

shown_number shown(std::uint64_t value, std::string text) {
    return {static_cast<double>(value), fmt::format("{}", value), std::move(text)};
}

shown_number shown(std::optional<double> value, std::string text) {
    if (!value || !std::isfinite(*value)) return {};
    return {value, fmt::format("{}", *value), std::move(text)};
}

shown_number shown(base::nanoseconds value) {
    return shown(std::optional(base::in_seconds(value)), base::format_length(value));
}

std::string tagged(std::string_view element, std::string_view key, const shown_number& what, std::string_view more) {
    if (!what.value) return fmt::format("<{0} class=\"zero\"{1}>-</{0}>", element, more);
    return fmt::format("<{0}{1} data-key=\"{2}\" data-value=\"{3}\">{4}</{0}>", element, more, escape_html(key),
                       what.exact, escape_html(what.shown));
}

std::string format_seconds(std::optional<double> seconds) {
    if (!seconds) return "-";
    return base::format_length(std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(*seconds)));
}

bool did_anything(const run::direction_summary& sum) { return sum.done.operations > 0 || sum.done.bytes > 0; }

drive_column::drive_column(const drive_summary& of, run::direction to, std::string_view phase)
    : drive(&of), way(to), prefix(fmt::format("{}.{}.", phase, of.drive)), fields(summary_fields(of)) {}

std::string_view drive_column::way_name() const { return way == run::direction::read ? "read" : "write"; }

shown_number drive_column::value(const measure& what) const {
    const auto index = static_cast<std::size_t>(way);
    return value_of(fields, what.group.at(index), what.key.at(index), what.format);
}

shown_number drive_column::value(std::string_view key, std::string (*format)(std::optional<double>)) const {
    return value_of(fields, "", key, format);
}

std::string drive_column::tagged_value(std::string_view element, const measure& what) const {
    const auto index = static_cast<std::size_t>(way);
    const std::string_view group = what.group.at(index);
    return tagged(element, fmt::format("{}{}{}{}", prefix, group, group.empty() ? "" : ".", what.key.at(index)),
                  value(what));
}

std::string drive_tables(const phase_summary& part, base::nanoseconds window) {
    std::string out;
    for (const std::vector<drive_column>& each : tables_of(columns_of(part))) add_table(out, each, window);
    return out;
}

std::string comparison_table(const drive_column& first, const drive_column& second, base::nanoseconds window) {
    std::string out =
        "<div class=\"scroll\"><table>\n<thead><tr><td></td><th scope=\"col\">first</th><th scope=\"col\">second</th>"
        "<th scope=\"col\">ratio</th></tr></thead>\n<tbody>\n";
    const auto add = [&](std::string_view label, const std::string& one, const std::string& other,
                         const shown_number& before, const shown_number& after) {
        const bool is_comparable = before.value && after.value && *before.value > 0;
        base::append(out, "<tr><th scope=\"row\">{}</th>{}{}<td{}>{}</td></tr>\n", label, one, other,
                     is_comparable ? "" : " class=\"zero\"",
                     is_comparable ? escape_html(base::format_count(*after.value / *before.value)) : "-");
    };
    std::string_view heading;
    for (const measure& each : measures) {
        if (std::exchange(heading, each.heading) != each.heading) add_group(out, heading_text(each.heading, window), 3);
        add(each.label, first.tagged_value("td", each), second.tagged_value("td", each), first.value(each),
            second.value(each));
    }
    add_group(out, "Stalls of the drive", 3);
    const auto add_stalls = [&](std::string_view label, std::string_view key,
                                std::string (*format)(std::optional<double>)) {
        const shown_number before = first.value(key, format);
        const shown_number after = second.value(key, format);
        add(label, tagged("td", fmt::format("{}{}", first.prefix, key), before),
            tagged("td", fmt::format("{}{}", second.prefix, key), after), before, after);
    };
    add_stalls("stalls", "stalls", nullptr);
    add_stalls("time they took", "stall_seconds", format_seconds);
    return out + "</tbody>\n</table></div>\n";
}

}  // namespace qmpwatch::report
