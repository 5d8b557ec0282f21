// The flags of `doctor`.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/doctor.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::app {

int doctor_command(const words& arguments) {
    doctor_options options;
    std::vector<std::string> sockets;
    std::string format = "text";
    std::optional<std::string> prove;

    command_line command{
        "qmpwatch doctor",
        "Looks once at a VM: how its drives are attached, which known trouble applies, what to change.\n"
        "Ends with 0 when nothing was found, 1 when something was (a warning or worse), 2 when it could not look."};
    command.texts("--socket", sockets, "[NAME=]PATH",
                  "The monitor socket of one VM, QMP or HMP: a path or tcp:HOST:PORT. NAME=PATH gives the VM a name");
    command.text("--format", format, "FORMAT", "text or json");
    command.text_or_nothing(
        "--prove", prove, "[DURATION]",
        "Prove lost usb-storage completions: look for so long (60s). This CHANGES the VM: QEMU's trace events "
        "usb_msd_* are switched on and its log goes to a temporary file; both are put back at the end. "
        "Needs a QMP monitor on this host");
    command.config_file();
    if (const std::optional<int> end = command.parse(arguments)) return *end;

    if (format != "text" && format != "json") {
        return command.refuse(fmt::format("--format is text or json, not '{}'", base::printable(format)));
    }
    if (sockets.size() != 1) {
        return command.refuse(sockets.empty() ? "which VM? --socket PATH, with the path of QEMU's monitor socket"
                                              : "one VM at a time: give --socket once");
    }
    const base::result<client::target> target = client::parse_target(sockets.front());
    if (target.has_error()) return command.refuse(target.error().message);
    if (target->is_pattern) return command.refuse("one VM at a time: --socket takes no pattern here");
    if (prove) {
        const base::result<base::nanoseconds> duration = base::parse_duration(prove->empty() ? "60s" : *prove);
        if (duration.has_error()) return command.refuse("--prove: " + duration.error().message);
        if (*duration < base::seconds(1)) return command.refuse("--prove needs at least 1s");
        options.prove = *duration;
    }
    options.target = *target;
    options.as_json = format == "json";
    return doctor(options);
}

}  // namespace qmpwatch::app
