#include "gate/limits.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace qmpwatch::gate {

namespace {

std::uint64_t stalls_of(const run::digest& seen, std::optional<stall::cause> cause) {
    return static_cast<std::uint64_t>(
        std::count_if(seen.stalls.begin(), seen.stalls.end(),
                      [&](const run::stall_digest& each) { return !cause || each.cause == *cause; }));
}

base::nanoseconds stalled(const run::digest& seen) {
    base::nanoseconds sum{};
    for (const run::stall_digest& each : seen.stalls) sum += each.length;
    return sum;
}

/// The run with the largest of what is counted.
struct worst {
    const limited_run* run = nullptr;
    double value = 0;
};
worst find_worst(std::span<const limited_run> runs, const std::function<double(const limited_run&)>& value_of) {
    worst found{&runs.front(), value_of(runs.front())};
    for (const limited_run& each : runs.subspan(1)) {
        if (const double value = value_of(each); value > found.value) found = {&each, value};
    }
    return found;
}

limit_outcome at_most(std::string name, double limit, const worst& found) {
    limit_outcome made;
    made.name = std::move(name);
    made.limit_value = limit;
    made.seen_value = found.value;
    made.path = found.run->path;
    made.its = found.value > limit ? verdict::fail : verdict::pass;
    return made;
}

}  // namespace

std::vector<limit_outcome> check_limits(std::span<const limited_run> runs, const limit_settings& settings) {
    std::vector<limit_outcome> made;
    const auto add = [&](limit_outcome one, std::string limit, const std::string& seen) {
        one.limit = std::move(limit);
        one.seen = runs.size() == 1 ? seen : fmt::format("{} in {}", seen, base::printable(one.path));
        made.push_back(std::move(one));
    };
    if (settings.max_stalls) {
        const worst found = find_worst(
            runs, [](const limited_run& each) { return static_cast<double>(stalls_of(*each.seen, std::nullopt)); });
        add(at_most("max-stalls", static_cast<double>(*settings.max_stalls), found),
            fmt::format("at most {}", *settings.max_stalls), fmt::format("{:.0f}", found.value));
    }
    if (settings.max_stalled) {
        const worst found =
            find_worst(runs, [](const limited_run& each) { return base::in_seconds(stalled(*each.seen)); });
        const double limit = base::in_seconds(*settings.max_stalled);
        add(at_most("max-stall-seconds", limit, found), fmt::format("at most {:.1f} s", limit),
            fmt::format("{:.1f} s", found.value));
    }
    for (const stall::cause cause : settings.no_cause) {
        const worst found = find_worst(
            runs, [&](const limited_run& each) { return static_cast<double>(stalls_of(*each.seen, cause)); });
        add(at_most(fmt::format("no-cause {}", stall::name(cause)), 0, found), "none",
            fmt::format("{:.0f}", found.value));
    }
    if (settings.min_bytes_per_second) {
        const worst slowest =
            find_worst(runs, [](const limited_run& each) { return -each.bytes_per_second.value_or(0); });
        limit_outcome one = at_most("min-throughput", -*settings.min_bytes_per_second, slowest);
        one.limit_value = *settings.min_bytes_per_second;
        one.seen_value = slowest.run->bytes_per_second.value_or(0);
        add(one, fmt::format("at least {}/s", base::format_bytes(one.limit_value)),
            fmt::format("{}/s", base::format_bytes(one.seen_value)));
    }
    return made;
}

}  // namespace qmpwatch::gate
