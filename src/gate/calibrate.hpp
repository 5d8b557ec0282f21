// Calibration: what noise a setup has, from runs among which nothing changed.
#pragma once

#include "gate/bootstrap.hpp"
#include "gate/estimate.hpp"
#include "gate/verdict.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace qmpwatch::gate {

struct calibration {
    std::size_t runs = 0;
    double deviation = 0;  ///< standard deviation of the logarithms of speeds
    limits deviation_interval;  ///< 5 % to 95 %: from few runs it is vague
    std::size_t splits = 0;  ///< in how many ways the runs were held against each other
    std::size_t passed = 0, failed = 0, inconclusive = 0;  ///< of them; every fail is a false alarm

    struct margin_row {
        double margin = 0;
        std::optional<std::size_t>
            runs_needed;  ///< a side, for 80 % of PASS when nothing changed; none above most_runs_needed
    };
    std::vector<margin_row> margins;  ///< 5, 10, 15, 20, 30 and 50 %

    struct size_row {
        std::size_t runs = 0;  ///< a side
        double margin = 0;  ///< the smallest that passes in 80 % of all cases when nothing changed
    };
    std::vector<size_row> sizes;  ///< 3, 5, 8 and 10
};

inline constexpr std::size_t fewest_to_calibrate = 4;
/// With more ways than this to split, so many are drawn (the same ones each time).
inline constexpr std::size_t most_splits = 2000;

/// `logs` are of speeds at the same bytes, at least fewest_to_calibrate. Runs are split into halves (of an odd number
/// one is left out in turn: the larger part is the baselines). The noise floor counts for all numbers but `deviation`.
calibration calibrate(std::span<const double> logs, const estimate_settings& evidence,
                      const margin_settings& tolerance);

}  // namespace qmpwatch::gate
