// --on-stall: runs the user's command when a stall is suspected, ends, or was none. One at a time, never waited for.
#pragma once

#include "base/asio.hpp"
#include "pipeline/notice.hpp"
#include "sample/vm.hpp"

#include <deque>
#include <string>
#include <vector>

namespace qmpwatch::app {

/// What the command finds in its environment, NAME=VALUE each: QMPWATCH_EVENT (stall_suspected, stall,
/// stall_withdrawn), QMPWATCH_VM, QMPWATCH_SOCKET, QMPWATCH_PID, QMPWATCH_DRIVE, QMPWATCH_DEVICE, QMPWATCH_CAUSE,
/// QMPWATCH_LEVEL, QMPWATCH_START (RFC 3339), QMPWATCH_SECONDS, QMPWATCH_SECONDS_MIN, QMPWATCH_SECONDS_MAX,
/// QMPWATCH_COUNT, QMPWATCH_LOST_SECONDS, QMPWATCH_MESSAGE (the line as it is logged). Empty for notices that are none
/// of these events. Texts from the monitor are made printable.
std::vector<std::string> stall_environment(const pipeline::notice& said, const sample::vm_identity& vm);

class on_stall {
public:
    /// How many events wait for their turn; when there are more, the oldest is dropped and the log says so.
    static constexpr std::size_t most_waiting = 16;

    /// `command` is run by /bin/sh -c. Must not outlive the context.
    on_stall(asio::io_context& context, std::string command);

    /// Runs the command for this notice, at once or when the one that runs has ended. Does nothing for other notices.
    void hear(const pipeline::notice& said, const sample::vm_identity& vm);

    bool is_running() const { return running_ != 0; }

private:
    void start_next();
    void wait_for_end();

    std::string command_;
    asio::signal_set ended_;
    std::deque<std::vector<std::string>> waiting_;
    int running_ = 0;  ///< process id, 0 for none
};

}  // namespace qmpwatch::app
