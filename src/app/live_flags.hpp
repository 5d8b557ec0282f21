// The flags that `watch` and `record` share.
#pragma once

#include "app/command_line.hpp"
#include "app/live.hpp"

#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::app {

/// What these flags were given, before it is understood.
struct live_words {
    std::vector<std::string> sockets;
    std::string listen = "127.0.0.1:10977";
    std::string log_format = "text";
    std::string log_level = "info";
};

/// --socket, --interval, --poll, --web.listen-address, --on-stall, --log.format, --log.level.
void add_live_flags(command_line& command, const std::string& about_socket, live_words& words, live_options& options);

/// Understands them and sets up the log. The sentence that says what is wrong with them, if anything is.
std::optional<std::string> take_live_flags(const live_words& words, live_options& options);

}  // namespace qmpwatch::app
