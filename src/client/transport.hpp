// The bytes to and from a monitor: a UNIX socket or TCP, each step with a deadline. Knows nothing of QMP.
#pragma once

#include "base/asio.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/address.hpp"
#include "client/watchdog.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::client {

class transport {
public:
    explicit transport(asio::any_io_executor executor);

    /// Connects. `absent` (nobody listens), `not_permitted`, `busy` (the backlog is full: another client is served and
    /// others wait), `usage` (not a socket), `timed_out`, `io`. The message is a sentence for the user.
    asio::awaitable<base::result<void>> connect(const address& where, base::steady_time deadline);

    /// Waits for bytes. The view lives until the next read of any transport of this thread: use it before co_await.
    /// `timed_out` leaves the connection as it was; `closed` when the other side has ended it.
    asio::awaitable<base::result<std::string_view>> read(base::steady_time deadline);

    /// Writes all of it. `timed_out` when the other side does not take it in time: the connection is of no more use
    /// then, because nobody knows how much went out.
    asio::awaitable<base::result<void>> write(std::string_view text, base::steady_time deadline);

    /// The process that listens on the other end, where the system tells (UNIX sockets).
    std::optional<int> peer_process() const;

private:
    asio::awaitable<base::result<void>> connect_unix(const address& where);
    asio::awaitable<base::result<void>> connect_tcp(const address& where, base::steady_time deadline);

    asio::generic::stream_protocol::socket socket_;
    watchdog watchdog_;
};

}  // namespace qmpwatch::client
