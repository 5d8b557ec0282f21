// The rank test: how surely one handful of numbers lies below another when nothing is assumed of their spread.
#pragma once

#include <cstddef>
#include <span>

namespace qmpwatch::gate {

/// Above so many numbers in all, the exact distribution is replaced by the normal one with continuity correction.
inline constexpr std::size_t most_for_exact_ranks = 60;

/// The Mann-Whitney count U: the pairs in which the candidate's number is the greater one; equal ones count 1/2.
double mann_whitney_count(std::span<const double> candidates, std::span<const double> baselines);

/// The probabilities of a count when both come from one distribution, given the ties that there are.
struct rank_probabilities {
    double slower = 1;     ///< of a count that is as low or lower
    double two_sided = 1;  ///< twice the smaller tail, at most 1
};

/// Exact by counting all ways to deal the numbers out to the two sides (Mann and Whitney 1947; with midranks where
/// numbers are equal). Both sides need a number.
rank_probabilities rank_test(std::span<const double> candidates, std::span<const double> baselines);

/// P(U <= count) without ties.
double lower_tail(std::size_t candidates, std::size_t baselines, std::size_t count);

/// The largest k with P(U <= k - 1) <= alpha: the k-th smallest and the k-th largest of all differences bound the shift
/// between the two sides, each with an error of at most alpha (Lehmann 1975). 0 when even k = 1 is too much.
std::size_t critical_rank(std::size_t candidates, std::size_t baselines, double alpha);

}  // namespace qmpwatch::gate
