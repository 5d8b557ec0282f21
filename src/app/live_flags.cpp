#include "app/live_flags.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <map>

namespace qmpwatch::app {

void add_live_flags(command_line& command, const std::string& about_socket, live_words& words, live_options& options) {
    command.texts("--socket", words.sockets, "[NAME=]PATH", about_socket);
    command.duration("--interval", options.interval, base::milliseconds(100),
                     "The window of the rates, and the time between two log lines");
    command.duration("--poll", options.poll, base::milliseconds(50), "The time between two looks at the counters");
    command.text("--web.listen-address", words.listen, "HOST:PORT", "Where /metrics is served, HOST:PORT, or off");
    command.text("--on-stall", options.on_stall, "COMMAND",
                 "A shell command to run when a stall is suspected, has ended or was none; the facts are in its "
                 "environment (QMPWATCH_EVENT, QMPWATCH_DRIVE, QMPWATCH_CAUSE, QMPWATCH_MESSAGE, ...)");
    command.text(
        "--log.format", words.log_format, "FORMAT",
        "text, or json for one JSON object a line; a terminal shows the table instead of lines only with text");
    command.text("--log.level", words.log_level, "LEVEL",
                 "The least important message to log: debug, info, warning or error");
}

std::optional<std::string> take_live_flags(const live_words& words, live_options& options) {
    static const std::map<std::string, base::log::level> levels{{"debug", base::log::level::debug},
                                                                {"info", base::log::level::info},
                                                                {"warning", base::log::level::warning},
                                                                {"error", base::log::level::error}};
    if (words.log_format != "text" && words.log_format != "json") {
        return fmt::format("--log.format is text or json, not '{}'", base::printable(words.log_format));
    }
    if (!levels.contains(words.log_level)) {
        return fmt::format("--log.level is debug, info, warning or error, not '{}'", base::printable(words.log_level));
    }
    if (options.poll > options.interval) {
        return fmt::format("--poll {} is longer than --interval {}: a rate needs two looks at the counters",
                           base::format_duration(options.poll), base::format_duration(options.interval));
    }
    if (words.sockets.empty()) return "which VM? --socket PATH, with the path of QEMU's monitor socket";
    for (const std::string& text : words.sockets) {
        const base::result<client::target> target = client::parse_target(text);
        if (target.has_error()) return target.error().message;
        options.targets.push_back(*target);
    }
    const base::result<web::listen_address> address = web::parse_listen_address(words.listen);
    if (address.has_error()) return address.error().message;
    options.listen = *address;
    options.json_lines = words.log_format == "json";
    base::log::configure(levels.at(words.log_level),
                         options.json_lines ? base::log::format::json : base::log::format::text);
    return std::nullopt;
}

}  // namespace qmpwatch::app
