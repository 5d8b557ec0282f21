// The commands that qmpwatch may send: it only looks. Anything else is refused before it reaches the socket.
#pragma once

#include <string_view>

namespace qmpwatch::monitor {

/// True for a QMP command that reads and changes nothing.
bool is_allowed_qmp(std::string_view command);

/// True for an HMP line that reads and changes nothing: `info` and one of the listed topics, without arguments.
bool is_allowed_hmp(std::string_view line);

}  // namespace qmpwatch::monitor
