// Own health: what qmpwatch says about its own process.
#pragma once

#include "base/process.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace qmpwatch::metrics {

/// What the system does not tell is absent.
struct own_health {
    std::string version;
    std::string compiler;
    std::optional<base::process_usage> process;
    std::optional<std::uint64_t> open_fds;
    std::optional<std::uint64_t> max_fds;
};

/// Asks the system about this process. Never fails; takes some microseconds.
own_health read_own_health();

}  // namespace qmpwatch::metrics
