// What is known of a VM besides its counters: who it is, what state it and its monitor are in, what it announces.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::sample {

/// QEMU's control socket as seen from here.
enum class monitor_state {
    absent,      ///< no socket, or nobody behind it
    connecting,  ///< connected or connecting; not yet answered
    busy,        ///< connected, but another client owns the monitor
    stopped,     ///< the QEMU process is stopped (SIGSTOP, debugger): it says nothing at all
    blocked,     ///< QEMU runs, but its main loop does not answer
    ready,       ///< answers
};
inline constexpr std::array monitor_states{monitor_state::absent,  monitor_state::connecting, monitor_state::busy,
                                           monitor_state::stopped, monitor_state::blocked,    monitor_state::ready};
std::string_view name(monitor_state state);

/// The monitor is in another state than before.
struct monitor_change {
    monitor_state state = monitor_state::absent;
    std::string detail;  ///< one sentence: why, and what the user can do; may be empty
    base::instant at;
    std::optional<base::errc> problem;  ///< the error behind it, where one is
};

/// Who the VM is. Fields that the monitor does not tell are empty.
struct vm_identity {
    std::string vm;           ///< the name under which qmpwatch shows it, unique among all that it watches
    std::string name;         ///< QEMU's -name
    std::string uuid;
    std::string socket;       ///< as the user gave it
    std::string protocol;     ///< qmp or hmp
    std::string version;      ///< 7.2.22
    std::string package;      ///< Debian 1:7.2+dfsg-7
    std::string machine;      ///< pc-q35-7.2
    std::string accelerator;  ///< kvm, tcg, hvf, ...
    std::string arch;         ///< x86_64
    unsigned cpus = 0;        ///< virtual CPUs; 0 when unknown
    std::uint64_t memory_bytes = 0;  ///< RAM at its start, without what was plugged in later; 0 when unknown
    int pid = 0;              ///< of the QEMU process on this host, 0 when unknown

    friend bool operator==(const vm_identity&, const vm_identity&) = default;
};

/// The run state as QEMU names it (running, paused, io-error, prelaunch, ...) from some moment on.
struct run_state_change {
    std::string state;
    base::instant at;
};

/// The values of QEMU's RunState, for the state set in the metrics. A state that is not listed is shown all the same.
inline constexpr std::array<std::string_view, 16> run_states{
    "colo",     "debug",    "finish-migrate", "guest-panicked", "inmigrate",  "internal-error",
    "io-error", "paused",   "postmigrate",    "prelaunch",      "restore-vm", "running",
    "save-vm",  "shutdown", "suspended",      "watchdog"};

/// An asynchronous QMP message.
struct qmp_event {
    std::string name;         ///< STOP, RESET, BLOCK_IO_ERROR, ...
    std::string data;         ///< the JSON text of its data, empty when there is none
    base::instant at;         ///< when it was heard
};

enum class poll_outcome { succeeded, timed_out, failed };

/// How one poll of the counters went.
struct poll_result {
    poll_outcome outcome = poll_outcome::succeeded;
    base::nanoseconds duration{};  ///< from asking to the answer
    base::nanoseconds lateness{};  ///< how long after its beat the poll began
};

}  // namespace qmpwatch::sample
