#include "client/vm_watcher.hpp"

#include "base/process.hpp"
#include "client/conversation.hpp"
#include "client/diagnosis.hpp"
#include "monitor/backoff.hpp"

#include <fmt/format.h>

#include <random>
#include <utility>

namespace qmpwatch::client {

using sample::monitor_state;
using std::chrono::steady_clock;

vm_watcher::vm_watcher(asio::any_io_executor executor, address where, watch_settings settings, observer& out)
    : executor_(std::move(executor)), where_(std::move(where)), settings_(settings), out_(out), states_(out) {}

asio::awaitable<void> vm_watcher::run() {
    monitor::backoff delay;
    std::minstd_rand random(std::random_device{}());
    std::uniform_real_distribution<double> chance(0, 1);
    asio::steady_timer pause(executor_);
    while (!stop_requested_) {
        {
            link connection(executor_);
            const base::result<void> reached = co_await reach(connection);
            if (reached.has_error()) {
                explain_failure(reached.error());
            } else {
                delay.reset();
                conversation talk(connection, where_, settings_, states_, out_);
                const base::error ended = co_await talk.hold();
                explain_failure(ended);
            }
        }
        pause.expires_after(delay.next(chance(random)));
        co_await pause.async_wait(as_result);
    }
}

asio::awaitable<base::result<void>> vm_watcher::reach(link& connection) {
    const base::result<void> connected =
        co_await connection.connect(where_, steady_clock::now() + settings_.first_byte);
    if (connected.has_error()) co_return connected.error();
    // A backlog that was full a moment ago is still the same trouble: no "connecting" between two "busy".
    if (states_.state() != monitor_state::busy) states_.say(monitor_state::connecting);
    for (;;) {
        const base::result<void> ready = co_await connection.become_ready(steady_clock::now() + settings_.first_byte);
        if (ready.has_value()) co_return base::result<void>();
        if (ready.error().code != base::errc::timed_out) co_return ready.error();
        // The connection is kept: it is our place in the queue of those who wait for the monitor.
        explain_silence(connection);
    }
}

void vm_watcher::explain_silence(const link& connection) {
    const bool is_greeted = connection.session().current() != monitor::session::phase::listening;
    socket_use use = socket_use::unknown;
    if (const std::optional<int> peer = connection.peer_process()) {
        if (const auto usage = base::read_process(*peer); usage.has_value() && usage->is_stopped()) {
            states_.say(
                monitor_state::stopped,
                fmt::format("the QEMU process is stopped (SIGSTOP or a debugger): continue it with kill -CONT {}",
                            *peer));
            return;
        }
        use = connection.use();
    }
    const bool is_wrong_socket = use == socket_use::guest_agent || use == socket_use::serial;
    if (is_wrong_socket) {
        states_.say(monitor_state::absent, client::explain_silence(use), base::errc::not_a_monitor);
    } else if (is_greeted) {
        states_.say(
            monitor_state::blocked,
            "QEMU greets but does not answer: its main loop is blocked, or the monitor shares its socket with a "
            "serial port (mux=on)");
    } else {
        states_.say(monitor_state::busy, client::explain_silence(use), base::errc::busy);
    }
}

void vm_watcher::explain_failure(const base::error& failure) {
    const monitor_state state = failure.code == base::errc::busy ? monitor_state::busy : monitor_state::absent;
    // A connection that was just lost and a socket that is gone are one story: the first sentence tells it.
    const bool is_ordinary = failure.code == base::errc::absent || failure.code == base::errc::closed ||
                             failure.code == base::errc::timed_out;
    states_.say(state, failure.message, is_ordinary ? std::optional<base::errc>() : failure.code);
}

}  // namespace qmpwatch::client
