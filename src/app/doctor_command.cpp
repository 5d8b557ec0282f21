// The flags of `doctor`.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/doctor.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

namespace qmpwatch::app {

namespace {

int refuse(const std::string& sentence) {
    fmt::print(stderr, "qmpwatch doctor: {} (see qmpwatch doctor --help)\n", sentence);
    return exit_usage;
}

}  // namespace

int doctor_command(const words& arguments) {
    doctor_options options;
    std::vector<std::string> sockets;
    std::string format = "text";
    std::string prove = "60s";

    CLI::App command{
        "Looks once at a VM: how its drives are attached, which known trouble applies, what to change.\n"
        "Ends with 0 when nothing was found, 1 when something was (a warning or worse), 2 when it could not look.",
        "qmpwatch doctor"};
    command
        .add_option("--socket", sockets,
                    "The monitor socket of one VM, QMP or HMP: a path or tcp:HOST:PORT. NAME=PATH gives the VM a name")
        ->type_name("[NAME=]PATH")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_option("--format", format, "text or json")->type_name("FORMAT")->capture_default_str();
    CLI::Option* proving =
        command
            .add_option(
                "--prove", prove,
                "Prove lost usb-storage completions: look for so long (60s). This CHANGES the VM: QEMU's trace events "
                "usb_msd_* are switched on and its log goes to a temporary file; both are put back at the end. "
                "Needs a QMP monitor on this host")
            ->type_name("[DURATION]")
            ->expected(0, 1);
    add_config(command);
    if (const std::optional<int> end = parse(command, arguments)) return *end;

    if (format != "text" && format != "json") {
        return refuse(fmt::format("--format is text or json, not '{}'", base::printable(format)));
    }
    if (sockets.size() != 1) {
        return refuse(sockets.empty() ? "which VM? --socket PATH, with the path of QEMU's monitor socket"
                                      : "one VM at a time: give --socket once");
    }
    const base::result<client::target> target = client::parse_target(sockets.front());
    if (target.has_error()) return refuse(target.error().message);
    if (target->is_pattern) return refuse("one VM at a time: --socket takes no pattern here");
    if (proving->count() > 0) {
        const base::result<base::nanoseconds> duration = base::parse_duration(prove.empty() ? "60s" : prove);
        if (duration.has_error()) return refuse("--prove: " + duration.error().message);
        if (*duration < base::seconds(1)) return refuse("--prove needs at least 1s");
        options.prove = *duration;
    }
    options.target = *target;
    options.as_json = format == "json";
    return doctor(options);
}

}  // namespace qmpwatch::app
