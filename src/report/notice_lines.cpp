// A notice becomes text or JSON, one function for each kind.
#include "report/notice_lines.hpp"

#include "base/duration.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/drive_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace qmpwatch::report {

namespace {

using json = nlohmann::ordered_json;
using base::printable;
using sample::monitor_state;

std::string padded(std::string text, std::size_t width) {
    if (const std::size_t taken = base::columns(text); taken < width) text.append(width - taken, ' ');
    return text;
}

std::string who(const std::string& drive, const sample::attachment& attachment) {
    std::string text = printable(drive);
    if (!attachment.device.empty()) text += " (" + printable(attachment.device) + ")";
    return text;
}

/// The time of day of the line's own date format, to the tenth of a second.
std::string time_of_day(base::wall_time when) { return base::rfc3339(when).substr(11, 10); }

std::string since_first_sample(base::nanoseconds elapsed) { return fmt::format("{:+.3f}s", base::in_seconds(elapsed)); }

/// No gap belongs to it: a level that was reached without one.
bool has_gap(const stall::transition& happened) { return happened.start.wall != base::wall_time{}; }

std::string_view polling_hint(const stall::transition& happened) {
    return happened.would_faster_polling_tell ? " (poll faster to be sure: --poll 1s)" : "";
}

std::string suspected_words(const stall::transition& happened) {
    std::string text = "stall suspected: nothing completed for " + base::format_length(happened.length);
    if (happened.pattern != nullptr) {
        text += fmt::format(" (may be {})", happened.pattern->name);
    } else {
        text += fmt::format(" ({}: {})", name(happened.cause), happened.reason);
    }
    return text;
}

/// Bounds further apart than this are worth their place on the line.
constexpr base::milliseconds wide_bounds{300};

std::string closed_words(const stall::transition& happened, const std::string& began) {
    std::string text = "stall " + base::format_length(happened.length);
    if (happened.length_max - happened.length_min > wide_bounds) {
        text += fmt::format(" ({:.1f}-{:.1f}s)", base::in_seconds(happened.length_min),
                            base::in_seconds(happened.length_max));
    }
    text += fmt::format(" {}", name(happened.cause));
    // The other causes are measured, not inferred.
    if (happened.cause == stall::cause::lost_completion) text += fmt::format(" ({})", name(happened.level));
    text += ", began " + began;
    if (happened.paused > base::nanoseconds{} && happened.cause != stall::cause::vm_paused) {
        text += ", without " + base::format_length(happened.paused) + " in which the VM was paused";
    }
    if (happened.is_retroactive) text += ", counted only now that the pattern is known";
    return text + fmt::format(", {} so far, {} lost: {}{}", happened.count, base::format_length(happened.lost),
                              happened.reason, polling_hint(happened));
}

std::string level_words(const stall::transition& happened) {
    std::string text = fmt::format("{} {}: ", name(happened.cause), name(happened.level));
    if (happened.pattern == nullptr) return text + fmt::format("{}{}", happened.reason, polling_hint(happened));
    text += fmt::format("matches the pattern of {}{}", happened.pattern->name, polling_hint(happened));
    if (happened.level >= stall::level::probable) text += "; see: qmpwatch doctor";
    return text;
}

std::string stall_words(const stall::transition& happened, const std::string& began) {
    switch (happened.what) {
        case stall::change::suspected: return suspected_words(happened);
        case stall::change::closed: return closed_words(happened, began);
        case stall::change::withdrawn: return fmt::format("stall withdrawn: {}", happened.reason);
        case stall::change::level_changed: return level_words(happened);
        case stall::change::cleared: break;
    }
    return fmt::format("{} cleared: {}", name(happened.cause), happened.reason);
}

/// 10^6 bytes per second; "-" when there was no time to speak of.
std::string megabytes_per_second(std::uint64_t bytes, base::nanoseconds span) {
    std::optional<double> rate;
    if (span > base::nanoseconds{}) rate = static_cast<double>(bytes) / base::in_seconds(span);
    return base::format_megabytes(rate) + " MB/s";
}

/// What stalls took from a drive, and how fast it was while nothing stalled.
std::string stall_summary(const pipeline::summary_notice::drive_total& drive, base::nanoseconds watched) {
    const std::uint64_t bytes = drive.read_bytes + drive.written_bytes;
    if (drive.stalls.empty()) return "no stalls, " + megabytes_per_second(bytes, watched);

    std::uint64_t count = 0;
    base::nanoseconds lost{};
    std::string causes;
    for (const auto& each : drive.stalls) {
        count += each.count;
        lost += each.lost;
        causes += fmt::format("{}{} {} {}", causes.empty() ? "" : ", ", each.count, name(each.cause),
                              base::format_length(each.lost));
    }
    return fmt::format("{} stall{}, {} lost ({}): {}, without the stalls {}", count, count == 1 ? "" : "s",
                       base::format_length(lost), causes, megabytes_per_second(bytes, watched),
                       megabytes_per_second(bytes, watched - lost));
}

/// The notice in words. Summaries are the only ones with several lines.
struct in_words {
    const std::string& prefix;  ///< time and VM, for the lines after the first
    time_style style;

    std::string operator()(const pipeline::rate_notice& notice) const {
        const std::string drive = padded(who(notice.drive, notice.attachment), 28);
        const std::string idle = notice.counters.idle ? base::format_age(*notice.counters.idle) : "-";
        if (!notice.rate) return drive + " (first interval, no rate yet)  idle " + idle;

        const auto direction = [](std::string_view name, const sample::operation_rate& rate) {
            return fmt::format("{} {:>5} MB/s {:>5} IOPS", name, base::format_megabytes(rate.bytes_per_second),
                               base::format_count(rate.operations_per_second));
        };
        const sample::drive_rate& rate = *notice.rate;
        return fmt::format("{} {}  {}  mean {:>7} {:>7}  idle {}", drive, direction("read", rate.read),
                           direction("write", rate.write), base::format_bytes(rate.all.mean_bytes),
                           base::format_latency(rate.all.mean_latency_seconds), idle);
    }

    std::string operator()(const pipeline::monitor_notice& notice) const {
        const bool answered = notice.before == monitor_state::ready || notice.before == monitor_state::blocked ||
                              notice.before == monitor_state::stopped;
        const bool gone = notice.after == monitor_state::absent || notice.after == monitor_state::connecting;
        std::string text = "monitor ";
        if (notice.after == monitor_state::ready) {
            text += "ready";
            if (notice.reconnected) {
                text += " again (reconnected)";
            } else if (answered) {
                text += " again";
            }
        } else if (answered && gone) {
            text += "lost";
        } else {
            text += sample::name(notice.after);
        }
        if (!notice.detail.empty()) text += ": " + printable(notice.detail);
        return text;
    }

    std::string operator()(const pipeline::vm_notice& notice) const {
        std::string text = "state ";
        if (!notice.before.empty()) text += printable(notice.before) + " -> ";
        return text + printable(notice.after);
    }

    std::string operator()(const pipeline::drives_notice& notice) const {
        const auto list = [](std::string_view what, const std::vector<std::string>& drives) {
            std::string text(what);
            for (std::size_t i = 0; i < drives.size(); ++i) text += (i == 0 ? ": " : ", ") + printable(drives[i]);
            return text;
        };
        std::string text;
        if (!notice.added.empty()) text = list("drives added", notice.added);
        if (!notice.removed.empty()) {
            if (!text.empty()) text += "; ";
            text += list("drives removed", notice.removed);
        }
        return text;
    }

    std::string operator()(const pipeline::qmp_notice& notice) const {
        std::string text = "event " + printable(notice.event);
        if (!notice.data.empty()) text += " " + printable(notice.data);
        return text;
    }

    std::string operator()(const pipeline::stall_notice& notice) const {
        const std::string began = style == time_style::elapsed ? since_first_sample(notice.start_elapsed)
                                                               : time_of_day(notice.happened.start.wall);
        std::string text =
            who(notice.happened.drive_name, notice.attachment) + " " + stall_words(notice.happened, began);
        for (const stall::remedy& one : notice.remedies) {
            text += fmt::format("\n{}what helps: {}", prefix, printable(one.what));
            if (!one.option.empty()) text += fmt::format(": {}", printable(one.option));
        }
        return text;
    }

    std::string operator()(const pipeline::summary_notice& notice) const {
        const auto bytes = [](std::uint64_t value) { return base::format_bytes(static_cast<double>(value)); };
        const auto whole = std::chrono::round<base::seconds>(notice.watched);
        std::string text = "summary: watched for " + base::format_duration(whole);
        for (const auto& drive : notice.drives) {
            const std::string start = fmt::format("\n{}summary: {} ", prefix, padded(printable(drive.drive), 19));
            text += start;
            text += fmt::format("read {:>7} in {} operations  write {:>7} in {} operations", bytes(drive.read_bytes),
                                drive.reads_completed, bytes(drive.written_bytes), drive.writes_completed);
            text += start + stall_summary(drive, notice.watched);
        }
        return text;
    }
};

json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return printable(text);
}

bool event_is_level(const stall::transition& happened) {
    return happened.what == stall::change::level_changed || happened.what == stall::change::cleared;
}

json list_of(const std::vector<stall::remedy>& remedies) {
    json list = json::array();
    for (const stall::remedy& each : remedies) {
        json one;
        one["what"] = printable(each.what);
        one["option"] = text_or_null(each.option);
        list.push_back(std::move(one));
    }
    return list;
}

json list_of(const std::vector<std::string>& names) {
    json list = json::array();
    for (const std::string& each : names) list.push_back(printable(each));
    return list;
}

std::string_view event_name(const pipeline::notice& notice) {
    struct names {
        std::string_view operator()(const pipeline::rate_notice&) const { return "rate"; }
        std::string_view operator()(const pipeline::monitor_notice&) const { return "monitor"; }
        std::string_view operator()(const pipeline::vm_notice&) const { return "vm"; }
        std::string_view operator()(const pipeline::drives_notice&) const { return "drives"; }
        std::string_view operator()(const pipeline::qmp_notice&) const { return "qmp"; }
        std::string_view operator()(const pipeline::stall_notice& notice) const {
            switch (notice.happened.what) {
                case stall::change::suspected: return "stall_suspected";
                case stall::change::closed: return "stall";
                case stall::change::withdrawn: return "stall_withdrawn";
                case stall::change::level_changed:
                case stall::change::cleared: break;
            }
            return "stall_level";
        }
        std::string_view operator()(const pipeline::summary_notice&) const { return "summary"; }
    };
    return std::visit(names{}, notice.what);
}

/// Appends what belongs to the kind of notice.
struct as_keys {
    json& object;

    void operator()(const pipeline::rate_notice& notice) const { append(object, drive_fields(notice)); }

    void operator()(const pipeline::monitor_notice& notice) const {
        object["state"] = sample::name(notice.after);
        object["state_before"] = sample::name(notice.before);
        object["detail"] = text_or_null(notice.detail);
        object["reconnected"] = notice.reconnected;
    }

    void operator()(const pipeline::vm_notice& notice) const {
        object["state"] = text_or_null(notice.after);
        object["state_before"] = text_or_null(notice.before);
    }

    void operator()(const pipeline::drives_notice& notice) const {
        object["added"] = list_of(notice.added);
        object["removed"] = list_of(notice.removed);
    }

    void operator()(const pipeline::qmp_notice& notice) const {
        json data = base::parse_ordered_json(notice.data);
        object["name"] = printable(notice.event);
        object["data"] = data.is_discarded() ? text_or_null(notice.data) : std::move(data);
    }

    void operator()(const pipeline::stall_notice& notice) const {
        const stall::transition& happened = notice.happened;
        const bool is_known = has_gap(happened);
        const auto seconds_of = [&](base::nanoseconds span) {
            return is_known ? json(base::in_seconds(span)) : json();
        };
        object["drive"] = printable(happened.drive_name);
        object["device"] = text_or_null(notice.attachment.device);
        object["cause"] = name(happened.cause);
        object["level"] = name(happened.level);
        object["start"] = is_known ? json(base::rfc3339(happened.start.wall)) : json();
        object["start_elapsed"] = seconds_of(notice.start_elapsed);
        object["seconds"] = seconds_of(happened.length);
        object["seconds_min"] = seconds_of(happened.length_min);
        object["seconds_max"] = seconds_of(happened.length_max);
        object["paused_seconds"] = seconds_of(happened.paused);
        object["count"] = happened.count;
        object["lost_seconds"] = base::in_seconds(happened.lost);
        object["pattern"] = happened.pattern != nullptr ? json(happened.pattern->name) : json();
        object["retroactive"] = happened.is_retroactive;
        object["faster_polling_would_tell"] = happened.would_faster_polling_tell;
        object["reason"] = happened.reason;
        if (event_is_level(happened)) object["remedies"] = list_of(notice.remedies);
    }

    void operator()(const pipeline::summary_notice& notice) const {
        object["watched_seconds"] = base::in_seconds(notice.watched);
        json drives = json::array();
        for (const auto& each : notice.drives) {
            json drive;
            drive["drive"] = printable(each.drive);
            drive["read_bytes"] = each.read_bytes;
            drive["written_bytes"] = each.written_bytes;
            drive["reads_completed"] = each.reads_completed;
            drive["writes_completed"] = each.writes_completed;
            json stalls = json::array();
            for (const auto& one : each.stalls) {
                json of_cause;
                of_cause["cause"] = name(one.cause);
                of_cause["count"] = one.count;
                of_cause["seconds"] = base::in_seconds(one.lost);
                stalls.push_back(std::move(of_cause));
            }
            drive["stalls"] = std::move(stalls);
            drives.push_back(std::move(drive));
        }
        object["drives"] = std::move(drives);
    }
};

}  // namespace

std::string text_line(const pipeline::notice& notice, time_style style) {
    std::string time = base::rfc3339(notice.time);
    if (style == time_style::clock) time = time.substr(11, 8) + "Z";
    if (style == time_style::elapsed) time = since_first_sample(notice.elapsed.value_or(base::nanoseconds{}));
    const std::string prefix = time + " " + printable(notice.vm) + " ";
    return prefix + std::visit(in_words{prefix, style}, notice.what);
}

std::string json_line(const pipeline::notice& notice, bool has_wall_clock) {
    json object;
    object["event"] = event_name(notice);
    object["time"] = has_wall_clock ? json(base::rfc3339(notice.time)) : json(nullptr);
    object["elapsed"] = notice.elapsed ? json(base::in_seconds(*notice.elapsed)) : json(nullptr);
    object["vm"] = printable(notice.vm);
    std::visit(as_keys{object}, notice.what);
    if (!has_wall_clock && object.contains("start")) object["start"] = nullptr;
    // JSON escapes the old control characters but neither DEL nor the C1 ones, and some terminals obey those.
    return printable(base::json_text(object));
}

}  // namespace qmpwatch::report
