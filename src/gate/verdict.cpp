#include "gate/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qmpwatch::gate {

std::string_view name(verdict which) {
    switch (which) {
        case verdict::pass: return "pass";
        case verdict::fail: return "fail";
        case verdict::inconclusive: return "inconclusive";
    }
    return "inconclusive";
}

std::string_view name(reason which) {
    switch (which) {
        case reason::none: return "";
        case reason::few_runs: return "few-runs";
        case reason::noise: return "noise";
        case reason::resolution: return "resolution";
        case reason::censored: return "censored";
        case reason::too_short: return "too-short";
    }
    return "";
}

verdict judge(const estimate& of, const margin_settings& settings) {
    const double limit = std::log1p(-settings.margin);
    if (of.lower > limit) return verdict::pass;
    if (of.upper < (settings.is_strict ? limit : 0.0) && of.shift <= limit) return verdict::fail;
    return verdict::inconclusive;
}

std::vector<std::optional<estimate>> step_down(std::span<const sides> metrics, const estimate_settings& settings) {
    const auto estimated = [&](const sides& one, double alpha) {
        estimate_settings its = settings;
        its.alpha = alpha;
        its.resolution = one.resolution;
        return compare(one.candidates, one.baselines, its);
    };
    std::vector<double> p;
    for (const sides& each : metrics) p.push_back(estimated(each, settings.alpha).p_slower);
    std::vector<std::size_t> order(metrics.size());
    std::iota(order.begin(), order.end(), std::size_t{});
    std::sort(order.begin(), order.end(),
              [&](std::size_t one, std::size_t other) { return p[one] != p[other] ? p[one] < p[other] : one < other; });
    std::vector<std::optional<estimate>> made(metrics.size());
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
        const double alpha = settings.alpha / static_cast<double>(order.size() - turn);
        const estimate its = estimated(metrics[order[turn]], alpha);
        made[order[turn]] = its;
        if (its.upper >= 0) break;
    }
    return made;
}

std::optional<std::size_t> runs_needed(double deviation, double distance, double alpha) {
    constexpr double power = 0.8;
    const double sure = normal_quantile(1 - alpha) + normal_quantile(power);
    const double needed = 2 * std::pow(sure * deviation / distance, 2);
    if (!(needed <= static_cast<double>(most_runs_needed))) return std::nullopt;
    return std::max<std::size_t>(3, static_cast<std::size_t>(std::ceil(needed)));
}

std::optional<std::size_t> runs_needed(const estimate& of, double deviation, double margin) {
    const double limit = std::log1p(-margin);
    const double distance = of.shift > limit ? of.shift - limit : -of.shift;
    return runs_needed(deviation, distance, of.alpha);
}

}  // namespace qmpwatch::gate
