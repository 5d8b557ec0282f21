#include "sample/vm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string_view>

using namespace qmpwatch;

TEST_CASE("each state of a monitor has a name of its own") {
    std::set<std::string_view> names;
    for (const sample::monitor_state state : sample::monitor_states) names.insert(sample::name(state));
    CHECK(names.size() == sample::monitor_states.size());
    CHECK(sample::name(sample::monitor_state::absent) == "absent");
    CHECK(sample::name(sample::monitor_state::ready) == "ready");
    CHECK(sample::name(sample::monitor_state::blocked) == "blocked");
}

TEST_CASE("QEMU's run states are listed once each, in order") {
    CHECK(std::is_sorted(sample::run_states.begin(), sample::run_states.end()));
    CHECK(std::adjacent_find(sample::run_states.begin(), sample::run_states.end()) == sample::run_states.end());
    for (const std::string_view state : {"running", "paused", "io-error", "prelaunch", "guest-panicked"}) {
        CAPTURE(state);
        CHECK(std::binary_search(sample::run_states.begin(), sample::run_states.end(), state));
    }
}
