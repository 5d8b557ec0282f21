// Says the state of a monitor when it changes, and only then.
#pragma once

#include "base/clock.hpp"
#include "client/observer.hpp"
#include "sample/vm.hpp"

#include <optional>
#include <string>
#include <utility>

namespace qmpwatch::client {

class announcer {
public:
    explicit announcer(observer& out) : out_(out) {}

    /// Announces the state unless it is the one that was announced last, for the same problem.
    void say(sample::monitor_state state, std::string detail = {}, std::optional<base::errc> problem = {}) {
        if (said_ && *said_ == std::pair(state, problem)) return;
        said_ = {state, problem};
        out_.monitor_changed({state, std::move(detail), base::now(), problem});
    }

    std::optional<sample::monitor_state> state() const { return said_ ? std::optional(said_->first) : std::nullopt; }

private:
    observer& out_;
    std::optional<std::pair<sample::monitor_state, std::optional<base::errc>>> said_;
};

}  // namespace qmpwatch::client
