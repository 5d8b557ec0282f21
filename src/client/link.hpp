// One connection to a monitor: a session driven over a transport. Asks questions, waits for answers, collects events.
#pragma once

#include "base/asio.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/address.hpp"
#include "client/diagnosis.hpp"
#include "client/transport.hpp"
#include "monitor/session.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::client {

class link {
public:
    explicit link(asio::any_io_executor executor);

    /// Connects; nothing is said yet. Errors as transport::connect, and `not_a_monitor` when QEMU's command line says
    /// that the monitor shares its socket with a serial port: a muxed QMP monitor greets like any other, and then what
    /// is written to it is typed into the guest.
    asio::awaitable<base::result<void>> connect(const address& where, base::steady_time deadline);

    /// Listens until the monitor is ready for questions. `timed_out` can be followed by another call; current() tells
    /// how far it got. `not_a_monitor`, `protocol`, `too_large` and `closed` are final.
    asio::awaitable<base::result<void>> become_ready(base::steady_time deadline);

    /// Sends a question of the protocol that the monitor speaks.
    asio::awaitable<base::result<monitor::ticket>> ask_qmp(std::string_view command, std::string_view arguments,
                                                           base::steady_time deadline);
    asio::awaitable<base::result<monitor::ticket>> ask_hmp(std::string_view line, base::steady_time deadline);

    /// Sends an out-of-band question, which QEMU answers even while its main loop is blocked.
    asio::awaitable<base::result<monitor::ticket>> ask_out_of_band(std::string_view command,
                                                                   base::steady_time deadline);

    /// Sends a command that changes the VM, over QMP; only `doctor --prove` does so.
    asio::awaitable<base::result<monitor::ticket>> ask_to_prove(const monitor::proving_command& command,
                                                                base::steady_time deadline);

    /// Waits for the answer. `timed_out` can be followed by another call with the same ticket. `refused` is QEMU's
    /// error. Anything else is final.
    asio::awaitable<base::result<std::string>> answer_to(monitor::ticket question, base::steady_time deadline);

    /// Takes in what the monitor says by itself until `until`; returns early when an event has come. Success at
    /// `until`, else what ended the connection.
    asio::awaitable<base::result<void>> listen(base::steady_time until);

    void forget(monitor::ticket question) { session_.forget(question); }

    /// Events heard so far, oldest first.
    bool take_event(monitor::announcement& next) { return session_.take_event(next); }

    const monitor::session& session() const { return session_; }
    std::optional<int> peer_process() const { return transport_.peer_process(); }

    /// What the command line of the QEMU on the other end says that this socket is; unknown where it cannot be read.
    socket_use use() const;

    /// When the first byte of the answer that answer_to returned last was there.
    base::steady_time heard_at() const { return heard_at_; }

private:
    asio::awaitable<base::result<void>> receive(base::steady_time deadline);
    asio::awaitable<base::result<void>> flush(base::steady_time deadline);

    std::string path_;  ///< of the UNIX socket
    transport transport_;
    monitor::session session_;
    std::deque<monitor::answer> early_;  ///< answers to other questions than the one waited for
    base::steady_time heard_at_{};
};

}  // namespace qmpwatch::client
