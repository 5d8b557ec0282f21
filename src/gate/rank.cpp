#include "gate/rank.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace qmpwatch::gate {

namespace {

/// For each sum of `chosen` of these whole numbers, how many choices have it. C(60, 30) fits into 64 bits.
std::vector<std::uint64_t> ways_by_sum(const std::vector<std::size_t>& numbers, std::size_t chosen) {
    std::size_t most = 0;
    for (const std::size_t number : numbers) most += number;
    std::vector<std::vector<std::uint64_t>> ways(chosen + 1, std::vector<std::uint64_t>(most + 1));
    ways[0][0] = 1;
    for (const std::size_t number : numbers) {
        for (std::size_t taken = chosen; taken > 0; --taken) {
            for (std::size_t sum = most; sum >= number; --sum) ways[taken][sum] += ways[taken - 1][sum - number];
        }
    }
    return ways[chosen];
}

struct tails {
    double at_most = 1;  ///< P(count <= the one seen)
    double at_least = 1;
};

/// `doubled_ranks` are whole even where ranks are shared; `sum` is the one of those that the smaller side was dealt.
tails exact_tails(const std::vector<std::size_t>& doubled_ranks, std::size_t chosen, std::size_t sum) {
    const std::vector<std::uint64_t> ways = ways_by_sum(doubled_ranks, chosen);
    std::uint64_t below = 0, all = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        all += ways[i];
        if (i < sum) below += ways[i];
    }
    const double total = static_cast<double>(all);
    return {static_cast<double>(below + ways[sum]) / total, static_cast<double>(all - below) / total};
}

/// How many deals have each count, without ties, up to `most`: the coefficients of the Gaussian binomial, factor by
/// factor. What overflows on the way cancels out, and C(60, 30) itself fits into 64 bits.
std::vector<std::uint64_t> ways_by_count(std::size_t candidates, std::size_t baselines, std::size_t most) {
    std::vector<std::uint64_t> ways(most + 1);
    ways[0] = 1;
    for (std::size_t i = 1; i <= candidates; ++i) {
        for (std::size_t count = most; count >= baselines + i; --count) ways[count] -= ways[count - baselines - i];
        for (std::size_t count = i; count <= most; ++count) ways[count] += ways[count - i];
    }
    return ways;
}

double all_ways(std::size_t candidates, std::size_t baselines) {
    return boost::math::binomial_coefficient<double>(static_cast<unsigned>(candidates + baselines),
                                                     static_cast<unsigned>(candidates));
}

double normal_tail(double deviation) { return boost::math::cdf(boost::math::normal(), deviation); }

double spread_of_count(double candidates, double baselines) {
    return std::sqrt(candidates * baselines * (candidates + baselines + 1) / 12);
}

struct ranked {
    std::vector<std::size_t> doubled;  ///< of all numbers, in their order
    std::size_t candidates_sum = 0;
    double ties = 0;  ///< the sum of t^3 - t over groups of t equal numbers
};

ranked rank(std::span<const double> candidates, std::span<const double> baselines) {
    std::vector<std::pair<double, bool>> all;
    for (const double value : candidates) all.emplace_back(value, true);
    for (const double value : baselines) all.emplace_back(value, false);
    std::sort(all.begin(), all.end());
    ranked made;
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin;
        while (end < all.size() && all[end].first == all[begin].first) ++end;
        // Of ranks begin + 1 ... end, the middle one twice.
        for (std::size_t i = begin; i < end; ++i) {
            made.doubled.push_back(begin + 1 + end);
            if (all[i].second) made.candidates_sum += begin + 1 + end;
        }
        const double equal = static_cast<double>(end - begin);
        made.ties += equal * equal * equal - equal;
        begin = end;
    }
    return made;
}

}  // namespace

double mann_whitney_count(std::span<const double> candidates, std::span<const double> baselines) {
    double count = 0;
    for (const double candidate : candidates) {
        for (const double baseline : baselines) {
            if (candidate > baseline) count += 1;
            if (candidate == baseline) count += 0.5;
        }
    }
    return count;
}

rank_probabilities rank_test(std::span<const double> candidates, std::span<const double> baselines) {
    const std::size_t all = candidates.size() + baselines.size();
    const ranked ranks = rank(candidates, baselines);
    tails found;
    if (ranks.ties == 0 && all <= most_for_exact_ranks) {
        const std::size_t pairs = candidates.size() * baselines.size();
        const std::size_t count = static_cast<std::size_t>(mann_whitney_count(candidates, baselines));
        found.at_most = lower_tail(candidates.size(), baselines.size(), count);
        found.at_least = lower_tail(candidates.size(), baselines.size(), pairs - count);  // the mirror image
    } else if (all <= most_for_exact_ranks) {
        found = exact_tails(ranks.doubled, candidates.size(), ranks.candidates_sum);
    } else {
        const double c = static_cast<double>(candidates.size()), b = static_cast<double>(baselines.size()), n = c + b;
        const double variance = c * b / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
        if (variance <= 0) return {};  // all are equal
        const double away = mann_whitney_count(candidates, baselines) - c * b / 2;
        found = {normal_tail((away + 0.5) / std::sqrt(variance)), normal_tail((0.5 - away) / std::sqrt(variance))};
    }
    return {found.at_most, std::min(1.0, 2 * std::min(found.at_most, found.at_least))};
}

double lower_tail(std::size_t candidates, std::size_t baselines, std::size_t count) {
    if (count >= candidates * baselines) return 1;
    if (candidates + baselines > most_for_exact_ranks) {
        const double c = static_cast<double>(candidates), b = static_cast<double>(baselines);
        return normal_tail((static_cast<double>(count) + 0.5 - c * b / 2) / spread_of_count(c, b));
    }
    double below = 0;
    for (const std::uint64_t each : ways_by_count(candidates, baselines, count)) below += static_cast<double>(each);
    return below / all_ways(candidates, baselines);
}

std::size_t critical_rank(std::size_t candidates, std::size_t baselines, double alpha) {
    if (candidates == 0 || baselines == 0) return 0;
    const std::size_t pairs = candidates * baselines;
    std::size_t k = 0;
    if (candidates + baselines > most_for_exact_ranks) {
        while (k < pairs && lower_tail(candidates, baselines, k) <= alpha) ++k;
        return k;
    }
    // In whole numbers of ways: 1 of 20 is not more than 5 %.
    const double most = alpha * all_ways(candidates, baselines) + 1e-9;
    double so_far = 0;
    for (const std::uint64_t each : ways_by_count(candidates, baselines, pairs)) {
        so_far += static_cast<double>(each);
        if (so_far > most) break;
        ++k;
    }
    return k;
}

}  // namespace qmpwatch::gate
