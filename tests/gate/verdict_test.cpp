#include "gate/verdict.hpp"

#include "gate/golden_rows.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace qmpwatch::gate {
namespace {

sides from_times(const std::vector<double>& candidates, const std::vector<double>& baselines) {
    return {logarithms(candidates, true), logarithms(baselines, true), 0};
}

TEST_CASE("the strict way fails only beyond the margin") {
    const sides slower = from_times({210, 225, 198}, {165, 160, 135});
    const estimate of = compare(slower.candidates, slower.baselines);
    margin_settings strict;
    strict.is_strict = true;
    CHECK(judge(of) == verdict::fail);
    CHECK(judge(of, strict) == verdict::inconclusive);
    const sides much_slower = from_times({310, 325, 298}, {165, 160, 135});
    CHECK(judge(compare(much_slower.candidates, much_slower.baselines), strict) == verdict::fail);
}

TEST_CASE("several metrics: each has its turn with what is left of alpha") {
    const sides clear = from_times({410, 425, 398, 402}, {165, 160, 135, 150});
    const sides close = from_times({168, 172, 150, 152}, {165, 160, 135, 150});
    const std::vector metrics{close, clear};
    const auto made = step_down(metrics, {});
    REQUIRE(made[1]);
    CHECK(made[1]->how == method::rank);
    CHECK(made[1]->alpha <= 0.025);
    CHECK(judge(*made[1]) == verdict::fail);
    REQUIRE(made[0]);
    CHECK(made[0]->alpha > 0.025);  // the last one has all of alpha
    CHECK(judge(*made[0]) != verdict::fail);
}

TEST_CASE("after one that does not hold nothing is called slower") {
    const sides close = from_times({168, 172, 150, 152}, {165, 160, 135, 150});
    const std::vector metrics{close, close, close};
    const auto made = step_down(metrics, {});
    CHECK(made[0]);
    CHECK(!made[1]);
    CHECK(!made[2]);
}

TEST_CASE("with two metrics three runs a side cannot be told by rank") {
    const sides slower = from_times({210, 225, 198}, {165, 160, 135});
    const std::vector metrics{slower, slower};
    const auto made = step_down(metrics, {});
    REQUIRE(made[0]);
    CHECK(made[0]->how == method::pooled_t);
    REQUIRE(step_down(std::vector{slower}, {})[0]);
    CHECK(step_down(std::vector{slower}, {})[0]->how == method::rank);
}

TEST_CASE("runs that are needed, as published") {
    struct row {
        double margin;
        std::vector<std::size_t> runs;  // at deviations of 0.05, 0.10, 0.15, 0.20
    };
    for (const row& each : {row{.20, {3, 3, 6, 10}}, row{.10, {3, 12, 26, 45}}}) {
        for (std::size_t i = 0; i < each.runs.size(); ++i) {
            const double deviation = 0.05 * static_cast<double>(i + 1);
            CAPTURE(each.margin);
            CAPTURE(deviation);
            const auto needed = runs_needed(deviation, -std::log1p(-each.margin));
            REQUIRE(needed);
            CHECK(*needed == each.runs[i]);
        }
    }
    CHECK(!runs_needed(0.3, -std::log1p(-0.05)));
    CHECK(!runs_needed(0.1, 0.0));  // at the margin itself no number of runs tells
}

TEST_CASE("an estimate without an answer is told the way it is on") {
    estimate of;
    of.alpha = 0.05;
    of.shift = std::log(0.95);
    CHECK(runs_needed(of, 0.10, 0.20) == runs_needed(0.10, std::log(0.95) - std::log(0.8)));
    of.shift = std::log(0.7);
    CHECK(runs_needed(of, 0.10, 0.20) == runs_needed(0.10, -std::log(0.7)));
}

/// Simulated decisions in percent.
struct shares {
    double pass = 0, fail = 0;
};

shares simulate(std::size_t candidates, std::size_t baselines, double deviation, double ratio, std::uint64_t seed) {
    constexpr int trials = 2000;
    std::mt19937_64 generator(seed);
    // Box and Muller: std::normal_distribution may differ from library to library.
    const auto normal = [&] {
        const double radius =
            std::sqrt(-2 * std::log((static_cast<double>(generator() >> 11) + 0.5) / 9007199254740992.0));
        return radius * std::cos(6.283185307179586 * static_cast<double>(generator() >> 11) / 9007199254740992.0);
    };
    shares seen;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> one(candidates), other(baselines);
        for (double& each : one) each = std::log(ratio) + deviation * normal();
        for (double& each : other) each = deviation * normal();
        const verdict its = judge(compare(one, other));
        if (its == verdict::pass) seen.pass += 100.0 / trials;
        if (its == verdict::fail) seen.fail += 100.0 / trials;
    }
    return seen;
}

TEST_CASE("how often the gate is right, as published") {
    struct design {
        std::size_t candidates, baselines;
        double deviation;
        // PASS and FAIL in percent at R = 1, .9, .8, .7, .5
        std::vector<std::pair<double, double>> wanted;
    };
    const std::vector<design> designs{
        {1, 1, .10, {{0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 50}}},
        {1, 5, .10, {{51, 2}, {22, 11}, {5, 41}, {0, 82}, {0, 100}}},
        {3, 3, .05, {{99, 0}, {74, 0}, {5, 50}, {0, 100}, {0, 100}}},
        {3, 3, .10, {{70, 0}, {33, 7}, {5, 45}, {0, 92}, {0, 100}}},
        {3, 3, .20, {{31, 4}, {14, 11}, {5, 27}, {1, 52}, {0, 95}}},
        {5, 5, .10, {{92, 0}, {50, 4}, {5, 51}, {0, 97}, {0, 100}}},
        {10, 10, .20, {{73, 1}, {32, 10}, {4, 50}, {0, 92}, {0, 100}}},
    };
    const std::vector<double> ratios{1, .9, .8, .7, .5};
    std::uint64_t seed = 1;
    for (const design& each : designs) {
        for (std::size_t i = 0; i < ratios.size(); ++i) {
            CAPTURE(each.candidates);
            CAPTURE(each.baselines);
            CAPTURE(each.deviation);
            CAPTURE(ratios[i]);
            const shares seen = simulate(each.candidates, each.baselines, each.deviation, ratios[i], seed++);
            // 2,000 trials here and 4,000 there: a standard error of 1.4 points at most; four of them and the rounding.
            const auto error_of = [](double percent) {
                const double p = std::min(std::max(percent, 0.5), 99.5) / 100;
                return 4 * 100 * std::sqrt(p * (1 - p) * (1 / 2000.0 + 1 / 4000.0)) + 0.5;
            };
            const auto& [pass, fail] = each.wanted[i];
            CHECK(std::abs(seen.pass - pass) <= error_of(pass));
            CHECK(std::abs(seen.fail - fail) <= error_of(fail));
        }
    }
}

}  // namespace
}  // namespace qmpwatch::gate
