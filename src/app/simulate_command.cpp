// The flags of `simulate`.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/simulate.hpp"
#include "sim/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace qmpwatch::app {

int simulate_command(const words& arguments) {
    simulate_options options;
    CLI::App command{"Serves a monitor socket that behaves like a VM's, to try everything without a VM.",
                     "qmpwatch simulate"};
    command.add_option("--socket", options.socket, "Where to listen: a path, or tcp:HOST:PORT")
        ->type_name("PATH")
        ->required();
    command.add_option("--protocol", options.protocol, "qmp or hmp")->type_name("PROTOCOL")->capture_default_str();
    command.add_option("--vms", options.vms, "How many VMs; with more than one their paths get -0001, -0002, ...")
        ->capture_default_str();
    command.add_option("--play", options.play, "Plays a recording (JSON Lines of query-blockstats replies)")
        ->type_name("FILE");
    command.add_option("--speed", options.speed, "How much faster than real time the recording is played")
        ->capture_default_str();
    command.add_flag("--loop", options.loop, "Starts the recording again at its end");
    command.add_option("--drives", options.drives, "How many drives a VM has")->capture_default_str();
    command.add_option("--read-rate", options.read_megabytes, "What the guest reads from its first drive, in MB/s")
        ->type_name("MB/s")
        ->capture_default_str();
    command.add_option("--write-rate", options.write_megabytes, "What the guest writes to its second drive, in MB/s")
        ->type_name("MB/s")
        ->capture_default_str();
    command.add_option("--operation-size", options.operation_bytes, "Bytes of each operation")
        ->type_name("BYTES")
        ->capture_default_str();
    add_duration(command, "--latency", options.latency, base::nanoseconds(0), "Mean latency of an operation");
    command
        .add_option("--stall", options.stall,
                    "What interrupts the first drive: none, idle, lost-completion or host-stall")
        ->type_name("KIND")
        ->capture_default_str();
    add_duration(command, "--stall-every", options.stall_every, base::milliseconds(10),
                 "Mean time of I/O between two stalls");
    add_duration(command, "--stall-length", options.stall_length, base::milliseconds(10), "Length of a stall");
    command.add_option("--qemu-version", options.qemu_version, "The version that it claims")
        ->type_name("X.Y.Z")
        ->capture_default_str();
    command.add_option("--vm-name", options.vm_name, "The VM's name")->type_name("NAME")->capture_default_str();
    command
        .add_option("--misbehave", options.misbehave,
                    fmt::format("What is wrong with the monitor, NAME or NAME=VALUE; repeatable: {}",
                                fmt::join(sim::misbehaviour_names(), ", ")))
        ->type_name("NAME")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_option("--seed", options.seed, "The same seed gives the same load")->capture_default_str();
    if (const std::optional<int> end = parse(command, arguments)) return *end;
    return simulate(options);
}

}  // namespace qmpwatch::app
