#include "gate/estimate.hpp"

#include "gate/rank.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>

namespace qmpwatch::gate {

namespace {

double mean_of(std::span<const double> values) { return boost::math::statistics::mean(values.begin(), values.end()); }

double squares_around_mean(std::span<const double> values) {
    const double mean = mean_of(values);
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum;
}

/// The factor that was declared is meant for an error of 5 %; other errors scale it as they do normal limits, whose
/// standard deviation it stands for.
void declare(estimate& made, std::span<const double> candidates, std::span<const double> baselines,
             const estimate_settings& settings) {
    constexpr double meant_for = 0.95;
    const double deviation = std::log(settings.declared_factor) / normal_quantile(meant_for);
    const double half_width = deviation * normal_quantile(1 - settings.alpha);
    made.how = method::declared;
    made.shift = candidates[0] - baselines[0];
    made.lower = made.shift - half_width;
    made.upper = made.shift + half_width;
    made.p_slower = boost::math::cdf(boost::math::normal(), made.shift / deviation);
}

void rank_interval(estimate& made, std::span<const double> candidates, std::span<const double> baselines) {
    const std::vector<double> sorted = differences(candidates, baselines);
    made.how = method::rank;
    made.shift = hodges_lehmann(candidates, baselines);
    made.lower = sorted[made.k - 1];
    made.upper = sorted[sorted.size() - made.k];
    made.alpha = lower_tail(candidates.size(), baselines.size(), made.k - 1);
    made.p_slower = made.p_rank;
}

void t_interval(estimate& made, std::span<const double> candidates, std::span<const double> baselines,
                const estimate_settings& settings) {
    const double c = static_cast<double>(candidates.size()), b = static_cast<double>(baselines.size());
    made.how = method::pooled_t;
    made.df = c + b - 2;
    made.deviation = std::max({*pooled_deviation(candidates, baselines), settings.noise_floor, settings.resolution});
    made.standard_error = made.deviation * std::sqrt(1 / c + 1 / b);
    made.shift = mean_of(candidates) - mean_of(baselines);
    made.t = made.shift / made.standard_error;
    const boost::math::students_t distribution(made.df);
    const double reach = boost::math::quantile(distribution, 1 - settings.alpha) * made.standard_error;
    made.lower = made.shift - reach;
    made.upper = made.shift + reach;
    made.p_slower = boost::math::cdf(distribution, made.t);
}

}  // namespace

std::string_view name(method which) {
    switch (which) {
        case method::rank: return "rank";
        case method::pooled_t: return "t";
        case method::declared: return "declared";
    }
    return "declared";
}

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

std::vector<double> differences(std::span<const double> candidates, std::span<const double> baselines) {
    std::vector<double> all;
    all.reserve(candidates.size() * baselines.size());
    for (const double candidate : candidates) {
        for (const double baseline : baselines) all.push_back(candidate - baseline);
    }
    std::sort(all.begin(), all.end());
    return all;
}

double hodges_lehmann(std::span<const double> candidates, std::span<const double> baselines) {
    const std::vector<double> sorted = differences(candidates, baselines);
    const std::size_t middle = sorted.size() / 2;
    if (sorted.size() % 2 == 1) return sorted[middle];
    return (sorted[middle - 1] + sorted[middle]) / 2;
}

std::optional<double> pooled_deviation(std::span<const double> candidates, std::span<const double> baselines) {
    const std::size_t all = candidates.size() + baselines.size();
    if (all < 3) return std::nullopt;
    const double squares = squares_around_mean(candidates) + squares_around_mean(baselines);
    return std::sqrt(squares / static_cast<double>(all - 2));
}

estimate compare(std::span<const double> candidates, std::span<const double> baselines,
                 const estimate_settings& settings) {
    estimate made;
    made.alpha = settings.alpha;
    made.count = mann_whitney_count(candidates, baselines);
    const rank_probabilities ranks = rank_test(candidates, baselines);
    made.p_rank = ranks.slower;
    made.p_rank_two_sided = ranks.two_sided;
    if (candidates.size() + baselines.size() == 2) {
        declare(made, candidates, baselines, settings);
        return made;
    }
    made.k = critical_rank(candidates.size(), baselines.size(), settings.alpha);
    if (made.k > 0) {
        rank_interval(made, candidates, baselines);
    } else {
        t_interval(made, candidates, baselines, settings);
    }
    return made;
}

}  // namespace qmpwatch::gate
