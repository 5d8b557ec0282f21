// How much faster or slower one handful of runs is than another, and how surely. All on natural logarithms of speeds: a
// difference of logarithms is a ratio of speeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace qmpwatch::gate {

/// The logarithm that stands for the speed of a run that never got there: below all others, and finite, so that sums of
/// it are too.
inline constexpr double log_of_never = -1e6;

enum class method : std::uint8_t {
    rank,  ///< order statistics of all differences: nothing is assumed of the spread
    pooled_t,  ///< Student's t: runs spread log-normally, and as much on both sides
    declared,  ///< one run against one: the spread is not known, a factor is declared instead
};

/// rank, t, declared
std::string_view name(method which);

struct estimate_settings {
    double alpha = 0.05;  ///< the error that each of the two limits may have, above 0 and below 0.5
    double noise_floor = 0.05;  ///< runs are never taken to spread less than this (standard deviation of logarithms)
    double declared_factor = 2;  ///< the limits of one run against one are so many times lower and higher; above 1
    double resolution = 0;  ///< what the times of samples add to the spread (standard deviation of logarithms)
};

/// Candidates against baselines. Above 0: the candidates are faster.
struct estimate {
    method how = method::declared;
    double shift = 0;  ///< the difference of logarithms
    double lower = 0, upper = 0;  ///< its one-sided limits, each with an error of at most alpha
    double alpha = 0.05;  ///< the error that was allowed; of rank what k really has
    std::size_t k = 0;  ///< of rank
    double df = 0, deviation = 0, standard_error = 0, t = 0;  ///< of pooled_t
    double p_slower = 1;  ///< one-sided, of the method: of a shift as low as this one when nothing had changed
    double count = 0;  ///< Mann-Whitney's U
    double p_rank = 1, p_rank_two_sided = 1;  ///< exact, whatever the method
};

/// The median of all differences (Hodges and Lehmann 1963). Both sides need a number.
double hodges_lehmann(std::span<const double> candidates, std::span<const double> baselines);

/// All differences candidate - baseline, sorted.
std::vector<double> differences(std::span<const double> candidates, std::span<const double> baselines);

/// Chooses the method by the sizes: one against one is declared; rank where it can be as sure as alpha asks; pooled t
/// for what is left. Both sides need a number.
estimate compare(std::span<const double> candidates, std::span<const double> baselines,
                 const estimate_settings& settings = {});

/// The standard deviation of both sides around their own means; none when no side has two.
std::optional<double> pooled_deviation(std::span<const double> candidates, std::span<const double> baselines);

/// The quantile of the standard normal distribution, 0 < p < 1.
double normal_quantile(double p);

}  // namespace qmpwatch::gate
