// The summary of a run: what each drive did in each phase, in numbers.
#pragma once

#include "base/clock.hpp"
#include "run/digest.hpp"
#include "run/phases.hpp"
#include "stall/cause.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::run {

/// The spread of throughput over windows of one length, in bytes per second. Quantiles between two windows are
/// interpolated (Hyndman and Fan's type 7).
struct distribution {
    double mean = 0;  ///< each window counts the same
    double median = 0, p10 = 0, p90 = 0, most = 0;
    std::size_t windows = 0;
};

/// Of values that need not be in order; none without values.
std::optional<distribution> distribution_of(std::vector<double> values);

/// The rates of windows that stand side by side from `begin` on. A last window of less than half the length is left
/// out, unless it is the only one; its rate is over its own length. Empty when there is no time in it.
std::vector<double> window_rates(const progress& moved, direction way, base::nanoseconds begin, base::nanoseconds end,
                                 base::nanoseconds window);

/// What is none here cannot be said: no time passed, or no operation completed.
struct direction_summary {
    amount done;
    std::optional<double> bytes_per_second;       ///< bytes over the length of the phase
    std::optional<double> operations_per_second;
    std::optional<double> mean_bytes;             ///< of an operation
    std::optional<double> mean_latency_seconds;   ///< of an operation
    std::optional<distribution> windows;          ///< none when no operation completed
    /// When a quarter, half, three quarters, nine tenths and all of the bytes had been moved, since the phase began.
    /// None when none were.
    std::array<std::optional<base::nanoseconds>, 5> reached{};
};
inline constexpr std::array reached_shares{0.25, 0.5, 0.75, 0.9, 1.0};

struct cause_summary {
    stall::cause cause = stall::cause::unknown;
    std::uint64_t count = 0;
    base::nanoseconds lost{};
};

struct drive_summary {
    std::string drive;
    direction_summary read, write;
    std::vector<cause_summary> stalls;  ///< that began in the phase, of the causes that occurred, in their order
    /// Bytes both ways over the time without stalls; none when stalls took all of it or there were none.
    std::optional<double> bytes_per_second_without_stalls;

    std::uint64_t stall_count() const;
    base::nanoseconds lost() const;
};

struct phase_summary {
    qmpwatch::run::phase phase;
    std::vector<drive_summary> drives;  ///< in the digest's order
    std::optional<double> cpu_percent;  ///< of one core, of QEMU
};

struct summary {
    qmpwatch::run::phases phases;
    base::nanoseconds window{};  ///< the length of the windows of all distributions
    std::vector<phase_summary> parts;  ///< the whole run, then the copy where there is one

    const phase_summary& whole() const { return parts.front(); }
    /// Null when there is none.
    const phase_summary* copy() const { return parts.size() > 1 ? &parts[1] : nullptr; }
    /// The medium in the copy; null when there is none.
    const drive_summary* copied() const;
};

/// `window` is the length of the windows of the distributions.
summary summarize(const digest& of, const phases& parts, base::nanoseconds window);

/// How many times as fast the second run moved the bytes of the medium in its copy as the first, by the means of their
/// windows; none when either has no copy.
std::optional<double> speed_ratio(const summary& first, const summary& second);

}  // namespace qmpwatch::run
