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

    command_line command{"qmpwatch watch",
                         "Polls the monitors of VMs and shows the read and write rates of their drives."};
    add_live_flags(command,
                   "The monitor socket, QMP or HMP: a path, a quoted pattern such as '/run/vms/*.sock', or "
                   "tcp:HOST:PORT. NAME=PATH gives the VM a name. Repeat it for more VMs",
                   given, options);
    command.flag("--once", options.once, "Measure one interval, print it, and end");
    command.text("--format", format, "FORMAT", "What --once prints: table, json or csv");
    command.config_file();
    if (const std::optional<int> end = command.parse(arguments)) return *end;

    static const std::map<std::string, once_format> formats{
        {"table", once_format::table}, {"json", once_format::json}, {"csv", once_format::csv}};
    if (!formats.contains(format)) {
        return command.refuse(fmt::format("--format is table, json or csv, not '{}'", base::printable(format)));
    }
    if (command.has("--format") && !options.once) {
        return command.refuse("--format says what --once prints: add --once, or use --log.format json for a stream");
    }
    if (const std::optional<std::string> problem = take_live_flags(given, options)) return command.refuse(*problem);
    options.format = formats.at(format);
    return watch(options);
}

}  // namespace qmpwatch::app
