#include "gate/estimate.hpp"

#include "base/json.hpp"
#include "gate/golden_rows.hpp"
#include "gate/verdict.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>

namespace qmpwatch::gate {
namespace {

std::string in_capitals(std::string_view text) {
    std::string made(text);
    for (char& each : made) each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
    return made;
}

TEST_CASE("all golden values") {
    const nlohmann::json golden = base::parse_json(support::fixture("gate/golden.json"));
    REQUIRE(golden.size() == golden_rows().size());
    for (const golden_row& row : golden_rows()) {
        CAPTURE(row.key);
        const nlohmann::json& wanted = golden.at(row.key);
        const estimate made =
            compare(logarithms(row.candidates, row.are_times), logarithms(row.baselines, row.are_times));
        // The file stands 1e12 s in for a run that never got there; its ratio means nothing.
        if (row.key.find("+inf") == std::string::npos) {
            CHECK(std::exp(made.shift) == doctest::Approx(wanted.at("R").get<double>()).epsilon(2e-6));
        }
        CHECK(std::abs(std::exp(made.lower) - wanted.at("L").get<double>()) < 1e-6);
        CHECK(std::abs(std::exp(made.upper) - wanted.at("U").get<double>()) < 1e-6);
        CHECK(made.count == wanted.at("mw_U").get<double>());
        CHECK(std::abs(made.p_rank - wanted.at("p_slower_exact").get<double>()) < 1e-8);
        CHECK(std::abs(made.p_rank_two_sided - wanted.at("p_two_sided").get<double>()) < 1e-8);
        margin_settings limits;
        limits.margin = row.margin;
        CHECK(in_capitals(name(judge(made, limits))) == wanted.at("verdict").get<std::string>());

        const std::string how = wanted.at("method").get<std::string>();
        unsigned k = 0, df = 0;
        double one = 0, other = 0, t = 0, p = 0;
        if (std::sscanf(how.c_str(), "rank k=%u alpha=%lf", &k, &one) == 2) {
            CHECK(made.how == method::rank);
            CHECK(made.k == k);
            CHECK(std::abs(made.alpha - one) < 1e-6);
        } else if (std::sscanf(how.c_str(), "t df=%u s=%lf se=%lf t=%lf p_slower=%lf", &df, &one, &other, &t, &p) ==
                   5) {
            CHECK(made.how == method::pooled_t);
            CHECK(made.df == df);
            CHECK(std::abs(made.deviation - one) < 1e-6);
            CHECK(std::abs(made.standard_error - other) < 1e-6);
            CHECK(std::abs(made.t - t) < 1e-4);
            CHECK(std::abs(made.p_slower - p) < 1e-6);
        } else {
            CHECK(how == "declared g=2");
            CHECK(made.how == method::declared);
        }
    }
}

TEST_CASE("more digits of the first example") {
    const std::array candidate{-std::log(1230.0)};
    const std::array baselines{-std::log(165.0), -std::log(160.0), -std::log(135.0)};
    const estimate made = compare(candidate, baselines);
    CHECK(made.deviation == doctest::Approx(.10807505547717758).epsilon(1e-12));
    CHECK(made.standard_error == doctest::Approx(.12479432474486442).epsilon(1e-12));
    CHECK(made.t == doctest::Approx(-16.715274753934892).epsilon(1e-12));
    CHECK(made.p_slower == doctest::Approx(.0017799959310863533).epsilon(1e-10));
    CHECK(made.shift == doctest::Approx(-2.0859714258421844).epsilon(1e-12));
    CHECK(std::exp(made.upper) == doctest::Approx(.178784555774).epsilon(1e-11));
}

TEST_CASE("the candidate's time from which on it is slower than the three") {
    const std::vector<double> baselines = logarithms({165, 160, 135}, true);
    CHECK(compare(logarithms({219.90}, true), baselines).upper > 0);
    CHECK(compare(logarithms({219.91}, true), baselines).upper < 0);
}

TEST_CASE("all differences, in order") {
    const std::vector<double> sorted =
        differences(logarithms({210, 225, 198}, true), logarithms({165, 160, 135}, true));
    const std::array wanted{.6, .6429, .6818, .7111, .7333, .7619, .7857, .8081, .8333};
    REQUIRE(sorted.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(std::abs(std::exp(sorted[i]) - wanted[i]) < 5e-5);
    const std::array raw{60.2, 58.9, 63.0, 55.7}, raw_baselines{74.4, 70.1, 77.8, 72.3};
    CHECK(hodges_lehmann(raw, raw_baselines) == doctest::Approx(-14.3));
}

TEST_CASE("one candidate against n: limits of failing as published") {
    struct row {
        int n;
        std::array<double, 4> limits;  // at deviations of 0.05, 0.10, 0.15, 0.20
    };
    for (const row& each : {row{2, {.6793, .4615, .3135, .2130}}, row{3, {.8449, .714, .6030, .5095}},
                            row{5, {.8898, .792, .7045, .6268}}, row{10, {.9083, .825, .7495, .6808}}}) {
        for (std::size_t i = 0; i < 4; ++i) {
            // Baselines around 0 with just this deviation: half at -d, half at +d, and the middle one of an odd number.
            const double s = 0.05 * static_cast<double>(i + 1);
            std::vector<double> baselines;
            const int pairs = each.n / 2;
            const double d = s * std::sqrt((each.n - 1) / (2.0 * pairs));
            for (int k = 0; k < pairs; ++k) {
                baselines.push_back(-d);
                baselines.push_back(d);
            }
            if (each.n % 2 == 1) baselines.push_back(0);
            const std::array same{0.0};
            CAPTURE(each.n);
            CAPTURE(s);
            CHECK(std::exp(-compare(same, baselines).upper) == doctest::Approx(each.limits[i]).epsilon(1e-3));
        }
    }
}

TEST_CASE("a declared factor stands for a spread, and asks more of a smaller error") {
    const std::array one{0.0}, other{0.0};
    estimate_settings settings;
    for (const auto& [sigma, limit] : {std::pair{.03, .9326}, {.05, .890}, {.10, .793}, {.20, .628}, {.30, .498}}) {
        settings.declared_factor = std::exp(normal_quantile(0.95) * sigma * std::sqrt(2.0));
        CHECK(std::exp(compare(one, other, settings).lower) == doctest::Approx(limit).epsilon(1e-3));
    }
    settings.declared_factor = 2;
    CHECK(compare(one, other, settings).upper == doctest::Approx(std::log(2.0)));
    settings.alpha = 0.025;
    CHECK(compare(one, other, settings).upper == doctest::Approx(std::log(2.0) * 1.959964 / 1.644854).epsilon(1e-6));
}

TEST_CASE("equal runs still have the floor's noise, and a coarse clock more") {
    const std::vector<double> one{1.0}, three{1.0, 1.0, 1.0};
    CHECK(compare(one, three).deviation == 0.05);
    estimate_settings settings;
    settings.resolution = 0.07;
    CHECK(compare(one, three, settings).deviation == 0.07);
    const estimate ranks = compare(three, three);
    CHECK(ranks.how == method::rank);
    CHECK(ranks.lower == 0);
    CHECK(ranks.upper == 0);
    CHECK(judge(ranks) == verdict::pass);
    CHECK(!pooled_deviation(one, one));
}

TEST_CASE("sixty runs a side") {
    std::vector<double> candidates, baselines;
    for (int i = 0; i < 60; ++i) {
        baselines.push_back(std::sin(i) * 0.1);
        candidates.push_back(std::sin(i + 0.5) * 0.1 - 0.4);
    }
    const estimate made = compare(candidates, baselines);
    CHECK(made.how == method::rank);
    CHECK(made.shift == doctest::Approx(-0.4).epsilon(0.02));
    CHECK(made.lower < made.shift);
    CHECK(made.upper > made.shift);
    CHECK(made.alpha <= 0.05);
    CHECK(made.alpha > 0.045);
    CHECK(judge(made) == verdict::fail);
}

TEST_CASE("a run that never got there keeps all numbers finite") {
    const std::vector<double> never{log_of_never}, usual{0.0, 0.1, 0.05};
    const estimate t = compare(never, usual);
    CHECK(t.how == method::pooled_t);
    CHECK(std::isfinite(t.upper));
    CHECK(judge(t) == verdict::fail);
    const std::vector<double> some{log_of_never, -0.9, -0.8};
    const estimate rank = compare(some, usual);
    CHECK(rank.how == method::rank);
    CHECK(judge(rank) == verdict::fail);
    // On both sides of a small comparison: nothing can be said.
    const std::vector<double> two{log_of_never, 0.0}, others{0.0, 0.1};
    CHECK(judge(compare(two, others)) == verdict::inconclusive);
}

}  // namespace
}  // namespace qmpwatch::gate
