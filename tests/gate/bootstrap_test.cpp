#include "gate/bootstrap.hpp"

#include "gate/estimate.hpp"
#include "gate/golden_rows.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

namespace qmpwatch::gate {
namespace {

const std::vector<double> even{54.3, 84.7, 62.6, 66.6, 80.6, 79.8, 92.2};
const std::vector<double> falling{13.3, 9.1, 6.4, 4.8, 3.9, 3.5, 3.1, 2.9, 2.7, 2.5, 2.4, 2.2, 1.9, 1.6, 1.2};

TEST_CASE("the generator is the one of the standard") {
    CHECK(std::mt19937_64(1)() == 2469588189546311528U);
    CHECK(std::mt19937_64()() == 14514284786278117030U);
    std::mt19937_64 default_seeded;
    default_seeded.discard(9999);
    CHECK(default_seeded() == 9981545732273789042U);
}

TEST_CASE("draws are even and below the count") {
    std::mt19937_64 generator(3);
    std::array<int, 7> seen{};
    for (int i = 0; i < 7000; ++i) ++seen.at(draw(generator, seen.size()));
    for (const int count : seen) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE("golden intervals of means") {
    struct row {
        const std::vector<double>* values;
        std::size_t block;
        double lower, upper;
    };
    for (const row& each :
         {row{&even, 1, 65.142857, 83.471429}, row{&even, 2, 67.471429, 81.685714}, row{&even, 3, 67.714286, 81.685714},
          row{&falling, 1, 2.706667, 5.866667}, row{&falling, 3, 2.393333, 6.293333}}) {
        CAPTURE(each.block);
        const limits made = percentile_interval(bootstrap_means(*each.values, each.block, 1), 0.95);
        CHECK(std::abs(made.lower - each.lower) < 1e-6);
        CHECK(std::abs(made.upper - each.upper) < 1e-6);
    }
}

TEST_CASE("the golden interval of a shift") {
    const std::vector<double> candidates = logarithms({60.2, 58.9, 63.0, 55.7}, false);
    const std::vector<double> baselines = logarithms({74.4, 70.1, 77.8, 72.3}, false);
    const limits made = percentile_interval(bootstrap_shifts(candidates, baselines, 1), 0.90);
    CHECK(std::abs(std::exp(made.lower) - .763706) < 1e-6);
    CHECK(std::abs(std::exp(made.upper) - .852753) < 1e-6);
}

TEST_CASE("every resample of three against three") {
    const std::vector<double> candidates = logarithms({210, 225, 198}, true);
    const std::vector<double> baselines = logarithms({165, 160, 135}, true);
    std::vector<double> shifts;
    for (std::size_t code = 0; code < 729; ++code) {
        std::array<double, 3> one{}, other{};
        std::size_t rest = code;
        for (double& each : one) {
            each = candidates[rest % 3];
            rest /= 3;
        }
        for (double& each : other) {
            each = baselines[rest % 3];
            rest /= 3;
        }
        shifts.push_back(hodges_lehmann(one, other));
    }
    const limits made = percentile_interval(shifts, 0.90);
    CHECK(std::abs(std::exp(made.lower) - .642857) < 1e-6);
    CHECK(std::abs(std::exp(made.upper) - .808081) < 1e-6);
}

TEST_CASE("one replicate is its own interval") {
    const limits made = percentile_interval({5}, 0.95);
    CHECK(made.lower == 5);
    CHECK(made.upper == 5);
}

}  // namespace
}  // namespace qmpwatch::gate
