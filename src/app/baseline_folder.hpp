// A folder of baselines: run files, and the index that says which of them were accepted. One can keep it in Git or in a
// CI cache; without an index it is just a folder of run files.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "gate/baseline.hpp"

#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::app {

/// The index of a folder; none where it has none. `absent` when there is no such folder, `usage` when it is no folder,
/// else as gate::read_baseline_index; the sentence names the file.
base::result<std::optional<gate::baseline_index>> read_index(const std::string& folder);

/// The same; `data` where it has none.
base::result<gate::baseline_index> read_needed_index(const std::string& folder);

/// The paths of *.run and *.run.gz in a folder, sorted. `data` when there is none.
base::result<std::vector<std::string>> runs_in(const std::string& folder);

struct acceptance {
    std::string note{};
    std::string medium{};  ///< the drive that the system is installed from; empty: guessed
    bool allow_incomplete = false;  ///< also runs that did not come to their own end
};

/// Copies runs into the folder, which is made where there is none, and adds them to its index: all of them or, on an
/// error, none. Gives what was added. Fails with `data` for what is no run, has no end or (unless allowed) did not come
/// to it, and for a run that is accepted already; one that was retired is accepted anew. The sentence names the run.
base::result<std::vector<gate::accepted_run>> accept_runs(const std::string& folder,
                                                          const std::vector<std::string>& paths, const acceptance& how,
                                                          base::wall_time now);

/// Marks runs as retired: they count no longer. Each is named by its file's name, with or without a path, or by the
/// first characters of its id. `remove` also deletes their files. All or, on an error, none. Gives what was retired.
base::result<std::vector<gate::accepted_run>> retire_runs(const std::string& folder,
                                                          const std::vector<std::string>& names, bool remove,
                                                          base::wall_time now);

/// What is wrong with the file of an accepted run: `absent` when it is gone, `data` when it is not what was accepted.
/// The sentence says what to do.
base::result<void> check_file(const std::string& folder, const gate::accepted_run& accepted);

/// Where the file of an accepted run is.
std::string path_in(const std::string& folder, const std::string& file);

}  // namespace qmpwatch::app
