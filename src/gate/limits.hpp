// Limits that every candidate run has to keep, whatever the baselines did.
#pragma once

#include "base/clock.hpp"
#include "gate/verdict.hpp"
#include "run/digest.hpp"
#include "stall/cause.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qmpwatch::gate {

struct limit_settings {
    std::optional<std::uint64_t> max_stalls;
    std::optional<base::nanoseconds> max_stalled;  ///< time lost in stalls, in all
    std::vector<stall::cause> no_cause;
    std::optional<double> min_bytes_per_second;  ///< of the copy, or of the first metric when that is another

    bool has_any() const { return max_stalls || max_stalled || !no_cause.empty() || min_bytes_per_second; }
};

/// What one run has to show for limits.
struct limited_run {
    std::string path;
    const run::digest* seen = nullptr;
    std::optional<double> bytes_per_second;  ///< over the phase; of a run that was cut short until its last sample
};

/// One limit, and the run that comes nearest to breaking it or breaks it most.
struct limit_outcome {
    std::string name;   ///< max-stalls, max-stall-seconds, no-cause lost_completion, min-throughput
    std::string limit;  ///< for people: "at most 3"
    std::string seen;   ///< for people: "5 in b.run"
    double limit_value = 0, seen_value = 0;  ///< counts, seconds, bytes per second
    std::string path;   ///< of that run
    verdict its = verdict::pass;  ///< pass or fail
};

/// One for each limit that is set. `runs` is not empty.
std::vector<limit_outcome> check_limits(std::span<const limited_run> runs, const limit_settings& settings);

}  // namespace qmpwatch::gate
