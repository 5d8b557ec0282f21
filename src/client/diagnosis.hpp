// Why does a socket stay silent? Guessed from the command line of the QEMU behind it; no I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::client {

/// What QEMU's command line says about a socket.
enum class socket_use {
    unknown,      ///< not found there
    monitor,      ///< a QMP or HMP monitor of its own
    muxed,        ///< a monitor that shares its socket with a serial port or console
    guest_agent,  ///< the guest agent's channel
    serial,       ///< a serial port, console or other character device
};

/// True when the words look like a QEMU command line.
bool is_qemu(const std::vector<std::string>& command_line);

/// What the socket with this path is for. A relative path is compared by its last component: QEMU may have been started
/// in another folder.
socket_use use_of_socket(const std::vector<std::string>& command_line, std::string_view path);

/// The sentence for a monitor that was reached but says nothing.
std::string explain_silence(socket_use use);

}  // namespace qmpwatch::client
