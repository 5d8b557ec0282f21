// The gate: did an installation get slower? Takes runs and settings, and gives a verdict with all that led to it.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "gate/checkpoint.hpp"
#include "gate/comparable.hpp"
#include "gate/estimate.hpp"
#include "gate/limits.hpp"
#include "gate/metric.hpp"
#include "gate/verdict.hpp"
#include "gate/within_run.hpp"
#include "run/digest.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::gate {

/// The version of the JSON verdict.
inline constexpr std::string_view schema_name = "qmpwatch-gate";
inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 0;

struct settings {
    std::vector<metric> metrics{metric{}};  ///< those that decide
    std::vector<metric> informational;      ///< those that are only shown
    estimate_settings evidence;
    margin_settings tolerance;
    limit_settings limits;
    std::string medium;  ///< the drive that the system is installed from; empty: guessed
    std::vector<std::string> allowed_mismatches;  ///< keys of properties, and "bytes"
    base::nanoseconds max_age = std::chrono::hours(24 * 30);  ///< baselines that are older are warned of
};

/// A run that was read, and the SHA-256 of its file.
struct input {
    run::digest digest;  ///< its info.path names it
    std::string sha256;

    const std::string& path() const { return digest.info.path; }
};

/// What is told of one run.
struct run_row {
    std::string path, sha256, id;
    std::optional<base::wall_time> recorded;  ///< when it began
    bool is_complete = false;
    std::string end;  ///< why it ended: guest-shutdown, ..., imported
    std::uint64_t stalls = 0;
    base::nanoseconds lost{};  ///< in stalls
};

/// One metric of one run.
struct measured_run {
    base::nanoseconds begin{};  ///< of the phase, since the first sample
    base::nanoseconds length{};  ///< of the phase
    std::uint64_t bytes = 0;     ///< in the phase
    std::optional<time_of_run> at_checkpoint;
    std::optional<double> bytes_per_second;  ///< to the checkpoint; none where it was not reached
    std::optional<within_run> evenness;      ///< this run only: of its rates in intervals
};

struct metric_outcome {
    metric what;
    bool decides = true;  ///< false: informational
    verdict its = verdict::inconclusive;
    reason why = reason::none;
    checkpoint at;
    std::vector<measured_run> candidates, baselines;  ///< in the order of the runs
    std::optional<estimate>
        change;    ///< under the kindest reading of runs that were cut short; none without a checkpoint
    std::optional<estimate> harshest;  ///< under the harshest, where there are such runs
    std::optional<double> deviation;   ///< of both sides around their own means; none where it is not known
    std::optional<std::size_t> runs_needed;  ///< a side, to settle an inconclusive one; none where more do not help
    std::optional<limits> resampled;  ///< 90 % bootstrap interval of the shift; for display only
};

struct outcome {
    verdict its = verdict::inconclusive;
    std::vector<metric_outcome> metrics;  ///< those that decide, then the informational ones
    std::vector<limit_outcome> limits;
    std::vector<run_row> candidates, baselines;  ///< in the order in which they were given
    std::vector<std::string> warnings;  ///< one sentence each
    fingerprint of;  ///< of the first candidate
};

/// Decides. Baselines may be missing when there are limits: then only these are looked at. Fails with `data`, the
/// sentence naming the file: a run without the metric, without an end, of other work or of another VM than the rest,
/// the same run twice; with `usage` when there is nothing to decide on. `now` is for the age of baselines.
base::result<outcome> decide(std::span<const input> candidates, std::span<const input> baselines, const settings& how,
                             base::wall_time now);

/// What runs among which nothing changed have to say to calibrate().
struct comparable_speeds {
    std::vector<double> logs;  ///< logarithms of bytes per second or, of whole runs, of runs per second
    checkpoint at;             ///< all runs are its baselines
    fingerprint of;            ///< of the first run
    std::vector<std::string> warnings;  ///< one sentence each
};

/// Of the first metric. Fails with `data`, the sentence naming the file, as decide() does, and also for a run that was
/// cut short; with `usage` when there are fewer than fewest_to_calibrate.
base::result<comparable_speeds> speeds_to_calibrate(std::span<const input> runs, const settings& how);

/// A sentence for people: why a metric got its verdict, and what to do.
std::string explain(const metric_outcome& of, const settings& how);

}  // namespace qmpwatch::gate
