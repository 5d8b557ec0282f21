// Bootstraps, for display only: with few runs their intervals are too narrow (with 3, a nominal 95 % holds in 80 % of
// all cases), so that no verdict rests on them. The same seed gives the same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace qmpwatch::gate {

inline constexpr std::size_t bootstrap_replicates = 10000;

/// A whole number below `count`, which is above 0. std::uniform_int_distribution may differ from library to library.
std::size_t draw(std::mt19937_64& generator, std::size_t count);

struct limits {
    double lower = 0, upper = 0;
};

/// The middle `confidence` (0.95) of the replicates by their places in order.
limits percentile_interval(std::vector<double> replicates, double confidence);

/// Means of values whose neighbours may be alike: blocks of `block` neighbours (at least 1), the last followed by the
/// first, are drawn until there are as many values as before (Politis and Romano 1992).
std::vector<double> bootstrap_means(std::span<const double> values, std::size_t block, std::uint64_t seed,
                                    std::size_t replicates = bootstrap_replicates);

/// Hodges-Lehmann shifts of runs that are drawn anew, candidates first.
std::vector<double> bootstrap_shifts(std::span<const double> candidates, std::span<const double> baselines,
                                     std::uint64_t seed, std::size_t replicates = bootstrap_replicates);

}  // namespace qmpwatch::gate
