// Causes and levels have names that scripts and dashboards rely on.
#include "stall/cause.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

using namespace qmpwatch;
using namespace qmpwatch::stall;

TEST_CASE("causes and levels have their documented names") {
    std::set<std::string_view> names;
    for (const cause each : causes) names.insert(name(each));
    CHECK(names == std::set<std::string_view>{"lost_completion", "slow_backend", "vm_paused", "monitor_blocked",
                                              "io_error", "throttled", "unknown"});
    CHECK(name(level::none) == "none");
    CHECK(name(level::suspected) == "suspected");
    CHECK(name(level::probable) == "probable");
    CHECK(name(level::confirmed) == "confirmed");
}
