#include "gate/within_run.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace qmpwatch::gate {
namespace {

const std::vector<double> even_speeds{54.3, 84.7, 62.6, 66.6, 80.6, 79.8, 92.2};
const std::vector<double> falling_speeds{13.3, 9.1, 6.4, 4.8, 3.9, 3.5, 3.1, 2.9, 2.7, 2.5, 2.4, 2.2, 1.9, 1.6, 1.2};

TEST_CASE("an even run") {
    const auto made = describe(even_speeds);
    REQUIRE(made);
    CHECK(made->mean == doctest::Approx(74.4));
    CHECK(made->median == 79.8);
    CHECK(made->deviation == doctest::Approx(13.506911810872).epsilon(1e-12));
    CHECK(made->neighbours == doctest::Approx(-0.141867).epsilon(1e-5));
    CHECK(made->effective_count == 7);  // never more than there are
    CHECK(ljung_box(even_speeds).statistic == doctest::Approx(.211324).epsilon(1e-5));
    CHECK(made->independence == doctest::Approx(.645731).epsilon(1e-5));
    CHECK(!made->mean_interval);  // seven are too few
}

TEST_CASE("a run whose rate falls") {
    const auto made = describe(falling_speeds);
    REQUIRE(made);
    CHECK(made->mean == doctest::Approx(4.1));
    CHECK(made->median == 2.9);
    CHECK(made->deviation == doctest::Approx(3.259930).epsilon(1e-6));
    CHECK(made->neighbours == doctest::Approx(.589394).epsilon(1e-5));
    CHECK(made->effective_count == doctest::Approx(3.9).epsilon(0.02));
    CHECK(ljung_box(falling_speeds).statistic == doctest::Approx(6.327369).epsilon(1e-6));
    CHECK(made->independence == doctest::Approx(.011889).epsilon(1e-4));
    CHECK(runs_test(falling_speeds).statistic == doctest::Approx(-3.338092).epsilon(1e-6));
    CHECK(runs_test(falling_speeds).p == doctest::Approx(.000844).epsilon(1e-3));
    REQUIRE(made->mean_interval);
    CHECK(std::abs(made->mean_interval->lower - 2.393333) < 1e-6);
    CHECK(std::abs(made->mean_interval->upper - 6.293333) < 1e-6);
}

TEST_CASE("nothing to say of one value or of equal ones") {
    CHECK(!describe(std::vector<double>{}));
    CHECK(!describe(std::vector{3.0}));
    CHECK(!describe(std::vector{3.0, 3.0, 3.0}));
}

}  // namespace
}  // namespace qmpwatch::gate
