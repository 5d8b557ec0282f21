// The checkpoint: the bytes that all runs are timed at, and what to make of runs that never got there.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "gate/metric.hpp"
#include "gate/verdict.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace qmpwatch::gate {

/// A run's name for sentences, and what it did.
struct timed_run {
    std::string path;
    curve did;
};

struct time_of_run {
    base::nanoseconds time{};  ///< to the checkpoint; of a run that was cut short before it, for how long it was seen
    bool is_cut = false;
};

/// The shares of the bytes that a checkpoint can be at, the largest that all got to first.
inline constexpr std::array checkpoint_shares{1.0, 0.9, 0.75, 0.5, 0.25};
/// Below this nothing is decided.
inline constexpr double least_share = 0.5;
/// Complete runs whose bytes differ by more than this did not do the same.
inline constexpr double tolerated_difference = 0.05;

struct checkpoint {
    double bytes = 0;  ///< 0 for whole runs
    double share = 0;  ///< of the baselines' median; 0 when no checkpoint was reached on both sides
    std::vector<time_of_run> candidates, baselines;  ///< in the order of the runs; empty without a checkpoint
    double resolution =
        0;  ///< what the distance of samples adds to the spread of logarithms: D / (sqrt(6) T), the largest
    bool is_too_coarse = false;  ///< samples are farther apart than half the margin of the shortest time

    bool has_cut() const;
};

/// Picks the checkpoint: the largest share of the baselines' median bytes that every run reached which ended by itself
/// (or got within `tolerated_difference` of all bytes), and at least one run a side. Fails with `data`, naming the
/// file, when a complete run moved other bytes than the baselines (unless `may_differ`).
base::result<checkpoint> pick_checkpoint(std::span<const timed_run> candidates, std::span<const timed_run> baselines,
                                         double margin, bool may_differ = false);

/// Logarithms of speeds under one of two readings of runs that were cut short, which bound all others.
enum class reading : std::uint8_t {
    kindest,  ///< candidates would have been there the moment they were cut, baselines never
    harshest,  ///< the other way round
};
sides read_as(const checkpoint& at, reading how);

}  // namespace qmpwatch::gate
