// The baselines of a folder: which runs were accepted, when, and of what. The folder's index, baselines.json, is meant
// to be kept in Git or in a CI cache: one run a line, in the order in which they were accepted.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::gate {

struct accepted_run {
    std::string file;     ///< its name in the folder
    std::string sha256;   ///< of the file
    std::string id;       ///< the run's; empty for imported ones
    std::string fingerprint;       ///< gate::fingerprint::hash
    std::string fingerprint_text;  ///< what is behind it
    std::string recorded;  ///< RFC 3339; empty when the run does not know
    std::string accepted;  ///< RFC 3339
    std::string retired;   ///< RFC 3339; empty as long as it counts
    std::string note;      ///< the user's

    friend bool operator==(const accepted_run&, const accepted_run&) = default;
};

using baseline_index = std::vector<accepted_run>;

inline constexpr std::string_view baseline_index_name = "baselines.json";

/// So many of the runs that were accepted last are held against candidates.
inline constexpr std::size_t default_baselines = 10;

/// Reads the text of an index. `data` when it is none, is of a newer version, or names a file outside of the folder;
/// the sentence does not name the file.
base::result<baseline_index> read_baseline_index(std::string_view text);

std::string write_baseline_index(const baseline_index& index);

/// Those that count for a fingerprint: accepted last, not retired, at most `most`, in the order of acceptance.
std::vector<accepted_run> current_baselines(const baseline_index& index, std::string_view fingerprint,
                                            std::size_t most = default_baselines);

/// The one that was accepted last and is not retired; null when there is none.
const accepted_run* latest_baseline(const baseline_index& index);

}  // namespace qmpwatch::gate
