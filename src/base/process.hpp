// What the host's kernel says about a process: QEMU's, or our own.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::base {

struct process_usage {
    double cpu_seconds = 0;             ///< user and system time since its start
    std::uint64_t resident_bytes = 0;   ///< memory in use now
    std::uint64_t virtual_bytes = 0;    ///< address space
    double start_time_seconds = 0;      ///< seconds since the Unix epoch
    char state = '?';                   ///< as in /proc/PID/stat: R, S, D, Z, T (stopped), t (traced)

    bool is_stopped() const { return state == 'T' || state == 't'; }
    friend bool operator==(const process_usage&, const process_usage&) = default;
};

/// The units in which the kernel counts.
struct kernel_units {
    double ticks_per_second = 100;
    std::uint64_t page_bytes = 4096;
    double boot_time_seconds = 0;  ///< when the machine started, seconds since the Unix epoch
};

/// Reads the text of /proc/PID/stat (proc(5)); the command name may hold spaces and parentheses.
result<process_usage> parse_proc_stat(std::string_view text, const kernel_units& units);

/// The process with this id; `absent` when there is none, `io` where the system cannot tell.
result<process_usage> read_process(int pid);

/// The words of its command line; `absent` or `not_permitted` when they cannot be read.
result<std::vector<std::string>> read_command_line(int pid);

}  // namespace qmpwatch::base
