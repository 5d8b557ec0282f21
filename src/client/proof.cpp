#include "client/proof.hpp"

#include "base/text.hpp"
#include "client/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace qmpwatch::client {

using std::chrono::steady_clock;

namespace {

/// Long enough for a QEMU that is busy; a VM must not be left changed because of a hurry.
constexpr base::nanoseconds reply_time = base::seconds(5);

/// What stall::trace_log reads; the other events of the family would only make the log longer. In the order of
/// switching on: a completion that is logged before its status can be would look like a lost one.
constexpr std::array<std::string_view, 5> wanted_events{"usb_msd_send_status", "usb_msd_cmd_cancel", "usb_msd_reset",
                                                        "usb_msd_cmd_submit", "usb_msd_cmd_complete"};

/// The first line, harmless for a terminal.
std::string first_line(std::string_view text) { return base::printable(text.substr(0, text.find_first_of("\r\n"))); }

}  // namespace

asio::awaitable<base::result<std::string>> proof::send(link& connection, const monitor::proving_command& command) {
    const base::steady_time deadline = steady_clock::now() + reply_time;
    const base::result<monitor::ticket> question = co_await connection.ask_to_prove(command, deadline);
    if (question.has_error()) co_return question.error();
    base::result<std::string> text = co_await connection.answer_to(*question, deadline);
    monitor::announcement heard;
    while (connection.take_event(heard)) {
    }
    co_return text;
}

asio::awaitable<base::result<void>> proof::move_log(link& connection, std::string path) {
    const monitor::proving_command command = monitor::proving_command::log_to(path);
    const base::result<std::string> answered = co_await send(connection, command);
    if (answered.has_error()) co_return answered.error();
    // The human monitor prints what went wrong, and nothing when nothing did.
    const std::string complaint = first_line(text_value(*answered).value_or(""));
    if (!complaint.empty()) {
        co_return base::fail(base::errc::refused, fmt::format("QEMU cannot write its log to {}: {}", path, complaint));
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> proof::begin(link& connection, std::string log_path) {
    const monitor::proving_command ask = monitor::proving_command::trace_states();
    const base::result<std::string> answered = co_await send(connection, ask);
    if (answered.has_error()) co_return answered.error();
    const std::vector<std::pair<std::string, bool>> states = trace_states(*answered);
    const auto is_there = [&states](std::string_view event) {
        return std::any_of(states.begin(), states.end(), [event](const auto& one) { return one.first == event; });
    };
    if (!std::all_of(wanted_events.begin(), wanted_events.end(), is_there)) {
        co_return base::fail(base::errc::refused, "this QEMU is built without the trace events usb_msd_*");
    }

    // From here on QEMU may have done what it is told even when its answer does not come.
    is_log_moved_ = true;
    const base::result<void> moved = co_await move_log(connection, std::move(log_path));
    if (moved.has_error()) co_return moved.error();

    for (const std::string_view event : wanted_events) {
        const auto state =
            std::find_if(states.begin(), states.end(), [event](const auto& one) { return one.first == event; });
        if (state->second) continue;
        const std::optional<monitor::proving_command> command = monitor::proving_command::set_trace(event, true);
        if (!command) continue;
        switched_on_.emplace_back(event);
        const base::result<std::string> switched = co_await send(connection, *command);
        if (switched.has_error()) co_return switched.error();
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<void>> proof::put_back(link& connection, std::string old_log) {
    while (!switched_on_.empty()) {
        const std::optional<monitor::proving_command> command =
            monitor::proving_command::set_trace(switched_on_.back(), false);
        if (command) {
            const base::result<std::string> switched = co_await send(connection, *command);
            if (switched.has_error()) co_return switched.error();
        }
        switched_on_.pop_back();
    }
    if (is_log_moved_) {
        const base::result<void> moved = co_await move_log(connection, std::move(old_log));
        if (moved.has_error()) co_return moved.error();
        is_log_moved_ = false;
    }
    co_return base::result<void>();
}

std::vector<std::string> proof::left_to_do(const std::string& old_log) const {
    std::vector<std::string> lines;
    for (const std::string& event : switched_on_) lines.push_back(fmt::format("trace-event {} off", event));
    if (is_log_moved_) lines.push_back(monitor::logfile_line(old_log));
    return lines;
}

}  // namespace qmpwatch::client
