#include "monitor/proving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace qmpwatch::monitor {

namespace {

/// The text between quotes, with a backslash before every quote and backslash: JSON and the human monitor agree on it.
/// Control characters are left out: QEMU's own file names have none.
std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) continue;
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    result += '"';
    return result;
}

}  // namespace

proving_command::proving_command(std::string_view command, std::string arguments)
    : command_(command), arguments_(std::move(arguments)) {}

proving_command proving_command::trace_states() { return {"trace-event-get-state", R"({"name":"usb_msd_*"})"}; }

std::optional<proving_command> proving_command::set_trace(std::string_view event, bool on) {
    if (!is_storage_event(event)) return std::nullopt;
    return proving_command("trace-event-set-state", fmt::format(R"({{"name":"{}","enable":{}}})", event, on));
}

proving_command proving_command::log_to(std::string_view path) {
    return {"human-monitor-command", fmt::format(R"({{"command-line":{}}})", json_string(logfile_line(path)))};
}

std::string logfile_line(std::string_view path) { return "logfile " + json_string(path); }

bool is_storage_event(std::string_view event) {
    constexpr std::string_view family = "usb_msd_";
    if (!event.starts_with(family) || event.size() == family.size()) return false;
    return std::all_of(event.begin(), event.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace qmpwatch::monitor
