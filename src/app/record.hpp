// The command `record`: watches one VM and writes what happens to it into a run file, until what it waits for comes.
#pragma once

#include "app/live.hpp"
#include "base/clock.hpp"
#include "metrics/push.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qmpwatch::app {

struct record_options : live_options {
    std::string output;
    bool overwrite = false;
    bool redact = false;
    std::vector<std::pair<std::string, std::string>> labels;
    std::optional<base::nanoseconds> until_quiet;
    std::optional<base::nanoseconds> time_limit;
    std::optional<std::uint64_t> expected_bytes;  ///< that will be read from the install medium
    std::optional<metrics::gateway_address> push_gateway;
    std::vector<std::string> command;             ///< to run meanwhile; empty for none
};

/// Records until the guest shuts down, the command ends, the drives are quiet, the time is over, or a signal comes.
/// Returns the exit code: that of the command where there is one.
int record(const record_options& options);

}  // namespace qmpwatch::app
