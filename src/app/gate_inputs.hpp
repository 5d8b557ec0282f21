// Which runs the gate is to judge: from files and folders to digests.
#pragma once

#include "base/error.hpp"
#include "gate/gate.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace qmpwatch::app {

struct gate_inputs {
    std::vector<gate::input> candidates, baselines;
    std::vector<std::string> notes;  ///< one sentence each: what was left out, and why
};

struct gate_request {
    std::vector<std::string> candidates, baselines;  ///< run files and folders
    std::string medium;  ///< the drive that the system is installed from; empty: guessed
    /// Then a baseline folder without a run of the candidates' kind gives those of the kind that was accepted last.
    bool has_allowed_mismatch = false;
    std::size_t last = 0;  ///< so many runs of a baseline folder
};

/// Reads all of them. Of a folder with an index the runs that were accepted for the kind of the first candidate, of any
/// other all runs. Fails with the first that cannot be read or is not what was accepted; the sentence names it.
base::result<gate_inputs> read_gate_inputs(const gate_request& what);

/// The runs of one folder, as its baselines, to be held against each other: all that are accepted and of the same kind
/// as the one that was accepted last or, of a folder without an index, all.
base::result<gate_inputs> read_calibration(const std::string& folder);

}  // namespace qmpwatch::app
