#include "app/commands.hpp"

#include "app/exit_code.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace qmpwatch::app {

namespace {

struct command {
    std::string_view name;
    std::string_view summary;
    int (*run)(const words&);
};

constexpr std::array<command, 8> commands{{
    {"watch", "watch one VM or many: live table, log lines, /metrics (the default)", watch_command},
    {"doctor", "one look at one VM: what is known to go wrong with it, and what to change", doctor_command},
    {"record", "watch one VM and write a run file, for report and replay", record_command},
    {"report", "what happened in a run, or how two compare: text, Markdown, CSV, JSON, HTML", report_command},
    {"replay", "say of a run what watch said, or serve it as a monitor", replay_command},
    {"gate", "did an installation get slower? PASS, FAIL or INCONCLUSIVE, from runs", gate_command},
    {"baseline", "keep the runs that gate compares with: list, accept, retire", baseline_command},
    {"simulate", "serve a monitor socket that behaves like a VM, to try everything without one", simulate_command},
}};

void print_help() {
    fmt::print(
        "qmpwatch shows how fast the drives of QEMU VMs are, from QEMU's own counters.\n\n"
        "Usage: qmpwatch --socket PATH [flags]\n"
        "       qmpwatch COMMAND [flags]\n\n"
        "PATH is QEMU's monitor socket: -qmp unix:PATH,server=on,wait=off or -monitor unix:PATH,server=on,wait=off.\n\n"
        "Commands:\n");
    for (const command& one : commands) fmt::print("  {:<10}{}\n", one.name, one.summary);
    fmt::print("\nqmpwatch COMMAND --help lists the flags of a command.\n");
}

}  // namespace

int run(const words& arguments) {
    if (arguments.empty()) {
        fmt::print(stderr, "qmpwatch: which VM? qmpwatch --socket PATH, with the path of QEMU's monitor socket "
                           "(see qmpwatch --help)\n");
        return exit_usage;
    }
    const std::string& first = arguments.front();
    if (first == "--help" || first == "-h" || first == "help") {
        print_help();
        return exit_done;
    }
    if (first == "--version" || first == "-V") {
        fmt::print("qmpwatch {}\n", QMPWATCH_VERSION);
        return exit_done;
    }
    if (first.starts_with("-")) return watch_command(arguments);
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const command& one) { return one.name == first; });
    if (found == commands.end()) {
        const bool looks_like_a_path = first.find('/') != std::string::npos || first.ends_with(".sock");
        fmt::print(
            stderr, "qmpwatch: there is no command '{}'{} (see qmpwatch --help)\n", base::printable(first),
            looks_like_a_path ? fmt::format("; to watch a VM: qmpwatch --socket {}", base::printable(first)) : "");
        return exit_usage;
    }
    return found->run(words(arguments.begin() + 1, arguments.end()));
}

}  // namespace qmpwatch::app
