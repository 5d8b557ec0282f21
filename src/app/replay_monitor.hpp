// `replay --as-monitor`: a run, served as the QMP socket of a VM to which the same happens again.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "run/run.hpp"
#include "sim/scenario.hpp"
#include "sim/server.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::app {

/// A VM that does what one did in a run. Its time begins with the first sample.
struct replayed_vm {
    /// Something that happens to it besides its counters.
    struct step {
        base::nanoseconds at{};
        std::function<void(sim::simulated_monitor&)> what;
    };
    sim::scenario at_start;
    std::vector<step> steps;    ///< in the order of time
    base::nanoseconds length{};  ///< then it ends,
    bool is_shut_down = false;   ///< by its guest
};

/// Makes the VM of a run: drives with their counters, also those that come and go, media, run states, events, blocked
/// and lost monitors. All times are divided by `speed`, which is above 0. What the run does not know is as in any
/// scenario. `data` when there is no sample.
base::result<replayed_vm> replayed(const run::header& about, const std::vector<run::happening>& story,
                                   const std::optional<run::end>& ended, double speed);

/// Serves the run in that file on a UNIX socket, in its own time, `speed` times as fast; with `loop` a new VM starts
/// when one has ended. Prints one line to standard output when the socket listens, and errors to standard error. Ends
/// with the run, or by SIGINT or SIGTERM. Exit code: 0, 1 could not, 2 the arguments make no sense.
int serve_as_monitor(const std::string& run_path, const std::string& socket_path, double speed, bool loop);

}  // namespace qmpwatch::app
