#include "gate/rank.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace qmpwatch::gate {
namespace {

TEST_CASE("critical ranks are those of the published table") {
    constexpr std::array<std::array<std::size_t, 9>, 9> table{{{0, 0, 0, 1, 1, 1, 2, 2, 2},
                                                               {0, 1, 1, 2, 3, 3, 4, 5, 5},
                                                               {0, 1, 2, 3, 4, 5, 6, 7, 8},
                                                               {1, 2, 3, 5, 6, 7, 9, 10, 12},
                                                               {1, 3, 4, 6, 8, 9, 11, 13, 15},
                                                               {1, 3, 5, 7, 9, 12, 14, 16, 18},
                                                               {2, 4, 6, 9, 11, 14, 16, 19, 21},
                                                               {2, 5, 7, 10, 13, 16, 19, 22, 25},
                                                               {2, 5, 8, 12, 15, 18, 21, 25, 28}}};
    for (std::size_t row = 0; row < table.size(); ++row) {
        for (std::size_t column = 0; column < table.size(); ++column) {
            CAPTURE(row + 2);
            CAPTURE(column + 2);
            CHECK(critical_rank(row + 2, column + 2, 0.05) == table[row][column]);
        }
    }
    CHECK(critical_rank(1, 18, 0.05) == 0);
    CHECK(critical_rank(1, 19, 0.05) == 1);
    CHECK(critical_rank(1, 38, 0.025) == 0);
    CHECK(critical_rank(1, 39, 0.025) == 1);
    CHECK(critical_rank(3, 3, 0.025) == 0);  // so two metrics and three runs a side cannot fail by rank
    CHECK(critical_rank(4, 4, 0.025) == 1);
    CHECK(critical_rank(0, 5, 0.05) == 0);
}

TEST_CASE("complete separation has the smallest probability") {
    struct row {
        std::size_t one, other;
        double p;
    };
    for (const row& each : {row{1, 1, .5}, row{1, 3, .25}, row{1, 10, 1 / 11.0}, row{2, 2, 1 / 6.0},
                            row{2, 4, 1 / 15.0}, row{2, 5, 1 / 21.0}, row{3, 3, .05}, row{3, 4, 1 / 35.0},
                            row{3, 5, 1 / 56.0}, row{4, 4, 1 / 70.0}, row{5, 5, 1 / 252.0}}) {
        CAPTURE(each.one);
        CAPTURE(each.other);
        CHECK(lower_tail(each.one, each.other, 0) == doctest::Approx(each.p).epsilon(1e-12));
        CHECK(lower_tail(each.other, each.one, 0) == doctest::Approx(each.p).epsilon(1e-12));
    }
    CHECK(lower_tail(3, 3, 9) == 1);
    CHECK(lower_tail(3, 3, 4) == doctest::Approx(0.5).epsilon(1e-12));
}

TEST_CASE("ties share their ranks") {
    const std::array x{60.0, 62.0, 62.0, 65.0}, y{62.0, 66.0, 67.0, 70.0};
    CHECK(mann_whitney_count(x, y) == 2);
    const rank_probabilities p = rank_test(x, y);
    CHECK(p.slower == doctest::Approx(4 / 70.0).epsilon(1e-12));
    CHECK(p.two_sided == doctest::Approx(8 / 70.0).epsilon(1e-12));
    const std::array same{1.0, 1.0, 1.0};
    CHECK(rank_test(same, same).slower == 1);
    CHECK(rank_test(same, same).two_sided == 1);
}

/// Deals the numbers out in all ways.
double slower_by_enumeration(const std::vector<double>& candidates, const std::vector<double>& baselines) {
    std::vector<double> all = candidates;
    all.insert(all.end(), baselines.begin(), baselines.end());
    const double seen = mann_whitney_count(candidates, baselines);
    std::vector<bool> is_candidate(all.size());
    std::fill(is_candidate.begin(), is_candidate.begin() + static_cast<std::ptrdiff_t>(candidates.size()), true);
    double ways = 0, as_low = 0;
    do {
        std::vector<double> one, other;
        for (std::size_t i = 0; i < all.size(); ++i) (is_candidate[i] ? one : other).push_back(all[i]);
        ways += 1;
        if (mann_whitney_count(one, other) <= seen) as_low += 1;
    } while (std::prev_permutation(is_candidate.begin(), is_candidate.end()));
    return as_low / ways;
}

TEST_CASE("the exact probability is the one of all ways to deal") {
    std::mt19937_64 generator(7);
    for (int trial = 0; trial < 60; ++trial) {
        std::vector<double> one(1 + generator() % 4), other(1 + generator() % 5);
        const std::uint64_t values = 2 + generator() % 12;  // few values: many ties
        for (double& each : one) each = static_cast<double>(generator() % values);
        for (double& each : other) each = static_cast<double>(generator() % values);
        CAPTURE(trial);
        CHECK(rank_test(one, other).slower == doctest::Approx(slower_by_enumeration(one, other)).epsilon(1e-12));
    }
}

TEST_CASE("many runs are close to the normal distribution, and sixty of them exact") {
    std::vector<double> thirty, others;
    for (int i = 0; i < 30; ++i) {
        thirty.push_back(i * 2.0);
        others.push_back(i * 2.0 + 7);
    }
    const double exact = rank_test(thirty, others).slower;
    // The same numbers and one more a side, far away on both: hardly less surely slower.
    thirty.push_back(-1000);
    others.push_back(-1001);
    const double approximate = rank_test(thirty, others).slower;
    CHECK(exact > 0.02);
    CHECK(exact < 0.12);
    CHECK(approximate == doctest::Approx(exact).epsilon(0.25));
    CHECK(critical_rank(30, 30, 0.05) == 339);  // printed tables: U of at most 338
    const std::size_t sixty = critical_rank(60, 60, 0.05);
    CHECK(lower_tail(60, 60, sixty - 1) <= 0.05);
    CHECK(lower_tail(60, 60, sixty) > 0.05);
    const std::vector<double> same(60, 3.0);
    CHECK(rank_test(same, same).slower == 1);
}

}  // namespace
}  // namespace qmpwatch::gate
