// The flags of `watch`.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/watch.hpp"
#include "base/duration.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>

namespace qmpwatch::app {

namespace {

int refuse(const std::string& sentence) {
    fmt::print(stderr, "qmpwatch watch: {} (see qmpwatch watch --help)\n", sentence);
    return exit_usage;
}

}  // namespace

int watch_command(const words& arguments) {
    watch_options options;
    std::vector<std::string> sockets;
    std::string listen = "127.0.0.1:10977";
    std::string format = "table";
    std::string log_format = "text";
    std::string log_level = "info";

    CLI::App command{"Polls the monitors of VMs and shows the read and write rates of their drives.", "qmpwatch watch"};
    command
        .add_option("--socket", sockets,
                    "The monitor socket, QMP or HMP: a path, a quoted pattern such as '/run/vms/*.sock', or "
                    "tcp:HOST:PORT. NAME=PATH gives the VM a name. Repeat it for more VMs")
        ->type_name("[NAME=]PATH")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_duration(command, "--interval", options.interval, base::milliseconds(100),
                 "The window of the rates, and the time between two log lines");
    add_duration(command, "--poll", options.poll, base::milliseconds(50), "The time between two looks at the counters");
    command.add_flag("--once", options.once, "Measure one interval, print it, and end");
    command.add_option("--format", format, "What --once prints: table, json or csv")
        ->type_name("FORMAT")
        ->capture_default_str();
    command.add_option("--web.listen-address", listen, "Where /metrics is served, HOST:PORT, or off")
        ->type_name("HOST:PORT")
        ->capture_default_str();
    command
        .add_option("--on-stall", options.on_stall,
                    "A shell command to run when a stall is suspected, has ended or was none; the facts are in its "
                    "environment (QMPWATCH_EVENT, QMPWATCH_DRIVE, QMPWATCH_CAUSE, QMPWATCH_MESSAGE, ...)")
        ->type_name("COMMAND");
    command
        .add_option(
            "--log.format", log_format,
            "text, or json for one JSON object a line; a terminal shows the table instead of lines only with text")
        ->type_name("FORMAT")
        ->capture_default_str();
    command.add_option("--log.level", log_level, "The least important message to log: debug, info, warning or error")
        ->type_name("LEVEL")
        ->capture_default_str();
    add_config(command);
    if (const std::optional<int> end = parse(command, arguments)) return *end;

    static const std::map<std::string, once_format> formats{
        {"table", once_format::table}, {"json", once_format::json}, {"csv", once_format::csv}};
    static const std::map<std::string, base::log::level> levels{{"debug", base::log::level::debug},
                                                                {"info", base::log::level::info},
                                                                {"warning", base::log::level::warning},
                                                                {"error", base::log::level::error}};
    if (log_format != "text" && log_format != "json") {
        return refuse(fmt::format("--log.format is text or json, not '{}'", base::printable(log_format)));
    }
    if (!levels.contains(log_level)) {
        return refuse(
            fmt::format("--log.level is debug, info, warning or error, not '{}'", base::printable(log_level)));
    }
    if (!formats.contains(format)) {
        return refuse(fmt::format("--format is table, json or csv, not '{}'", base::printable(format)));
    }
    if (command.count("--format") > 0 && !options.once) {
        return refuse("--format says what --once prints: add --once, or use --log.format json for a stream");
    }
    if (options.poll > options.interval) {
        return refuse(fmt::format("--poll {} is longer than --interval {}: a rate needs two looks at the counters",
                                  base::format_duration(options.poll), base::format_duration(options.interval)));
    }
    if (sockets.empty()) {
        return refuse("which VM? --socket PATH, with the path of QEMU's monitor socket");
    }
    for (const std::string& text : sockets) {
        const base::result<client::target> target = client::parse_target(text);
        if (target.has_error()) return refuse(target.error().message);
        options.targets.push_back(*target);
    }
    const base::result<web::listen_address> address = web::parse_listen_address(listen);
    if (address.has_error()) return refuse(address.error().message);
    options.listen = *address;
    options.format = formats.at(format);
    options.json_lines = log_format == "json";
    base::log::configure(levels.at(log_level), options.json_lines ? base::log::format::json : base::log::format::text);
    return watch(options);
}

}  // namespace qmpwatch::app
