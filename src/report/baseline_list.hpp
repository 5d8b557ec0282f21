// The accepted runs of a baseline folder, for people and for programs.
#pragma once

#include "gate/baseline.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

enum class baseline_state : std::uint8_t {
    counts,
    older,  ///< others of its kind were accepted later, and these are enough
    retired,
    missing,  ///< its file
    changed,  ///< its file is not what was accepted
};

/// counts, older, ...
std::string_view name(baseline_state state);

struct listed_baseline {
    gate::accepted_run accepted;
    baseline_state state = baseline_state::counts;
};

/// A table for each kind, for a terminal of so many columns.
std::string baseline_list_text(const std::vector<listed_baseline>& runs, const std::string& folder, std::size_t width);

std::string baseline_list_json(const std::vector<listed_baseline>& runs);

}  // namespace qmpwatch::report
