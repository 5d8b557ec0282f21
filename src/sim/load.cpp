// The generator steps operation by operation; the player looks up the line that was current.
#include "sim/load.hpp"

#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qmpwatch::sim {
namespace {

using json = nlohmann::json;

constexpr nanoseconds never = nanoseconds::max() / 4;
constexpr std::size_t most_lines = 1'000'000;

nanoseconds scaled(nanoseconds span, double factor) {
    return nanoseconds(static_cast<std::int64_t>(static_cast<double>(span.count()) * factor));
}

std::uint64_t as_count(nanoseconds span) { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, span.count())); }

struct field {
    std::string_view key;
    std::uint64_t counters::* member;
};

constexpr field fields[] = {
    {"rd_bytes", &counters::read_bytes},
    {"wr_bytes", &counters::write_bytes},
    {"unmap_bytes", &counters::unmap_bytes},
    {"rd_operations", &counters::reads},
    {"wr_operations", &counters::writes},
    {"flush_operations", &counters::flushes},
    {"unmap_operations", &counters::unmaps},
    {"rd_total_time_ns", &counters::read_ns},
    {"wr_total_time_ns", &counters::write_ns},
    {"flush_total_time_ns", &counters::flush_ns},
    {"unmap_total_time_ns", &counters::unmap_ns},
    {"rd_merged", &counters::reads_merged},
    {"wr_merged", &counters::writes_merged},
    {"unmap_merged", &counters::unmaps_merged},
    {"failed_rd_operations", &counters::failed_reads},
    {"failed_wr_operations", &counters::failed_writes},
    {"failed_flush_operations", &counters::failed_flushes},
    {"failed_unmap_operations", &counters::failed_unmaps},
    {"invalid_rd_operations", &counters::invalid_reads},
    {"invalid_wr_operations", &counters::invalid_writes},
    {"invalid_flush_operations", &counters::invalid_flushes},
    {"invalid_unmap_operations", &counters::invalid_unmaps},
    {"wr_highest_offset", &counters::highest_write_offset},
};

std::string text_member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> count_member(const json& object, std::string_view key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint64_t>();
}

std::vector<recorded_drive> drives_of_json(const json& array) {
    std::vector<recorded_drive> drives;
    for (const json& entry : array) {
        if (!entry.is_object()) continue;
        const auto stats = entry.find("stats");
        if (stats == entry.end() || !stats->is_object()) continue;
        recorded_drive drive{
            text_member(entry, "device"), text_member(entry, "qdev"), text_member(entry, "node-name"), {}};
        for (const field& one : fields) drive.counted.*one.member = count_member(*stats, one.key).value_or(0);
        drive.counted.idle_ns = count_member(*stats, "idle_time_ns");
        drives.push_back(std::move(drive));
    }
    return drives;
}

std::vector<recorded_drive> drives_of_text(std::string_view text) {
    std::vector<recorded_drive> drives;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = line.find(": rd_bytes=");
        if (colon == std::string_view::npos) continue;
        recorded_drive drive;
        drive.device = std::string(line.substr(0, colon));
        line.remove_prefix(colon + 2);
        while (!line.empty()) {
            const std::size_t space = std::min(line.find(' '), line.size());
            const std::string_view pair = line.substr(0, space);
            line.remove_prefix(std::min(space + 1, line.size()));
            const std::size_t equals = pair.find('=');
            if (equals == std::string_view::npos) continue;
            std::uint64_t value = 0;
            std::from_chars(pair.data() + equals + 1, pair.data() + pair.size(), value);
            const std::string_view key = pair.substr(0, equals);
            if (key == "idle_time_ns" && value > 0) drive.counted.idle_ns = value;
            for (const field& one : fields) {
                if (one.key == key) drive.counted.*one.member = value;
            }
        }
        drives.push_back(std::move(drive));
    }
    return drives;
}

void add_event(recording& series, nanoseconds at, const json& event) {
    if (event.is_string()) {
        series.events.push_back({at, event.get<std::string>(), {}});
    } else if (event.is_object()) {
        const auto data = event.find("data");
        std::string text = data == event.end() ? std::string() : base::json_text(*data);
        series.events.push_back({at, text_member(event, "event"), std::move(text)});
    }
}

bool same_drive(const recorded_drive& left, const recorded_drive& right) {
    if (!left.device.empty() || !right.device.empty()) return left.device == right.device;
    return left.qdev == right.qdev;
}

}  // namespace

double generated_load::random_numbers::between(double low, double high) {
    // splitmix64: the same numbers with every compiler and library, which <random>'s distributions do not promise.
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return low + (high - low) * (static_cast<double>(mixed >> 11) * 0x1.0p-53);
}

generated_load::generated_load(const load_spec& spec)
    : spec_(spec),
      read_{spec.read, random_numbers(spec.seed * 2), random_numbers(~spec.seed)},
      write_{spec.write, random_numbers(spec.seed * 2 + 1), random_numbers(~spec.seed)} {
    for (stream* one : {&read_, &write_}) {
        plan_gap(*one);
        plan_operation(*one, nanoseconds(0));
    }
}

void generated_load::plan_gap(stream& which) const {
    if (spec_.gap == gap_kind::none) {
        which.gap_from = which.gap_until = never;
        return;
    }
    // A millisecond between two gaps at least: with less, a load without I/O between its gaps would never end.
    const nanoseconds busy = scaled(spec_.gap_every, which.gap_random.between(0.5, 1.5));
    which.gap_from = which.gap_until + std::max(busy, nanoseconds(1'000'000));
    which.gap_until = which.gap_from + scaled(spec_.gap_length, which.gap_random.between(1.0, 1.015));
}

void generated_load::plan_operation(stream& which, nanoseconds earliest) const {
    if (which.spec.bytes_per_second <= 0) {
        which.start = which.end = never;
        return;
    }
    which.start = earliest;
    which.end = earliest + scaled(which.spec.latency, which.random.between(0.5, 1.5));
    // Bounded, because operations may be slower than the gaps are apart.
    for (int passed = 0; passed < 8 && which.end >= which.gap_from; ++passed) {
        const nanoseconds latency = which.end - which.start;
        if (spec_.gap == gap_kind::host_stall && which.start < which.gap_until) {
            which.end = which.gap_until + latency;
        } else if (which.start < which.gap_until) {
            which.start = which.gap_until;
            which.end = which.start + latency;
        }
        plan_gap(which);
    }
}

void generated_load::run(stream& which, nanoseconds until, std::uint64_t& bytes, std::uint64_t& operations,
                         std::uint64_t& time) {
    while (which.end <= until) {
        bytes += which.spec.operation_bytes;
        operations += 1;
        time += as_count(which.end - which.start);
        last_completion_ = std::max(last_completion_, which.end);
        const double cycle =
            std::min(static_cast<double>(which.spec.operation_bytes) / which.spec.bytes_per_second * 1e9, 1e15);
        const nanoseconds next(static_cast<std::int64_t>(cycle * which.random.between(0.8, 1.2)));
        // An operation that a stall held is not made up for: the guest goes on from there.
        const bool held = which.end - which.start > 4 * which.spec.latency;
        const nanoseconds from = held ? which.end : which.start;
        plan_operation(which, std::max(from + std::max(next, nanoseconds(1'000)), which.end));
    }
}

counters generated_load::at(nanoseconds when) {
    now_ = std::max(now_, when);
    run(read_, now_, counted_.read_bytes, counted_.reads, counted_.read_ns);
    run(write_, now_, counted_.write_bytes, counted_.writes, counted_.write_ns);
    counted_.highest_write_offset = counted_.write_bytes;
    if (last_completion_ >= nanoseconds(0)) counted_.idle_ns = as_count(now_ - last_completion_);
    return counted_;
}

void generated_load::freeze(nanoseconds from, nanoseconds until) {
    at(from);
    if (until <= from) return;
    const nanoseconds shift = until - from;
    for (stream* one : {&read_, &write_}) {
        if (one->end < never) {
            if (one->start > from) one->start += shift;
            one->end += shift;
        }
        if (one->gap_from < never) {
            one->gap_from += shift;
            one->gap_until += shift;
        }
    }
}

base::result<recording> read_recording(std::string_view text) {
    recording series;
    std::optional<double> start;
    nanoseconds at{0};
    std::size_t number = 0;
    while (!text.empty() && number < most_lines) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const json object = base::parse_json(line);
        if (!object.is_object()) {
            return base::fail(base::errc::data, fmt::format("line {} of the recording is not a JSON object", number));
        }
        const auto time = object.find("t");
        if (time == object.end() || !time->is_number()) continue;
        const double seconds = time->get<double>();
        if (!std::isfinite(seconds)) continue;
        if (!start) start = seconds;
        // Three years at most: more does not fit the nanoseconds.
        // Time does not go back: a line that says so counts as simultaneous with the one before it.
        at = std::max(at, nanoseconds(static_cast<std::int64_t>(std::clamp(seconds - *start, 0.0, 1e8) * 1e9)));

        if (const std::string status = text_member(object, "status"); !status.empty()) {
            if (series.statuses.empty() || series.statuses.back().name != status)
                series.statuses.push_back({at, status});
        }
        if (const auto events = object.find("events"); events != object.end() && events->is_array()) {
            for (const json& event : *events) add_event(series, at, event);
        }
        if (const auto event = object.find("event"); event != object.end()) add_event(series, at, *event);
        for (const char* key : {"blockstats", "return"}) {
            if (const auto stats = object.find(key); stats != object.end() && stats->is_array()) {
                series.lines.push_back({at, drives_of_json(*stats)});
            }
        }
        if (const auto stats = object.find("text"); stats != object.end() && stats->is_string()) {
            series.lines.push_back({at, drives_of_text(stats->get_ref<const std::string&>())});
        }
    }
    if (series.lines.empty() || series.lines.front().drives.empty()) {
        return base::fail(base::errc::data, "the recording holds no counters of a drive");
    }
    return series;
}

recorded_load::recorded_load(std::shared_ptr<const recording> series, std::size_t index, double speed, bool loop)
    : series_(std::move(series)), index_(index), speed_(speed > 0 ? speed : 1), loop_(loop) {}

counters recorded_load::at(nanoseconds when) const {
    const auto& lines = series_->lines;
    if (lines.empty() || index_ >= lines.front().drives.size()) return {};
    nanoseconds moment = scaled(std::max(when, nanoseconds(0)), speed_);
    if (loop_ && series_->length() > nanoseconds(0)) moment %= series_->length();
    const auto later = [](nanoseconds value, const recording::line& line) { return value < line.at; };
    auto current = std::upper_bound(lines.begin(), lines.end(), moment, later);
    if (current != lines.begin()) --current;

    const recorded_drive& wanted = lines.front().drives[index_];
    const recorded_drive* drive = nullptr;
    if (index_ < current->drives.size() && same_drive(current->drives[index_], wanted)) {
        drive = &current->drives[index_];
    } else {
        for (const recorded_drive& one : current->drives) {
            if (same_drive(one, wanted)) drive = &one;
        }
    }
    if (drive == nullptr) return {};

    counters counted = drive->counted;
    if (counted.idle_ns) *counted.idle_ns += as_count(moment - current->at);
    if (speed_ != 1) {
        const auto compress = [this](std::uint64_t& span) {
            span = static_cast<std::uint64_t>(static_cast<double>(span) / speed_);
        };
        compress(counted.read_ns);
        compress(counted.write_ns);
        compress(counted.flush_ns);
        compress(counted.unmap_ns);
        if (counted.idle_ns) compress(*counted.idle_ns);
    }
    return counted;
}

}  // namespace qmpwatch::sim
