// Names of drives and of monitor states.
#include "sample/drive.hpp"
#include "sample/vm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace qmpwatch::sample;

TEST_CASE("a drive is named by its device, else its qdev, else its node") {
    CHECK(drive_name({"install_media", "/machine/peripheral/stick", "#block1"}) == "install_media");
    CHECK(drive_name({"", "/machine/peripheral/stick", "node"}) == "/machine/peripheral/stick");
    CHECK(drive_name({"", "", "#block1"}) == "#block1");
    CHECK(drive_name({"", "uashd", ""}) == "uashd");
    CHECK(drive_name({}) == "");
}

TEST_CASE("monitor states have the names that the metrics show") {
    CHECK(name(monitor_state::absent) == "absent");
    CHECK(name(monitor_state::connecting) == "connecting");
    CHECK(name(monitor_state::busy) == "busy");
    CHECK(name(monitor_state::stopped) == "stopped");
    CHECK(name(monitor_state::blocked) == "blocked");
    CHECK(name(monitor_state::ready) == "ready");
    std::set<std::string_view> names;
    for (const monitor_state state : monitor_states) names.insert(name(state));
    CHECK(names.size() == monitor_states.size());
    CHECK(std::is_sorted(run_states.begin(), run_states.end()));
}
