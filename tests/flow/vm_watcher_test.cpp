// What happens to the client when the monitor misbehaves: states, their sentences, and the way back.
#include "client/vm_watcher.hpp"
#include "flow/watched_simulation.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::flow;
using namespace std::chrono_literals;
using sample::monitor_state;
using sim::protocol;

TEST_CASE("a VM that does not exist yet is waited for, and said to be absent once") {
    watched_simulation run(scenario_with(protocol::qmp), false);
    run.run_for(600ms);
    CHECK(run.heard.sequence() == "absent");
    CHECK(run.heard.states[0].detail.find("there is no") != std::string::npos);
    run.start_vm();
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    CHECK(run.heard.sequence() == "absent connecting ready");
}

TEST_CASE("a VM that ends and starts again is watched again") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        watched_simulation run(scenario_with(kind));
        run.run_until([&] { return run.heard.samples.size() >= 2; });
        run.vm->kill();
        run.run_until_state(monitor_state::absent);
        run.run_for(300ms);
        run.start_vm();
        const std::size_t before = run.heard.samples.size();
        run.run_until([&] { return run.heard.samples.size() >= before + 2; });
        CHECK(run.heard.sequence() == "connecting ready absent connecting ready");
        CHECK(run.heard.identities.size() == 2);
        CHECK(run.heard.inventories.size() == 2);
    }
}

TEST_CASE("an orderly end is told from a lost connection") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    run.vm->shut_down("guest-shutdown", true);
    run.run_until_state(monitor_state::absent);
    CHECK(run.heard.states.back().detail == "the VM has shut down");
    CHECK(run.heard.events.back() == "SHUTDOWN");
}

TEST_CASE("a new process behind the same socket") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    run.vm->restart();
    const std::size_t before = run.heard.samples.size();
    run.run_until([&] { return run.heard.samples.size() >= before + 3; });
    CHECK(run.heard.sequence() == "connecting ready absent connecting ready");
}

TEST_CASE("behind another client: busy, then served when it leaves") {
    watched_simulation run(scenario_with(protocol::qmp));
    asio::local::stream_protocol::socket other(run.loop);
    other.connect(asio::local::stream_protocol::endpoint(run.path()));
    run.run_until_state(monitor_state::busy);
    CHECK(run.heard.states.back().detail.find("another client") != std::string::npos);
    run.run_for(500ms);
    CHECK(run.heard.sequence() == "connecting busy");  // said once, the place in the queue is kept
    other.close();
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    CHECK(run.heard.sequence() == "connecting busy ready");
    CHECK(run.vm->connections() == 2);
}

TEST_CASE("behind a full queue of clients") {
    watched_simulation run(scenario_with(protocol::qmp));
    std::vector<asio::local::stream_protocol::socket> others;
    for (int i = 0; i < 8; ++i) {
        asio::local::stream_protocol::socket one(run.loop);
        one.open();
        one.native_non_blocking(true);
        const asio::local::stream_protocol::endpoint where(run.path());
        if (::connect(one.native_handle(), where.data(), static_cast<socklen_t>(where.size())) != 0) break;
        others.push_back(std::move(one));
    }
    REQUIRE(others.size() < 8);
    run.run_until_state(monitor_state::busy);
    run.run_for(500ms);
    // Whether the queue was still full or had just one place: busy is said once, not at every try.
    const std::string sequence = run.heard.sequence();
    CHECK((sequence == "busy" || sequence == "connecting busy"));
    others.clear();
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    CHECK(run.heard.is(monitor_state::ready));
}

TEST_CASE("nothing is written before it is known who is there") {
    for (const std::string kind : {"silence", "serial_console", "guest_agent", "ssh"}) {
        CAPTURE(kind);
        watched_simulation run(scenario_with(protocol::qmp, {kind.c_str()}));
        run.run_for(700ms);
        CHECK(run.vm->received().empty());
        CHECK(run.heard.samples.empty());
        const bool says_something = kind == "serial_console" || kind == "ssh";
        if (says_something) {
            CHECK(run.heard.is(monitor_state::absent));
            CHECK(run.heard.states.back().problem == base::errc::not_a_monitor);
        } else {
            CHECK(run.heard.is(monitor_state::busy));
        }
    }
}

TEST_CASE("a greeting that comes late is waited for") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        watched_simulation run(scenario_with(kind, {"late_greeting=500ms"}));
        run.run_until([&] { return run.heard.samples.size() >= 2; });
        CHECK(run.heard.sequence() == "connecting busy ready");
    }
}

TEST_CASE("greeted, and then silence: the main loop is blocked or the monitor is muxed") {
    watched_simulation run(scenario_with(protocol::qmp, {"silence_after_greeting"}));
    run.run_until_state(monitor_state::blocked);
    run.run_for(500ms);
    CHECK(run.heard.sequence() == "connecting blocked");
    CHECK(run.vm->connections() == 1);
}

TEST_CASE("a main loop that blocks and comes back") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    sim::misbehaviour fault;
    fault.main_loop_blocked = true;
    run.vm->set_misbehaviour(fault);
    run.run_until_state(monitor_state::blocked);
    run.run_for(600ms);
    CHECK(run.heard.sequence() == "connecting ready blocked");
    const std::size_t before = run.heard.samples.size();
    run.vm->set_misbehaviour({});
    run.run_until([&] { return run.heard.samples.size() >= before + 2; });
    CHECK(run.heard.sequence() == "connecting ready blocked ready");
    CHECK(run.vm->connections() == 1);  // the connection was kept
    bool has_timed_out = false;
    for (const sample::poll_result& one : run.heard.polls)
        has_timed_out |= one.outcome == sample::poll_outcome::timed_out;
    CHECK(has_timed_out);
}

TEST_CASE("a process that says nothing at all, not even out of band, is taken for stopped") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    sim::misbehaviour fault;
    fault.half_message = true;
    run.vm->set_misbehaviour(fault);
    run.run_until_state(monitor_state::stopped);
    const std::size_t sent = run.vm->received().size();
    run.run_for(800ms);
    CHECK(run.vm->received().size() == sent);  // pings do not pile up
    CHECK(run.vm->connections() == 1);
}

TEST_CASE("answers that always come late find the monitor blocked, not lost") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    sim::misbehaviour fault;
    fault.reply_delay = 350ms;
    run.vm->set_misbehaviour(fault);
    run.run_until_state(monitor_state::blocked);
    run.run_for(1500ms);
    CHECK(run.heard.sequence() == "connecting ready blocked");  // not in and out with every answer
    run.vm->set_misbehaviour({});
    const std::size_t before = run.heard.samples.size();
    run.run_until([&] { return run.heard.samples.size() >= before + 3; });
    CHECK(run.heard.is(monitor_state::ready));
    CHECK(run.vm->connections() == 1);
}

TEST_CASE("what breaks the protocol ends the connection, never the program, and the next try comes") {
    for (const std::string fault : {"half_message", "garbage", "disconnect_in_reply", "disconnect_after=3",
                                    "error_without_id", "huge_message", "deep_nesting"}) {
        for (const protocol kind : {protocol::qmp, protocol::hmp}) {
            const bool is_qmp_only = fault == "error_without_id" || fault == "deep_nesting";
            if (kind == protocol::hmp && is_qmp_only) continue;
            CAPTURE(fault);
            CAPTURE(static_cast<int>(kind));
            watched_simulation run(scenario_with(kind, {fault.c_str()}));
            // Garbage without a prompt looks to HMP like an answer that has not ended.
            const bool is_endless = kind == protocol::hmp && fault == "garbage";
            const bool is_silent = is_endless || fault == "half_message";
            if (is_silent) {
                run.run_until(
                    [&] { return run.heard.is(monitor_state::blocked) || run.heard.is(monitor_state::stopped); });
            } else {
                run.run_until([&] { return run.vm->connections() >= 2; });
            }
            // Then the monitor is well again.
            run.vm->set_misbehaviour({});
            run.vm->drop_client();
            run.run_until([&] { return run.heard.samples.size() >= 2; });
            CHECK(run.heard.is(monitor_state::ready));
        }
    }
}

TEST_CASE("replies with ids that nobody sent are not taken for answers") {
    watched_simulation run(scenario_with(protocol::qmp, {"wrong_id"}));
    run.run_for(600ms);
    CHECK(run.heard.samples.empty());
    CHECK_FALSE(run.heard.is(monitor_state::ready));
    run.vm->set_misbehaviour({});
    run.vm->drop_client();
    run.run_until([&] { return run.heard.samples.size() >= 2; });
}

TEST_CASE("a watcher that is asked to stop ends while it waits for a connection") {
    asio::io_context loop;
    recorder heard;
    client::address where;
    where.path = "/nonexistent/vm.sock";
    client::vm_watcher watcher(loop.get_executor(), where, quick(), heard);
    bool is_over = false;
    asio::co_spawn(loop, watcher.run(), [&](std::exception_ptr) { is_over = true; });
    loop.run_for(150ms);
    CHECK_FALSE(is_over);
    watcher.request_stop();
    loop.restart();
    loop.run_for(8s);
    CHECK(is_over);
}
