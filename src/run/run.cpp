#include "run/run.hpp"

#include <type_traits>

namespace qmpwatch::run {

std::optional<base::instant> time_of(const happening& one) {
    return std::visit(
        [](const auto& what) -> std::optional<base::instant> {
            if constexpr (requires { what.at; }) {
                return what.at;
            } else {
                return std::nullopt;
            }
        },
        one);
}

std::string_view name(end_reason reason) {
    switch (reason) {
        case end_reason::guest_shutdown: return "guest-shutdown";
        case end_reason::command_exit: return "command-exit";
        case end_reason::quiet: return "quiet";
        case end_reason::time_limit: return "time-limit";
        case end_reason::interrupted: return "interrupted";
        case end_reason::monitor_lost: return "monitor-lost";
        case end_reason::imported: return "imported";
    }
    return "unknown";
}

bool end::is_complete() const {
    switch (reason) {
        case end_reason::guest_shutdown:
        case end_reason::quiet:
        case end_reason::imported: return true;
        case end_reason::command_exit: return exit_code.value_or(1) == 0;
        case end_reason::time_limit:
        case end_reason::interrupted:
        case end_reason::monitor_lost: break;
    }
    return false;
}

}  // namespace qmpwatch::run
