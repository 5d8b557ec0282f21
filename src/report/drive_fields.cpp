// The keys are the names of the metrics without qemu_block_ and _total; docs/json.md explains each.
#include "report/drive_fields.hpp"

#include "base/text.hpp"

#include <optional>

namespace qmpwatch::report {

namespace {

using sample::operation;

field_value text(const std::string& value) {
    if (value.empty()) return {};
    return base::printable(value);
}

template <class T>
field_value maybe(const std::optional<T>& value) {
    if (!value) return {};
    return *value;
}

/// HMP reports nothing of some figures; a zero would be a lie there.
field_value count(std::uint64_t value, bool known) {
    if (!known) return {};
    return value;
}

void add_identity(std::vector<field>& fields, const std::string& drive, const sample::attachment& attachment) {
    fields.push_back({"", "drive", base::printable(drive)});
    fields.push_back({"", "device", text(attachment.device)});
    fields.push_back({"", "bus", text(attachment.bus)});
}

void add_counters(std::vector<field>& fields, const sample::drive_counters& counters) {
    const auto& read = counters[operation::read];
    const auto& write = counters[operation::write];
    const auto& flush = counters[operation::flush];
    const auto& discard = counters[operation::discard];
    const bool detailed = counters.detailed;
    const auto seconds = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; };

    fields.push_back({"", "read_bytes", read.bytes});
    fields.push_back({"", "written_bytes", write.bytes});
    fields.push_back({"", "discarded_bytes", count(discard.bytes, detailed)});
    fields.push_back({"", "reads_completed", read.completed});
    fields.push_back({"", "writes_completed", write.completed});
    fields.push_back({"", "flushes_completed", flush.completed});
    fields.push_back({"", "discards_completed", count(discard.completed, detailed)});
    fields.push_back({"", "read_time_seconds", seconds(read.time_ns)});
    fields.push_back({"", "write_time_seconds", seconds(write.time_ns)});
    fields.push_back({"", "flush_time_seconds", seconds(flush.time_ns)});
    fields.push_back({"", "discard_time_seconds", detailed ? field_value(seconds(discard.time_ns)) : field_value()});
    fields.push_back({"", "reads_merged", read.merged});
    fields.push_back({"", "writes_merged", write.merged});
    fields.push_back({"", "discards_merged", count(discard.merged, detailed)});
    fields.push_back({"failed", "read", count(read.failed, detailed)});
    fields.push_back({"failed", "write", count(write.failed, detailed)});
    fields.push_back({"failed", "flush", count(flush.failed, detailed)});
    fields.push_back({"failed", "discard", count(discard.failed, detailed)});
    fields.push_back({"invalid", "read", count(read.invalid, detailed)});
    fields.push_back({"invalid", "write", count(write.invalid, detailed)});
    fields.push_back({"invalid", "flush", count(flush.invalid, detailed)});
    fields.push_back({"invalid", "discard", count(discard.invalid, detailed)});
    fields.push_back(
        {"", "idle_seconds", counters.idle ? field_value(base::in_seconds(*counters.idle)) : field_value()});
    fields.push_back({"", "highest_write_offset_bytes", maybe(counters.highest_write_offset_bytes)});
}

void add_rate(std::vector<field>& fields, const std::optional<sample::drive_rate>& rate) {
    const sample::drive_rate figures = rate.value_or(sample::drive_rate{});
    const auto known = [&](double value) { return rate ? field_value(value) : field_value(); };

    fields.push_back({"", "window_seconds", known(base::in_seconds(figures.window))});
    fields.push_back({"", "read_bytes_per_second", known(figures.read.bytes_per_second)});
    fields.push_back({"", "write_bytes_per_second", known(figures.write.bytes_per_second)});
    fields.push_back({"", "read_iops", known(figures.read.operations_per_second)});
    fields.push_back({"", "write_iops", known(figures.write.operations_per_second)});
    fields.push_back({"", "busy_ratio", known(figures.busy_ratio)});
    fields.push_back({"", "read_size_bytes", maybe(figures.read.mean_bytes)});
    fields.push_back({"", "write_size_bytes", maybe(figures.write.mean_bytes)});
    fields.push_back({"", "read_latency_seconds", maybe(figures.read.mean_latency_seconds)});
    fields.push_back({"", "write_latency_seconds", maybe(figures.write.mean_latency_seconds)});
}

void add_stalls(std::vector<field>& fields, const pipeline::stall_snapshot& stall) {
    const bool has_level = stall.level != stall::level::none;
    fields.push_back({"", "stall_level", std::string(name(stall.level))});
    fields.push_back({"", "stall_cause", has_level ? field_value(std::string(name(stall.cause))) : field_value()});
    fields.push_back({"", "stalls", stall.count()});
    fields.push_back({"", "stall_seconds", base::in_seconds(stall.lost())});
    fields.push_back({"", "gap_seconds", base::in_seconds(stall.gap_age)});
}

}  // namespace

std::vector<field> drive_fields(const pipeline::rate_notice& notice) {
    std::vector<field> fields;
    add_identity(fields, notice.drive, notice.attachment);
    add_counters(fields, notice.counters);
    add_rate(fields, notice.rate);
    return fields;
}

std::vector<field> drive_fields(const pipeline::drive_snapshot& drive) {
    const sample::drive_info& info = drive.info;
    const auto of_medium = [&](bool value) { return info.media.inserted ? field_value(value) : field_value(); };
    std::vector<field> fields;
    add_identity(fields, drive.drive, info.attachment);
    fields.push_back({"", "qdev", text(info.identity.qdev)});
    fields.push_back({"", "node_name", text(info.identity.node_name)});
    fields.push_back({"", "file", text(info.media.file)});
    fields.push_back({"", "format", text(info.media.format)});
    fields.push_back({"", "read_only", of_medium(info.media.read_only)});
    fields.push_back({"", "removable", info.media.removable});
    add_counters(fields, drive.counters);
    add_rate(fields, drive.rate);
    add_stalls(fields, drive.stall);
    return fields;
}

}  // namespace qmpwatch::report
