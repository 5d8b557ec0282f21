// Several VMs in one program: names that are told apart, patterns, and one bad VM that costs the others nothing.
#include "app/watched_vms.hpp"
#include "flow/watched_simulation.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace qmpwatch;
using namespace std::chrono_literals;

namespace {

struct house {
    support::temporary_folder folder;
    asio::io_context loop{1};
    std::vector<std::unique_ptr<sim::simulated_monitor>> monitors;
    app::watch_targets options;
    std::vector<pipeline::notice> said;
    std::optional<app::watched_vms> vms;

    house() {
        options.interval = 200ms;
        options.poll = 50ms;
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    sim::simulated_monitor& start(const std::string& socket, const std::string& name,
                                  const char* misbehaviour = nullptr) {
        sim::scenario what = flow::scenario_with(sim::protocol::qmp);
        what.vm_name = name;
        if (misbehaviour != nullptr) REQUIRE(sim::apply_misbehaviour(what, misbehaviour).has_value());
        monitors.push_back(std::make_unique<sim::simulated_monitor>(loop.get_executor(), what));
        REQUIRE(monitors.back()->listen(path(socket)).has_value());
        return *monitors.back();
    }
    void target(const std::string& text) { options.targets.push_back(*client::parse_target(text)); }
    void watch() {
        vms.emplace(loop, options, [this](app::watched_vm&, const pipeline::notice& one) { said.push_back(one); });
        vms->look_for_vms();
    }
    void run_for(std::chrono::milliseconds span) {
        loop.restart();
        loop.run_for(span);
    }
    std::vector<std::string> names() {
        std::vector<std::string> result;
        const auto state = vms->snapshot(base::now());
        for (const auto& vm : state->vms) result.push_back(vm->identity.vm);
        return result;
    }
    bool is_ready(const std::string& name) {
        const auto state = vms->snapshot(base::now());
        for (const auto& vm : state->vms) {
            if (vm->identity.vm == name) return vm->monitor == sample::monitor_state::ready;
        }
        return false;
    }
};

}  // namespace

TEST_CASE("names: the user's, else QEMU's, else the socket's; never two alike") {
    house all;
    all.start("a.sock", "winarm");
    all.start("b.sock", "winarm");
    all.start("c.sock", "");
    all.start("d.sock", "debian");
    for (const char* socket : {"a.sock", "b.sock", "c.sock"}) all.target(all.path(socket));
    all.target("mine=" + all.path("d.sock"));
    all.target(all.path("absent.sock"));
    all.watch();
    all.run_for(600ms);
    CHECK(all.names() == std::vector<std::string>{"absent", "c", "mine", "winarm", "winarm@" + all.path("b.sock")});
}

TEST_CASE("one VM that hangs costs the others nothing") {
    house all;
    all.start("good.sock", "good");
    all.start("bad.sock", "bad", "silence");
    all.start("slow.sock", "slow", "slow_reply=5s");
    for (const char* socket : {"good.sock", "bad.sock", "slow.sock"}) all.target(all.path(socket));
    all.watch();
    all.run_for(1500ms);
    int rates = 0;
    for (const pipeline::notice& one : all.said) {
        rates += one.vm == "good" && std::holds_alternative<pipeline::rate_notice>(one.what) ? 1 : 0;
    }
    CHECK(rates >= 8);  // two drives, at least four intervals of 200 ms
    CHECK(all.is_ready("good"));
    CHECK_FALSE(all.is_ready("bad"));
}

TEST_CASE("a pattern finds VMs that come and drops VMs that are gone") {
    house all;
    all.start("vm1.sock", "one");
    all.target(all.path("vm*.sock"));
    all.watch();
    all.run_for(400ms);
    CHECK(all.names() == std::vector<std::string>{"one"});
    all.start("vm2.sock", "two");
    all.vms->look_for_vms();
    all.run_for(400ms);
    CHECK(all.names() == std::vector<std::string>{"one", "two"});
    all.monitors[0]->stop();
    all.run_for(300ms);
    all.vms->look_for_vms();
    all.run_for(6s);
    all.vms->look_for_vms();
    CHECK(all.names() == std::vector<std::string>{"two"});
    // What was counted for it is not forgotten: sums over all VMs never fall.
    CHECK(all.vms->snapshot(base::now())->former_polls.succeeded > 0);
}

TEST_CASE("a pattern that matches nothing yet is no error") {
    house all;
    all.target(all.path("none*.sock"));
    all.watch();
    all.run_for(50ms);
    CHECK(all.names().empty());
}
