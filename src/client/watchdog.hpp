// Ends a wait on a socket at a deadline. Moving the deadline back, which is what every answer does, costs no system
// call: the timer runs out once, sees that it was moved, and sleeps on.
#pragma once

#include "base/asio.hpp"
#include "base/clock.hpp"

#include <memory>
#include <optional>

namespace qmpwatch::client {

class watchdog {
public:
    using socket = asio::generic::stream_protocol::socket;

    /// `guarded` must outlive the watchdog. Everything runs on the socket's executor, which must not be concurrent.
    explicit watchdog(socket& guarded);
    ~watchdog();
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;

    /// From `when` on, the socket's waits are cancelled.
    void arm(base::steady_time when);
    void disarm();

    /// True when it was the watchdog that ended the wait; says so once.
    bool take_fired();

private:
    struct shared_state {
        explicit shared_state(socket& guarded) : timer(guarded.get_executor()), target(&guarded) {}
        asio::steady_timer timer;
        socket* target;
        std::optional<base::steady_time> armed;
        bool waiting = false;
        bool fired = false;
    };
    static void wait(const std::shared_ptr<shared_state>& state, base::steady_time until);

    std::shared_ptr<shared_state> state_;
};

}  // namespace qmpwatch::client
