// A notice becomes text or JSON, one function for each kind.
#include "report/notice_lines.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/drive_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

/// The notice in words. Summaries are the only ones with several lines.
struct in_words {
    const std::string& prefix;  ///< time and VM, for the lines after the first

    std::string operator()(const pipeline::rate_notice& notice) const {
        std::string who = printable(notice.drive);
        if (!notice.attachment.device.empty()) who += " (" + printable(notice.attachment.device) + ")";
        who = padded(std::move(who), 28);
        const std::string idle = notice.counters.idle ? base::format_age(*notice.counters.idle) : "-";
        if (!notice.rate) return who + " (first interval, no rate yet)  idle " + idle;

        const auto direction = [](std::string_view name, const sample::operation_rate& rate) {
            return fmt::format("{} {:>5} MB/s {:>5} IOPS", name, base::format_megabytes(rate.bytes_per_second),
                               base::format_count(rate.operations_per_second));
        };
        const sample::drive_rate& rate = *notice.rate;
        return fmt::format("{} {}  {}  mean {:>7} {:>7}  idle {}", who, direction("read", rate.read),
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

    std::string operator()(const pipeline::summary_notice& notice) const {
        const auto bytes = [](std::uint64_t value) { return base::format_bytes(static_cast<double>(value)); };
        const auto whole = std::chrono::round<base::seconds>(notice.watched);
        std::string text = "summary: watched for " + base::format_duration(whole);
        for (const auto& drive : notice.drives) {
            text += fmt::format("\n{}summary: {} read {:>7} in {} operations  write {:>7} in {} operations", prefix,
                                padded(printable(drive.drive), 19), bytes(drive.read_bytes), drive.reads_completed,
                                bytes(drive.written_bytes), drive.writes_completed);
        }
        return text;
    }
};

json text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return printable(text);
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
        json data = json::parse(notice.data, nullptr, false);
        object["name"] = printable(notice.event);
        object["data"] = data.is_discarded() ? text_or_null(notice.data) : std::move(data);
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
            drives.push_back(std::move(drive));
        }
        object["drives"] = std::move(drives);
    }
};

}  // namespace

std::string text_line(const pipeline::notice& notice) {
    const std::string prefix = base::rfc3339(notice.time) + " " + printable(notice.vm) + " ";
    return prefix + std::visit(in_words{prefix}, notice.what);
}

std::string json_line(const pipeline::notice& notice) {
    json object;
    object["event"] = event_name(notice);
    object["time"] = base::rfc3339(notice.time);
    object["elapsed"] = notice.elapsed ? json(base::in_seconds(*notice.elapsed)) : json(nullptr);
    object["vm"] = printable(notice.vm);
    std::visit(as_keys{object}, notice.what);
    // JSON escapes the old control characters but neither DEL nor the C1 ones, and some terminals obey those.
    return printable(object.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace qmpwatch::report
