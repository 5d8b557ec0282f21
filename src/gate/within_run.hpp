// How even one run was. Its samples say nothing of the next run: they are shown with the label "this run only".
#pragma once

#include "gate/bootstrap.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qmpwatch::gate {

/// Of fewer values no interval is given.
inline constexpr std::size_t fewest_for_within_run = 10;

struct within_run {
    std::size_t count = 0;
    double mean = 0, median = 0;
    double deviation = 0;          ///< the sample's standard deviation
    double neighbours = 0;         ///< r1: how alike neighbours are, -1 to 1
    double effective_count = 0;  ///< n (1 - r1) / (1 + r1): as many values that know nothing of each other, at most n
    double independence = 1;  ///< Ljung and Box's p at lag 1 of values that know nothing of each other
    std::optional<limits> mean_interval;  ///< 95 %, by circular blocks; none below fewest_for_within_run
};

/// Of values in the order of time. None for fewer than two, and when all are equal.
std::optional<within_run> describe(std::span<const double> values);

/// The lag-1 autocorrelation around the mean. Two values or more that are not all equal.
double neighbour_correlation(std::span<const double> values);

/// The runs test around the median (Wald and Wolfowitz 1940): its statistic and two-sided p; values equal to the median
/// are left out.
struct runs_result {
    double statistic = 0, p = 1;
};
runs_result runs_test(std::span<const double> values);

/// Ljung and Box's statistic at lag 1 and its p.
runs_result ljung_box(std::span<const double> values);

}  // namespace qmpwatch::gate
