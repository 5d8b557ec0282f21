// A simulated monitor and the poll loop of a client on one event loop, and what the client told.
#pragma once

#include "base/asio.hpp"
#include "client/observer.hpp"
#include "client/vm_watcher.hpp"
#include "sim/server.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qmpwatch::flow {

/// Remembers everything.
struct recorder : client::observer {
    std::vector<sample::monitor_change> states;
    std::vector<sample::vm_identity> identities;
    std::vector<std::string> run_states;
    std::vector<sample::inventory> inventories;
    std::vector<sample::sample> samples;
    std::vector<std::string> events;
    std::vector<sample::poll_result> polls;

    void monitor_changed(const sample::monitor_change& change) override { states.push_back(change); }
    void identified(const sample::vm_identity& identity) override { identities.push_back(identity); }
    void run_state_changed(const sample::run_state_change& change) override {
        if (run_states.empty() || run_states.back() != change.state) run_states.push_back(change.state);
    }
    void inventory_changed(const sample::inventory& drives) override { inventories.push_back(drives); }
    void sampled(const sample::sample& counters) override { samples.push_back(counters); }
    void event_heard(const sample::qmp_event& event) override { events.push_back(event.name); }
    void poll_ended(const sample::poll_result& result) override { polls.push_back(result); }

    /// The sequence of states, "connecting ready absent".
    std::string sequence() const {
        std::string text;
        for (const sample::monitor_change& one : states) {
            if (!text.empty()) text += ' ';
            text += sample::name(one.state);
        }
        return text;
    }
    bool is(sample::monitor_state state) const { return !states.empty() && states.back().state == state; }
};

/// Deadlines short enough for tests, long enough for a loaded machine under a sanitizer.
inline client::watch_settings quick() {
    client::watch_settings settings;
    settings.poll = base::milliseconds(20);
    settings.first_byte = base::milliseconds(200);
    settings.reply = base::milliseconds(200);
    settings.run_state = base::milliseconds(200);
    settings.inventory = base::milliseconds(200);
    return settings;
}

/// For a speaker that is slow but right, on a machine that may be slow as well.
inline client::watch_settings patient() {
    client::watch_settings settings = quick();
    settings.first_byte = settings.reply = settings.run_state = settings.inventory = base::seconds(5);
    return settings;
}

class watched_simulation {
public:
    explicit watched_simulation(sim::scenario what, bool is_listening = true, client::watch_settings settings = quick())
        : what_(std::move(what)) {
        if (what_.drives.empty()) {
            sim::add_drive(what_, sim::guest_device::usb_storage, "install_media");
            sim::add_drive(what_, sim::guest_device::nvme, "system");
        }
        if (is_listening) start_vm();
        client::address where;
        where.path = path();
        watcher_.emplace(loop.get_executor(), where, settings, heard);
    }

    std::string path() const { return (folder_.path() / "vm.sock").string(); }

    /// Starts the VM: a new process behind the path.
    void start_vm() {
        vm.emplace(loop.get_executor(), what_);
        REQUIRE(vm->listen(path()).has_value());
    }

    /// Runs until the condition holds; fails the test when it does not within ten seconds.
    void run_until(const std::function<bool()>& holds) {
        begin();
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!holds()) {
            loop.restart();
            loop.run_for(std::chrono::milliseconds(2));
            if (std::chrono::steady_clock::now() < end) continue;
            INFO("states: ", heard.sequence());
            INFO("samples: ", heard.samples.size());
            FAIL("what was waited for did not happen");
        }
    }
    void run_until_state(sample::monitor_state state) {
        run_until([&] { return heard.is(state); });
    }
    void run_for(std::chrono::milliseconds span) {
        begin();
        loop.restart();
        loop.run_for(span);
    }

    asio::io_context loop{1};
    recorder heard;
    std::optional<sim::simulated_monitor> vm;

private:
    void begin() {
        if (std::exchange(is_begun_, true)) return;
        asio::co_spawn(loop, watcher_->run(), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    }

    support::temporary_folder folder_;
    sim::scenario what_;
    std::optional<client::vm_watcher> watcher_;
    bool is_begun_ = false;
};

inline sim::scenario scenario_with(sim::protocol protocol, std::initializer_list<const char*> misbehaviours = {}) {
    sim::scenario what;
    what.protocol = protocol;
    sim::add_drive(what, sim::guest_device::usb_storage, "install_media");
    sim::add_drive(what, sim::guest_device::nvme, "system");
    for (const char* one : misbehaviours) REQUIRE(sim::apply_misbehaviour(what, one).has_value());
    return what;
}

}  // namespace qmpwatch::flow
