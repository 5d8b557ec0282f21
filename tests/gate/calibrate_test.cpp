#include "gate/calibrate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace qmpwatch::gate {
namespace {

TEST_CASE("what noise a setup has, and how vaguely few runs tell it") {
    // The published factors: of the true one, 5 % to 95 %, n = 3, 5, 8, 10, 20. The interval is their inverse.
    struct row {
        std::size_t runs;
        double least, most;
    };
    for (const row& each : {row{5, .42, 1.54}, row{8, .56, 1.42}, row{10, .61, 1.37}, row{20, .73, 1.26}}) {
        std::vector<double> logs;
        for (std::size_t i = 0; i < each.runs; ++i) logs.push_back(0.1 * std::sin(static_cast<double>(i)));
        const calibration made = calibrate(logs, {}, {});
        CHECK(made.deviation_interval.lower == doctest::Approx(made.deviation / each.most).epsilon(0.01));
        CHECK(made.deviation_interval.upper == doctest::Approx(made.deviation / each.least).epsilon(0.02));
        CHECK(made.passed + made.failed + made.inconclusive == made.splits);
    }
}

TEST_CASE("every split of a few, and two thousand of many") {
    const std::vector<double> six{0, .1, .2, -.1, .05, .15};
    CHECK(calibrate(six, {}, {}).splits == 20);
    std::vector<double> many;
    for (int i = 0; i < 30; ++i) many.push_back(0.02 * std::cos(i * 1.7));
    const calibration made = calibrate(many, {}, {});
    CHECK(made.splits == most_splits);
    CHECK(made.failed == 0);
    CHECK(made.passed == most_splits);
}

TEST_CASE("runs for a margin, and the margin for runs") {
    const double s = 0.1;  // four runs with just this deviation
    const double d = s * std::sqrt(3.0) / 2;
    const calibration made = calibrate(std::vector{-d, d, -d, d}, {}, {});
    CHECK(made.deviation == doctest::Approx(s));
    for (const calibration::margin_row& each : made.margins) {
        if (each.margin == 0.10) CHECK(each.runs_needed == 12);
        if (each.margin == 0.20) CHECK(each.runs_needed == 3);
        if (each.margin == 0.05) CHECK(each.runs_needed == 47);
    }
    // As many runs as a margin needs pass that margin, and not by much.
    for (const calibration::size_row& each : made.sizes) {
        const auto needed = runs_needed(s, -std::log1p(-each.margin) * (1 + 1e-9));
        REQUIRE(needed);
        CHECK(*needed == each.runs);
    }
    const calibration still = calibrate(std::vector{1.0, 1.0, 1.0, 1.0}, {}, {});
    CHECK(still.deviation == 0);
    CHECK(still.passed == still.splits);
}

}  // namespace
}  // namespace qmpwatch::gate
