// When the VM did not run, as exactly as events or polled run states tell.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace qmpwatch::stall {

/// How much of a span was paused: the estimate and the bounds of it. No bound is below zero.
struct paused_time {
    base::nanoseconds estimate{}, min{}, max{};
};

class pause_log {
public:
    /// Heard from QEMU as it happened.
    void heard(bool is_running, base::steady_time at);

    /// Asked: it became so at some time since the state was last asked or heard.
    void asked(bool is_running, base::steady_time at);

    /// True until told otherwise.
    bool is_running() const { return is_running_; }

    /// The pauses in [from, to]. The latest sixteen pauses are remembered.
    paused_time within(base::steady_time from, base::steady_time to) const;

private:
    struct edge {
        base::steady_time earliest{}, latest{};
        base::steady_time middle() const { return earliest + (latest - earliest) / 2; }
    };
    struct pause {
        edge begin;
        std::optional<edge> end;  ///< none while it lasts
    };
    void change(bool is_running, edge when);

    std::array<pause, 16> pauses_{};
    std::size_t count_ = 0;  ///< ever
    bool is_running_ = true;
    bool is_exact_ = false;  ///< the last change was heard as it happened
    std::optional<base::steady_time> last_told_;
};

}  // namespace qmpwatch::stall
