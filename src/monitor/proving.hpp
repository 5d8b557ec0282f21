// The only commands that change a VM: its trace events and its log file, for `doctor --prove`. They can be made here
// and nowhere else, so that nobody sends another one by accident.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::monitor {

/// A QMP command that is allowed while proving.
class proving_command {
public:
    /// Asks the states of the trace events about USB mass storage. Reads only.
    static proving_command trace_states();

    /// Switches one of these trace events on or off; none when is_storage_event(event) is false.
    static std::optional<proving_command> set_trace(std::string_view event, bool on);

    /// Sends QEMU's log to a file. The answer is what the human monitor prints: nothing when it went well.
    static proving_command log_to(std::string_view path);

    std::string_view command() const { return command_; }
    const std::string& arguments() const { return arguments_; }  ///< JSON text of an object

private:
    proving_command(std::string_view command, std::string arguments);

    std::string_view command_;
    std::string arguments_;
};

/// The line of the human monitor that sends QEMU's log to a file.
std::string logfile_line(std::string_view path);

/// True for the name of a trace event about USB mass storage: usb_msd_ and lower-case letters.
bool is_storage_event(std::string_view event);

}  // namespace qmpwatch::monitor
