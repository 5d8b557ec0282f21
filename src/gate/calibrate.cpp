#include "gate/calibrate.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qmpwatch::gate {

namespace {

constexpr std::array margins{0.05, 0.10, 0.15, 0.20, 0.30, 0.50};
constexpr std::array<std::size_t, 4> sizes{3, 5, 8, 10};

/// Hands over each way to choose the candidates, or `most_splits` that are drawn.
template <class Hear>
void for_each_split(std::size_t runs, Hear&& hear) {
    const std::size_t candidates = runs / 2;
    std::vector<bool> is_candidate(runs);
    std::fill(is_candidate.begin(), is_candidate.begin() + static_cast<std::ptrdiff_t>(candidates), true);
    const double ways =
        boost::math::binomial_coefficient<double>(static_cast<unsigned>(runs), static_cast<unsigned>(candidates));
    if (ways <= static_cast<double>(most_splits)) {
        do hear(is_candidate);
        while (std::prev_permutation(is_candidate.begin(), is_candidate.end()));
        return;
    }
    std::mt19937_64 generator(1);
    for (std::size_t split = 0; split < most_splits; ++split) {
        for (std::size_t i = runs - 1; i > 0; --i) {
            const std::size_t other = draw(generator, i + 1);
            const bool kept = is_candidate[i];
            is_candidate[i] = is_candidate[other];
            is_candidate[other] = kept;
        }
        hear(is_candidate);
    }
}

}  // namespace

calibration calibrate(std::span<const double> logs, const estimate_settings& evidence,
                      const margin_settings& tolerance) {
    calibration made;
    made.runs = logs.size();
    made.deviation = std::sqrt(boost::math::statistics::sample_variance(logs.begin(), logs.end()));
    const double df = static_cast<double>(logs.size() - 1);
    const boost::math::chi_squared distribution(df);
    made.deviation_interval.lower = made.deviation * std::sqrt(df / boost::math::quantile(distribution, 0.95));
    made.deviation_interval.upper = made.deviation * std::sqrt(df / boost::math::quantile(distribution, 0.05));

    for_each_split(logs.size(), [&](const std::vector<bool>& is_candidate) {
        std::vector<double> candidates, baselines;
        for (std::size_t i = 0; i < logs.size(); ++i) (is_candidate[i] ? candidates : baselines).push_back(logs[i]);
        ++made.splits;
        switch (judge(compare(candidates, baselines, evidence), tolerance)) {
            case verdict::pass: ++made.passed; break;
            case verdict::fail: ++made.failed; break;
            case verdict::inconclusive: ++made.inconclusive; break;
        }
    });

    const double noise = std::max(made.deviation, evidence.noise_floor);
    for (const double margin : margins) {
        made.margins.push_back({margin, runs_needed(noise, -std::log1p(-margin), evidence.alpha)});
    }
    const double sure = normal_quantile(1 - evidence.alpha) + normal_quantile(0.8);
    for (const std::size_t runs : sizes) {
        made.sizes.push_back({runs, -std::expm1(-sure * noise * std::sqrt(2 / static_cast<double>(runs)))});
    }
    return made;
}

}  // namespace qmpwatch::gate
