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
    command_line command{"qmpwatch simulate",
                         "Serves a monitor socket that behaves like a VM's, to try everything without a VM."};
    command.text("--socket", options.socket, "PATH", "Where to listen: a path, or tcp:HOST:PORT");
    command.require("--socket");
    command.text("--protocol", options.protocol, "PROTOCOL", "qmp or hmp");
    command.number("--vms", options.vms, "UINT", "How many VMs; with more than one their paths get -0001, -0002, ...");
    command.text("--play", options.play, "FILE", "Plays a recording (JSON Lines of query-blockstats replies)");
    command.number("--speed", options.speed, "FLOAT", "How much faster than real time the recording is played");
    command.flag("--loop", options.loop, "Starts the recording again at its end");
    command.number("--drives", options.drives, "UINT", "How many drives a VM has");
    command.number("--read-rate", options.read_megabytes, "MB/s", "What the guest reads from its first drive, in MB/s");
    command.number("--write-rate", options.write_megabytes, "MB/s",
                   "What the guest writes to its second drive, in MB/s");
    command.number("--operation-size", options.operation_bytes, "BYTES", "Bytes of each operation");
    command.duration("--latency", options.latency, base::nanoseconds(0), "Mean latency of an operation");
    command.text("--stall", options.stall, "KIND",
                 "What interrupts the first drive: none, idle, lost-completion or host-stall");
    command.duration("--stall-every", options.stall_every, base::milliseconds(10),
                     "Mean time of I/O between two stalls");
    command.duration("--stall-length", options.stall_length, base::milliseconds(10), "Length of a stall");
    command.text("--qemu-version", options.qemu_version, "X.Y.Z", "The version that it claims");
    command.text("--vm-name", options.vm_name, "NAME", "The VM's name");
    command.texts("--misbehave", options.misbehave, "NAME",
                  fmt::format("What is wrong with the monitor, NAME or NAME=VALUE; repeatable: {}",
                              fmt::join(sim::misbehaviour_names(), ", ")));
    command.number("--seed", options.seed, "UINT", "The same seed gives the same load");
    if (const std::optional<int> end = command.parse(arguments)) return *end;
    return simulate(options);
}

}  // namespace qmpwatch::app
