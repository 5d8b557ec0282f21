// The flags of `watch`.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/live_flags.hpp"
#include "app/watch.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

namespace qmpwatch::app {

int watch_command(const words& arguments) {
    watch_options options;
    live_words given;
    std::string format = "table";

    CLI::App command{"Polls the monitors of VMs and shows the read and write rates of their drives.", "qmpwatch watch"};
    add_live_flags(command, given, options);
    command.add_flag("--once", options.once, "Measure one interval, print it, and end");
    command.add_option("--format", format, "What --once prints: table, json or csv")
        ->type_name("FORMAT")
        ->capture_default_str();
    add_config(command);
    if (const std::optional<int> end = parse(command, arguments)) return *end;

    static const std::map<std::string, once_format> formats{
        {"table", once_format::table}, {"json", once_format::json}, {"csv", once_format::csv}};
    if (!formats.contains(format)) {
        return refuse(command, fmt::format("--format is table, json or csv, not '{}'", base::printable(format)));
    }
    if (command.count("--format") > 0 && !options.once) {
        return refuse(command, "--format says what --once prints: add --once, or use --log.format json for a stream");
    }
    if (const std::optional<std::string> problem = take_live_flags(given, options)) return refuse(command, *problem);
    options.format = formats.at(format);
    return watch(options);
}

}  // namespace qmpwatch::app
