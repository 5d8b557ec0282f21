// The order of members is the one of QEMU's hash tables, taken from captures of 7.2 and 11.1.
#include "sim/encode_qmp.hpp"

#include "base/format.hpp"
#include "base/json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qmpwatch::sim {
namespace {

using json = nlohmann::ordered_json;

/// Reads one code point of UTF-8 and moves on; U+FFFD for what is not UTF-8, as QEMU does.
char32_t next_code_point(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    if (first < 0x80) return first;
    const int more = first >= 0xf0 && first < 0xf5 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
    if (more == 0 || first >= 0xf5 || text.size() < static_cast<std::size_t>(more)) return 0xfffd;
    char32_t point = first & (0x3fu >> more);
    for (int index = 0; index < more; ++index) {
        const auto next = static_cast<unsigned char>(text[static_cast<std::size_t>(index)]);
        if ((next & 0xc0u) != 0x80u) return 0xfffd;
        point = (point << 6) | (next & 0x3fu);
    }
    text.remove_prefix(static_cast<std::size_t>(more));
    return point;
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const char32_t point = next_code_point(text);
        switch (point) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                if (point > 0xffff) {
                    const auto rest = static_cast<unsigned>(point - 0x10000);
                    base::append(out, "\\u{:04X}\\u{:04X}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
                } else if (point < 0x20 || point >= 0x7f) {
                    base::append(out, "\\u{:04X}", static_cast<unsigned>(point));
                } else {
                    out += static_cast<char>(point);
                }
        }
    }
    out += '"';
}

void write_value(json_writer& out, const json& value) {
    if (value.is_object()) {
        out.begin_object();
        for (const auto& [name, member] : value.items()) {
            out.key(name);
            write_value(out, member);
        }
        out.end_object();
    } else if (value.is_array()) {
        out.begin_array();
        for (const json& element : value) write_value(out, element);
        out.end_array();
    } else if (value.is_string()) {
        out.string(value.get_ref<const std::string&>());
    } else if (value.is_boolean()) {
        out.boolean(value.get<bool>());
    } else if (value.is_number_unsigned()) {
        out.number(value.get<std::uint64_t>());
    } else if (value.is_number_integer()) {
        out.value(fmt::to_string(value.get<std::int64_t>()));
    } else if (value.is_number_float()) {
        out.number(value.get<double>());
    } else {
        out.null();
    }
}

enum class stat_kind { count, zero, zone_append, empty_array, flag, idle };

struct stat_field {
    std::string_view name;
    stat_kind kind = stat_kind::zero;
    std::uint64_t counters::* member = nullptr;
};

constexpr stat_field stat_fields[] = {
    {"unmap_operations", stat_kind::count, &counters::unmaps},
    {"unmap_merged", stat_kind::count, &counters::unmaps_merged},
    {"failed_zone_append_operations", stat_kind::zone_append},
    {"flush_total_time_ns", stat_kind::count, &counters::flush_ns},
    {"wr_highest_offset", stat_kind::count, &counters::highest_write_offset},
    {"wr_total_time_ns", stat_kind::count, &counters::write_ns},
    {"failed_wr_operations", stat_kind::count, &counters::failed_writes},
    {"failed_rd_operations", stat_kind::count, &counters::failed_reads},
    {"wr_merged", stat_kind::count, &counters::writes_merged},
    {"wr_bytes", stat_kind::count, &counters::write_bytes},
    {"timed_stats", stat_kind::empty_array},
    {"failed_unmap_operations", stat_kind::count, &counters::failed_unmaps},
    {"zone_append_merged", stat_kind::zone_append},
    {"failed_flush_operations", stat_kind::count, &counters::failed_flushes},
    {"account_invalid", stat_kind::flag},
    {"rd_total_time_ns", stat_kind::count, &counters::read_ns},
    {"invalid_unmap_operations", stat_kind::count, &counters::invalid_unmaps},
    {"flush_operations", stat_kind::count, &counters::flushes},
    {"wr_operations", stat_kind::count, &counters::writes},
    {"unmap_bytes", stat_kind::count, &counters::unmap_bytes},
    {"rd_merged", stat_kind::count, &counters::reads_merged},
    {"rd_bytes", stat_kind::count, &counters::read_bytes},
    {"unmap_total_time_ns", stat_kind::count, &counters::unmap_ns},
    {"invalid_flush_operations", stat_kind::count, &counters::invalid_flushes},
    {"account_failed", stat_kind::flag},
    {"idle_time_ns", stat_kind::idle},
    {"zone_append_total_time_ns", stat_kind::zone_append},
    {"zone_append_operations", stat_kind::zone_append},
    {"rd_operations", stat_kind::count, &counters::reads},
    {"zone_append_bytes", stat_kind::zone_append},
    {"invalid_zone_append_operations", stat_kind::zone_append},
    {"invalid_wr_operations", stat_kind::count, &counters::invalid_writes},
    {"invalid_rd_operations", stat_kind::count, &counters::invalid_reads},
};

void encode_stats(json_writer& out, const counters& counted, bool accounts, const version& which) {
    const bool zoned = which.at_least(8, 1);
    out.key("stats");
    out.begin_object();
    for (const stat_field& field : stat_fields) {
        switch (field.kind) {
            case stat_kind::count: out.number_member(field.name, counted.*field.member); break;
            case stat_kind::zero: out.number_member(field.name, 0); break;
            case stat_kind::zone_append:
                if (zoned) out.number_member(field.name, 0);
                break;
            case stat_kind::empty_array:
                out.key(field.name);
                out.begin_array();
                out.end_array();
                break;
            case stat_kind::flag: out.boolean_member(field.name, accounts); break;
            case stat_kind::idle:
                if (counted.idle_ns) out.number_member(field.name, *counted.idle_ns);
                break;
        }
    }
    out.end_object();
}

/// The node below a named one: QEMU makes it a moment earlier, so its number is lower.
std::string protocol_node_name(const std::string& node_name) {
    unsigned number = 0;
    for (const char digit : node_name) {
        if (digit >= '0' && digit <= '9') number = number * 10 + static_cast<unsigned>(digit - '0');
        if (number > 1'000'000) break;
    }
    return fmt::format("#block{:03}", number > 70 ? number - 70 : number + 1);
}

}  // namespace

void json_writer::new_line() {
    out_ += "\r\n";
    out_.append(4 * depth_, ' ');
}

void json_writer::before_value() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (comma_) {
        out_ += ',';
        if (pretty_) {
            new_line();
        } else {
            out_ += ' ';
        }
    } else {
        if (pretty_ && out_.size() > start_) new_line();
        comma_ = true;
    }
}

void json_writer::key(std::string_view name) {
    before_value();
    append_quoted(out_, name);
    out_ += ": ";
    after_key_ = true;
}

void json_writer::open(char bracket) {
    before_value();
    out_ += bracket;
    ++depth_;
    comma_ = false;
}

void json_writer::close(char bracket) {
    --depth_;
    if (pretty_) new_line();  // in an empty container too: QEMU prints { and } on two lines
    out_ += bracket;
    comma_ = true;
}

void json_writer::literal(std::string_view text) {
    before_value();
    out_ += text;
}

void json_writer::string(std::string_view text) {
    before_value();
    append_quoted(out_, text);
}

void json_writer::number(std::uint64_t value) {
    const fmt::format_int digits(value);
    literal({digits.data(), digits.size()});
}

void json_writer::number(double value) { literal(fmt::format("{:.17g}", value)); }

void json_writer::value(std::string_view json_text) {
    const bool digits = json_text.find_first_not_of("0123456789") == std::string_view::npos;
    const bool negative = json_text.size() > 1 && json_text[0] == '-' &&
                          json_text.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if ((digits || negative) && !json_text.empty()) {
        literal(json_text);  // the usual case, an integer id, without a DOM
        return;
    }
    const json parsed = base::parse_ordered_json(json_text);
    if (parsed.is_discarded()) {
        null();
    } else {
        write_value(*this, parsed);
    }
}

void encode_version(json_writer& out, const version& which) {
    out.begin_object();
    out.key("qemu");
    out.begin_object();
    out.number_member("micro", static_cast<std::uint64_t>(which.micro));
    out.number_member("minor", static_cast<std::uint64_t>(which.minor));
    out.number_member("major", static_cast<std::uint64_t>(which.major));
    out.end_object();
    out.string_member("package", which.package);
    out.end_object();
}

void encode_greeting(std::string& out, const version& which, bool pretty) {
    json_writer message(out, pretty);
    message.begin_object();
    message.key("QMP");
    message.begin_object();
    message.key("version");
    encode_version(message, which);
    message.key("capabilities");
    message.begin_array();
    if (which.at_least(3, 0)) message.string("oob");
    message.end_array();
    message.end_object();
    message.end_object();
    out += "\r\n";
}

void encode_error(std::string& out, std::string_view error_class, std::string_view description, std::string_view id,
                  bool pretty) {
    json_writer message(out, pretty);
    message.begin_object();
    if (!id.empty()) {
        message.key("id");
        message.value(id);
    }
    message.key("error");
    message.begin_object();
    message.string_member("class", error_class);
    message.string_member("desc", description);
    message.end_object();
    message.end_object();
    out += "\r\n";
}

void encode_event(std::string& out, std::string_view name, std::string_view data,
                  std::chrono::system_clock::time_point when, bool pretty) {
    const auto since_epoch = std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch()).count();
    const auto microseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, since_epoch));
    json_writer message(out, pretty);
    message.begin_object();
    message.key("timestamp");
    message.begin_object();
    message.number_member("seconds", microseconds / 1'000'000);
    message.number_member("microseconds", microseconds % 1'000'000);
    message.end_object();
    message.string_member("event", name);
    if (!data.empty()) {
        message.key("data");
        message.value(data);
    }
    message.end_object();
    out += "\r\n";
}

void encode_blockstats(json_writer& out, const drive_spec& drive, const counters& counted, const version& which) {
    out.begin_object();
    out.string_member("device", drive.device);
    if (drive.inserted) {
        out.key("parent");
        out.begin_object();
        counters below;
        below.highest_write_offset = counted.highest_write_offset;
        encode_stats(out, below, false, which);
        out.string_member("node-name", protocol_node_name(drive.node_name));
        if (which.at_least(4, 2)) {
            out.key("driver-specific");
            out.begin_object();
            out.number_member("discard-bytes-ok", 0);
            out.number_member("discard-nb-ok", 0);
            out.string_member("driver", "file");
            out.number_member("discard-nb-failed", 0);
            out.end_object();
        }
        out.end_object();
    }
    encode_stats(out, counted, true, which);
    if (drive.inserted) out.string_member("node-name", drive.node_name);
    if (!drive.qdev.empty()) out.string_member("qdev", drive.qdev);
    out.end_object();
}

void encode_block(json_writer& out, const drive_spec& drive) {
    const bool removable = drive.is_removable();
    out.begin_object();
    if (drive.kind != guest_device::nvme) out.string_member("io-status", "ok");  // nvme reports none
    out.string_member("device", drive.device);
    out.boolean_member("locked", false);
    out.boolean_member("removable", removable);
    if (drive.inserted) {
        out.key("inserted");
        out.begin_object();
        out.number_member("iops_rd", 0);
        out.string_member("detect_zeroes", "off");
        out.key("image");
        out.begin_object();
        out.number_member("virtual-size", drive.size_bytes);
        out.string_member("filename", drive.file);
        if (drive.format == "qcow2") out.number_member("cluster-size", 65536);
        out.string_member("format", drive.format);
        out.number_member("actual-size", 4096);
        out.boolean_member("dirty-flag", false);
        out.end_object();
        out.number_member("iops_wr", 0);
        out.boolean_member("ro", drive.read_only);
        out.string_member("node-name", drive.node_name);
        out.number_member("backing_file_depth", 0);
        out.string_member("drv", drive.format);
        out.number_member("iops", drive.limit_operations_per_second);
        out.number_member("bps_wr", 0);
        out.number_member("write_threshold", 0);
        out.boolean_member("encrypted", false);
        out.number_member("bps", drive.limit_bytes_per_second);
        out.number_member("bps_rd", 0);
        out.key("cache");
        out.begin_object();
        out.boolean_member("no-flush", drive.cache_no_flush);
        out.boolean_member("direct", drive.cache_direct);
        out.boolean_member("writeback", drive.cache_writeback);
        out.end_object();
        out.string_member("file", drive.file);
        out.end_object();
    }
    if (!drive.qdev.empty()) out.string_member("qdev", drive.qdev);
    if (removable) out.boolean_member("tray_open", false);
    out.string_member("type", "unknown");
    out.end_object();
}

}  // namespace qmpwatch::sim
