// The keys are the names of the metrics without qemu_block_ and _total; docs/report.md explains each.
#include "report/summary_fields.hpp"

#include "base/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace qmpwatch::report {

namespace {

/// The keys of one direction; they follow the metrics, which do not follow a rule.
struct names {
    std::string_view bytes, completed, time, rate, iops, size, latency, windows, reached;
};
constexpr names of_reads{"read_bytes",          "reads_completed", "read_time_seconds",    "read_bytes_per_second",
                         "read_iops",           "read_size_bytes", "read_latency_seconds", "read_windows",
                         "read_reached_seconds"};
constexpr names of_writes{"written_bytes",          "writes_completed", "write_time_seconds",
                          "write_bytes_per_second", "write_iops",       "write_size_bytes",
                          "write_latency_seconds",  "write_windows",    "write_reached_seconds"};

constexpr std::array<std::string_view, run::reached_shares.size()> percents{"25", "50", "75", "90", "100"};

field_value maybe(std::optional<double> value) {
    if (!value) return {};
    return *value;
}

void add(std::vector<field>& fields, const names& keys, const run::direction_summary& sum) {
    fields.push_back({"", keys.bytes, sum.done.bytes});
    fields.push_back({"", keys.completed, sum.done.operations});
    fields.push_back({"", keys.time, static_cast<double>(sum.done.time_ns) / 1e9});
    fields.push_back({"", keys.rate, maybe(sum.bytes_per_second)});
    fields.push_back({"", keys.iops, maybe(sum.operations_per_second)});
    fields.push_back({"", keys.size, maybe(sum.mean_bytes)});
    fields.push_back({"", keys.latency, maybe(sum.mean_latency_seconds)});
    const run::distribution windows = sum.windows.value_or(run::distribution{});
    const auto known = [&](double value) { return sum.windows ? field_value(value) : field_value(); };
    fields.push_back({keys.windows, "count", static_cast<std::uint64_t>(windows.windows)});
    fields.push_back({keys.windows, "mean_bytes_per_second", known(windows.mean)});
    fields.push_back({keys.windows, "median_bytes_per_second", known(windows.median)});
    fields.push_back({keys.windows, "p10_bytes_per_second", known(windows.p10)});
    fields.push_back({keys.windows, "p90_bytes_per_second", known(windows.p90)});
    fields.push_back({keys.windows, "max_bytes_per_second", known(windows.most)});
    for (std::size_t i = 0; i < percents.size(); ++i) {
        const std::optional<base::nanoseconds>& when = sum.reached[i];
        fields.push_back({keys.reached, percents[i], when ? field_value(base::in_seconds(*when)) : field_value()});
    }
}

}  // namespace

std::vector<field> summary_fields(const run::drive_summary& drive) {
    std::vector<field> fields;
    fields.push_back({"", "drive", base::printable(drive.drive)});
    add(fields, of_reads, drive.read);
    add(fields, of_writes, drive.write);
    fields.push_back({"", "stalls", drive.stall_count()});
    fields.push_back({"", "stall_seconds", base::in_seconds(drive.lost())});
    fields.push_back({"", "bytes_per_second_without_stalls", maybe(drive.bytes_per_second_without_stalls)});
    return fields;
}

}  // namespace qmpwatch::report
