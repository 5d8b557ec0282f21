#include "client/announcer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace qmpwatch;
using sample::monitor_state;

namespace {

struct what_it_heard : client::observer {
    std::vector<std::pair<monitor_state, std::string>> heard;
    void monitor_changed(const sample::monitor_change& change) override {
        heard.emplace_back(change.state, change.detail);
    }
    void identified(const sample::vm_identity&) override {}
    void run_state_changed(const sample::run_state_change&) override {}
    void inventory_changed(const sample::inventory&) override {}
    void sampled(const sample::sample&) override {}
    void event_heard(const sample::qmp_event&) override {}
    void poll_ended(const sample::poll_result&) override {}
};

}  // namespace

TEST_CASE("a state is said when it changes, not at every try") {
    what_it_heard out;
    client::announcer states(out);
    CHECK_FALSE(states.state().has_value());
    states.say(monitor_state::absent, "no socket");
    states.say(monitor_state::absent, "nobody listens");
    states.say(monitor_state::ready);
    states.say(monitor_state::ready);
    states.say(monitor_state::absent, "QEMU closed the connection");
    REQUIRE(out.heard.size() == 3);
    CHECK(out.heard[0].second == "no socket");
    CHECK(out.heard[2].second == "QEMU closed the connection");
    CHECK(states.state() == monitor_state::absent);
}

TEST_CASE("another problem in the same state is news") {
    what_it_heard out;
    client::announcer states(out);
    states.say(monitor_state::absent, "no socket");
    states.say(monitor_state::absent, "no permission", base::errc::not_permitted);
    states.say(monitor_state::absent, "no permission", base::errc::not_permitted);
    CHECK(out.heard.size() == 2);
}
