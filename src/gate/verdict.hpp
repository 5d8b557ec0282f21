// From an estimate to a verdict.
#pragma once

#include "gate/estimate.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace qmpwatch::gate {

enum class verdict : std::uint8_t { pass, fail, inconclusive };

/// pass, fail, inconclusive
std::string_view name(verdict which);

/// Why there is no answer.
enum class reason : std::uint8_t {
    none,
    few_runs,    ///< one run against one, or too few to know their spread
    noise,       ///< runs spread too much
    resolution,  ///< samples are too far apart for so short a phase
    censored,    ///< the answer hangs on how long a run that was cut short would have taken
    too_short,   ///< no checkpoint from half of the bytes on was reached on both sides
};

/// few-runs, noise, ...; empty for none.
std::string_view name(reason which);

struct margin_settings {
    double margin = 0.20;  ///< the loss of throughput that is tolerated: 0.20 is 20 %; above 0 and below 1
    bool is_strict = false;  ///< fails only where even the upper limit is beyond the margin
};

/// passes: the lower limit is within the margin (non-inferior). fails: the upper limit is below no change, and the
/// shift itself is beyond the margin. Both cannot be: the lower limit is not above the shift.
verdict judge(const estimate& of, const margin_settings& settings = {});

/// Which of several metrics may be called slower, so that all together are wrong in at most alpha of all cases where
/// nothing changed (Holm 1979): from the smallest p on, each with alpha divided by how many are left, until one does
/// not hold.
struct sides {
    std::vector<double> candidates, baselines;  ///< logarithms of speeds
    double resolution = 0;
};
/// For each, its estimate with the alpha that was its turn's, or none where an earlier one ended the turns.
std::vector<std::optional<estimate>> step_down(std::span<const sides> metrics, const estimate_settings& settings);

/// Above this many runs a side nobody is told to record more: the difference lies at the margin itself.
inline constexpr std::size_t most_runs_needed = 60;

/// Runs a side after which an estimate that stays where it is gives PASS or FAIL in 80 % of all cases:
/// 2 ((z95 + z80) deviation / distance)^2 rounded up, at least 3. `distance`, above 0, is the one of logarithms that
/// has to be told from nothing: -ln(1 - margin) for PASS when nothing changed. None above most_runs_needed.
std::optional<std::size_t> runs_needed(double deviation, double distance, double alpha = 0.05);

/// The same for an estimate that gave no answer: to whichever of PASS and FAIL it is on its way.
std::optional<std::size_t> runs_needed(const estimate& of, double deviation, double margin);

}  // namespace qmpwatch::gate
