#include "sample/blockstats.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>
#include <utility>

namespace qmpwatch::sample {

namespace {

using counter_member = std::uint64_t operation_counters::*;

/// One field of `stats` that is of interest.
struct field {
    enum class kind : std::uint8_t { counter, idle, highest_write_offset };

    std::string_view name;
    kind what = kind::counter;
    operation of = operation::read;
    counter_member where = nullptr;
    /// One of the fields by which a monitor shows that it reports everything.
    bool is_detail = false;
};

constexpr field count(std::string_view name, operation of, counter_member where, bool is_detail = false) {
    return {name, field::kind::counter, of, where, is_detail};
}

constexpr std::array fields{
    count("rd_bytes", operation::read, &operation_counters::bytes),
    count("rd_operations", operation::read, &operation_counters::completed),
    count("rd_total_time_ns", operation::read, &operation_counters::time_ns),
    count("rd_merged", operation::read, &operation_counters::merged),
    count("failed_rd_operations", operation::read, &operation_counters::failed, true),
    count("invalid_rd_operations", operation::read, &operation_counters::invalid),
    count("wr_bytes", operation::write, &operation_counters::bytes),
    count("wr_operations", operation::write, &operation_counters::completed),
    count("wr_total_time_ns", operation::write, &operation_counters::time_ns),
    count("wr_merged", operation::write, &operation_counters::merged),
    count("failed_wr_operations", operation::write, &operation_counters::failed, true),
    count("invalid_wr_operations", operation::write, &operation_counters::invalid),
    count("flush_operations", operation::flush, &operation_counters::completed),
    count("flush_total_time_ns", operation::flush, &operation_counters::time_ns),
    count("failed_flush_operations", operation::flush, &operation_counters::failed, true),
    count("invalid_flush_operations", operation::flush, &operation_counters::invalid),
    count("unmap_bytes", operation::discard, &operation_counters::bytes, true),
    count("unmap_operations", operation::discard, &operation_counters::completed, true),
    count("unmap_total_time_ns", operation::discard, &operation_counters::time_ns, true),
    count("unmap_merged", operation::discard, &operation_counters::merged, true),
    count("failed_unmap_operations", operation::discard, &operation_counters::failed, true),
    count("invalid_unmap_operations", operation::discard, &operation_counters::invalid),
    field{"idle_time_ns", field::kind::idle},
    field{"wr_highest_offset", field::kind::highest_write_offset},
};

/// The fields by a hash of their names, worked out by the compiler: every key of every reply is looked up here.
class field_table {
public:
    constexpr field_table() {
        for (std::size_t index = 0; index < fields.size(); ++index) {
            std::size_t slot = hash(fields[index].name);
            while (slots_[slot] != empty) slot = (slot + 1) % slots_.size();
            slots_[slot] = static_cast<std::uint8_t>(index);
        }
    }

    constexpr const field* find(std::string_view name) const {
        for (std::size_t slot = hash(name); slots_[slot] != empty; slot = (slot + 1) % slots_.size()) {
            if (fields[slots_[slot]].name == name) return &fields[slots_[slot]];
        }
        return nullptr;
    }

private:
    static constexpr std::uint8_t empty = 255;

    static constexpr std::size_t hash(std::string_view name) {
        std::uint32_t value = 2166136261U;
        for (const char letter : name) value = (value ^ static_cast<std::uint8_t>(letter)) * 16777619U;
        return (value ^ (value >> 15U)) % 128;
    }

    std::array<std::uint8_t, 128> slots_ = [] {
        std::array<std::uint8_t, 128> none{};
        none.fill(empty);
        return none;
    }();
};

constexpr field_table table;
static_assert(table.find("rd_bytes") == &fields[0] && table.find("zone_append_bytes") == nullptr);

void store(const field& target, std::uint64_t value, drive_counters& counters) {
    switch (target.what) {
        case field::kind::counter:
            counters[target.of].*target.where = value;
            counters.detailed = counters.detailed || target.is_detail;
            break;
        case field::kind::idle:
            if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                counters.idle = base::nanoseconds(static_cast<std::int64_t>(value));
            }
            break;
        case field::kind::highest_write_offset: counters.highest_write_offset_bytes = value; break;
    }
}

/// Fills a vector from the front and keeps the memory of what it held.
class drive_list {
public:
    explicit drive_list(std::vector<drive_sample>& drives) : drives_(drives) {}

    drive_sample& add() {
        if (count_ == drives_.size()) drives_.emplace_back();
        drive_sample& drive = drives_[count_++];
        drive.identity.device.clear();
        drive.identity.qdev.clear();
        drive.identity.node_name.clear();
        drive.counters = {};
        drive.counters.detailed = false;
        return drive;
    }

    void clear() { count_ = 0; }
    void finish() { drives_.resize(count_); }

private:
    std::vector<drive_sample>& drives_;
    std::size_t count_ = 0;
};

/// Takes what it needs out of the stream of JSON tokens. Depth 1 is the array of drives, depth 2 a drive, depth 3 its
/// `stats`; all that lies elsewhere is counted past.
class blockstats_reader final : public nlohmann::json::json_sax_t {
public:
    explicit blockstats_reader(drive_list& drives) : drives_(drives) {}

    /// False when QEMU's own limit of nesting was passed, or the text was no array.
    bool start_object(std::size_t) override {
        ++depth_;
        if (depth_ == drive_depth) {
            drive_ = &drives_.add();
            name_ = nullptr;
            stats_follow_ = false;
        } else if (depth_ == stats_depth) {
            in_stats_ = stats_follow_;
            field_ = nullptr;
        }
        return depth_ != 1 && depth_ <= most_depth;
    }

    bool end_object() override { return leave(); }

    bool start_array(std::size_t) override {
        ++depth_;
        // An array in the place of a drive or of its `stats` holds neither.
        if (depth_ == drive_depth) drive_ = nullptr;
        if (depth_ == stats_depth) in_stats_ = false;
        return depth_ <= most_depth;
    }

    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        if (depth_ == drive_depth) {
            name_ = drive_ == nullptr ? nullptr : name_to_fill(name);
            stats_follow_ = drive_ != nullptr && name == "stats";
        } else if (depth_ == stats_depth && in_stats_) {
            field_ = table.find(name);
        }
        return true;
    }

    bool string(string_t& text) override {
        if (depth_ == drive_depth && name_ != nullptr) name_->assign(text);
        return is_inside();
    }

    bool number_unsigned(number_unsigned_t value) override {
        if (depth_ == stats_depth && in_stats_ && field_ != nullptr) store(*field_, value, drive_->counters);
        return is_inside();
    }

    bool number_integer(number_integer_t value) override {
        return value < 0 ? is_inside() : number_unsigned(static_cast<number_unsigned_t>(value));
    }

    bool null() override { return is_inside(); }
    bool boolean(bool) override { return is_inside(); }
    bool number_float(number_float_t, const string_t&) override { return is_inside(); }
    bool binary(binary_t&) override { return is_inside(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    static constexpr int drive_depth = 2;
    static constexpr int stats_depth = 3;
    static constexpr int most_depth = 1024;

    bool is_inside() const { return depth_ > 0; }

    bool leave() {
        if (depth_ == stats_depth) in_stats_ = false;
        --depth_;
        return true;
    }

    std::string* name_to_fill(std::string_view name) {
        if (name == "device") return &drive_->identity.device;
        if (name == "qdev") return &drive_->identity.qdev;
        if (name == "node-name") return &drive_->identity.node_name;
        return nullptr;
    }

    drive_list& drives_;
    drive_sample* drive_ = nullptr;
    std::string* name_ = nullptr;
    const field* field_ = nullptr;
    int depth_ = 0;
    bool stats_follow_ = false;
    bool in_stats_ = false;
};

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// Splits off the next `key=value`; both are empty at the end.
std::pair<std::string_view, std::string_view> take_pair(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t sign = word.find('=');
    if (sign == std::string_view::npos) return {word, {}};
    return {word.substr(0, sign), word.substr(sign + 1)};
}

}  // namespace

base::result<void> decode_blockstats(std::string_view json, std::vector<drive_sample>& drives) {
    drive_list list(drives);
    blockstats_reader reader(list);
    if (!nlohmann::json::sax_parse(json, &reader)) {
        drives.clear();
        return base::fail(base::errc::data, "the reply to query-blockstats is not a JSON array");
    }
    list.finish();
    return {};
}

namespace {

/// `name: rd_bytes=... idle_time_ns=...`, the whole of a drive before QEMU 11 and the first line of it since. Gives the
/// drive that it begins and counts its counters; null when it is no such line.
drive_sample* read_pairs(std::string_view line, drive_list& list, std::size_t& counters) {
    // The id of a drive has neither colons nor blanks in it; that of a drive from -blockdev is empty.
    const std::size_t colon = line.find(": ");
    std::string_view rest = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 2);
    std::string_view ahead = rest;
    if (table.find(take_pair(ahead).first) == nullptr) return nullptr;
    drive_sample& drive = list.add();
    drive.identity.device.assign(line.substr(0, colon));
    for (auto [name, digits] = take_pair(rest); !name.empty(); std::tie(name, digits) = take_pair(rest)) {
        const field* target = table.find(name);
        std::uint64_t value = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (target == nullptr || failure != std::errc{} || end != digits.data() + digits.size()) continue;
        const bool is_idle = target->what == field::kind::idle;
        if (!is_idle) ++counters;
        if (!is_idle || value > 0) store(*target, value, drive.counters);  // idle 0: never accessed
    }
    return &drive;
}

/// `Read:  3768832  116  96573521  0`, a row under the titles bytes, operations, total_time_ns and merged (QEMU 11 on).
/// Flushes have no bytes and are never merged: their row has two numbers. False when it is no such row.
bool read_row(std::string_view line, drive_counters& counters) {
    const std::size_t colon = line.find(':');
    const std::string_view title = line.substr(0, colon == std::string_view::npos ? 0 : colon);
    const bool is_flush = title == "Flush";
    if (!is_flush && title != "Read" && title != "Write") return false;
    std::array<std::uint64_t, 4> numbers{};
    std::size_t count = 0;
    std::string_view rest = line.substr(colon + 1);
    for (rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); !rest.empty();
         rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()))) {
        if (count == numbers.size()) return false;
        const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), numbers[count]);
        if (failure != std::errc{}) return false;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        ++count;
    }
    if (count != (is_flush ? 2U : 4U)) return false;
    if (is_flush) {
        counters[operation::flush].completed = numbers[0];
        counters[operation::flush].time_ns = numbers[1];
        return true;
    }
    operation_counters& kind = counters[title == "Read" ? operation::read : operation::write];
    kind.bytes = numbers[0];
    kind.completed = numbers[1];
    kind.time_ns = numbers[2];
    kind.merged = numbers[3];
    return true;
}

}  // namespace

base::result<void> decode_hmp_blockstats(std::string_view text, std::vector<drive_sample>& drives) {
    drive_list list(drives);
    drive_sample* drive = nullptr;
    std::size_t counters = 0;
    bool has_text = false;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        has_text = has_text || line.find_first_not_of(' ') != std::string_view::npos;
        if (drive_sample* begun = read_pairs(line, list, counters)) {
            drive = begun;
        } else if (drive != nullptr && read_row(line, drive->counters)) {
            ++counters;
        }
    }
    // A form that is not known must not come out as zeros.
    if (counters == 0) list.clear();
    list.finish();
    if (has_text && counters == 0) {
        return base::fail(base::errc::data,
                          "the answer to 'info blockstats' holds no counters: this QEMU prints them in a "
                          "form that is not known; use a QMP monitor (-qmp) instead");
    }
    return {};
}

bool identify_by_inventory(std::vector<drive_sample>& drives, const inventory& known) {
    // `info block` heads an empty drive with its device name or its qdev and does not say which; if both are the same,
    // only `info blockstats` knows that the drive has a device name.
    const auto is_same = [](const drive_sample& drive, const drive_info& info) {
        const std::string& device = drive.identity.device;
        return device == info.identity.device || (info.identity.device.empty() && device == info.identity.qdev);
    };
    if (!std::equal(drives.begin(), drives.end(), known.begin(), known.end(), is_same)) return false;
    for (std::size_t index = 0; index < drives.size(); ++index) {
        drives[index].identity.qdev = known[index].identity.qdev;
        drives[index].identity.node_name = known[index].identity.node_name;
    }
    return true;
}

}  // namespace qmpwatch::sample
