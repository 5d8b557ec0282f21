#include "gate/within_run.hpp"

#include <boost/math/statistics/ljung_box.hpp>
#include <boost/math/statistics/runs_test.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>

namespace qmpwatch::gate {

double neighbour_correlation(std::span<const double> values) {
    const double mean = boost::math::statistics::mean(values.begin(), values.end());
    double together = 0, squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        squares += (values[i] - mean) * (values[i] - mean);
        if (i > 0) together += (values[i] - mean) * (values[i - 1] - mean);
    }
    return together / squares;
}

runs_result runs_test(std::span<const double> values) {
    const auto [statistic, p] =
        boost::math::statistics::runs_above_and_below_median(std::vector<double>(values.begin(), values.end()));
    return {statistic, p};
}

runs_result ljung_box(std::span<const double> values) {
    const auto [statistic, p] = boost::math::statistics::ljung_box(values.begin(), values.end(), 1);
    return {statistic, p};
}

std::optional<within_run> describe(std::span<const double> values) {
    if (values.size() < 2) return std::nullopt;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*least == *most) return std::nullopt;
    within_run made;
    made.count = values.size();
    made.mean = boost::math::statistics::mean(values.begin(), values.end());
    made.deviation = std::sqrt(boost::math::statistics::sample_variance(values.begin(), values.end()));
    std::vector<double> reordered(values.begin(), values.end());
    made.median = boost::math::statistics::median(reordered.begin(), reordered.end());
    made.neighbours = neighbour_correlation(values);
    const double count = static_cast<double>(values.size());
    made.effective_count = std::min(count, count * (1 - made.neighbours) / (1 + made.neighbours));
    made.independence = ljung_box(values).p;
    if (values.size() >= fewest_for_within_run) {
        const auto block = static_cast<std::size_t>(std::ceil(std::cbrt(count) - 1e-9));
        made.mean_interval = percentile_interval(bootstrap_means(values, block, 1), 0.95);
    }
    return made;
}

}  // namespace qmpwatch::gate
