#include "client/watchdog.hpp"

#include <utility>

namespace qmpwatch::client {

watchdog::watchdog(socket& guarded) : state_(std::make_shared<shared_state>(guarded)) {}

watchdog::~watchdog() {
    state_->target = nullptr;
    state_->armed.reset();
    state_->timer.cancel();
}

void watchdog::arm(base::steady_time when) {
    state_->armed = when;
    state_->fired = false;
    if (!state_->waiting || state_->timer.expiry() > when) wait(state_, when);
}

void watchdog::disarm() { state_->armed.reset(); }

bool watchdog::take_fired() { return std::exchange(state_->fired, false); }

void watchdog::wait(const std::shared_ptr<shared_state>& state, base::steady_time until) {
    state->timer.expires_at(until);  // ends an earlier wait
    state->waiting = true;
    state->timer.async_wait([state](error_code failure) {
        if (failure) return;  // another wait has taken its place, or the watchdog is gone
        state->waiting = false;
        if (!state->armed || state->target == nullptr) return;
        if (std::chrono::steady_clock::now() < *state->armed) {
            wait(state, *state->armed);
            return;
        }
        state->armed.reset();
        state->fired = true;
        error_code ignored;
        state->target->cancel(ignored);
    });
}

}  // namespace qmpwatch::client
