#include "gate/bootstrap.hpp"

#include "gate/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace qmpwatch::gate {

namespace {

// Standard C++ has no type of 128 bits; both compilers do.
__extension__ using wide = unsigned __int128;

std::vector<double> redrawn(std::span<const double> values, std::mt19937_64& generator) {
    std::vector<double> drawn;
    drawn.reserve(values.size());
    while (drawn.size() < values.size()) drawn.push_back(values[draw(generator, values.size())]);
    return drawn;
}

}  // namespace

std::size_t draw(std::mt19937_64& generator, std::size_t count) {
    return static_cast<std::size_t>(static_cast<wide>(generator()) * count >> 64);
}

limits percentile_interval(std::vector<double> replicates, double confidence) {
    std::sort(replicates.begin(), replicates.end());
    const double count = static_cast<double>(replicates.size());
    const double tail = (1 - confidence) / 2;
    // What is left of a decimal fraction in binary must not move a whole number to the next.
    const double lower = std::floor(tail * count + 1e-9), upper = std::ceil((1 - tail) * count - 1e-9) - 1;
    return {replicates[static_cast<std::size_t>(lower)], replicates[static_cast<std::size_t>(upper)]};
}

std::vector<double> bootstrap_means(std::span<const double> values, std::size_t block, std::uint64_t seed,
                                    std::size_t replicates) {
    std::mt19937_64 generator(seed);
    std::vector<double> means;
    means.reserve(replicates);
    while (means.size() < replicates) {
        double sum = 0;
        for (std::size_t taken = 0; taken < values.size();) {
            const std::size_t start = draw(generator, values.size());
            for (std::size_t i = 0; i < block && taken < values.size(); ++i, ++taken) {
                sum += values[(start + i) % values.size()];
            }
        }
        means.push_back(sum / static_cast<double>(values.size()));
    }
    return means;
}

std::vector<double> bootstrap_shifts(std::span<const double> candidates, std::span<const double> baselines,
                                     std::uint64_t seed, std::size_t replicates) {
    std::mt19937_64 generator(seed);
    std::vector<double> shifts;
    shifts.reserve(replicates);
    while (shifts.size() < replicates) {
        const std::vector<double> drawn_candidates = redrawn(candidates, generator);
        const std::vector<double> drawn_baselines = redrawn(baselines, generator);
        shifts.push_back(hodges_lehmann(drawn_candidates, drawn_baselines));
    }
    return shifts;
}

}  // namespace qmpwatch::gate
