#include "stall/cause.hpp"

namespace qmpwatch::stall {

std::string_view name(cause which) {
    switch (which) {
        case cause::lost_completion: return "lost_completion";
        case cause::slow_backend: return "slow_backend";
        case cause::vm_paused: return "vm_paused";
        case cause::monitor_blocked: return "monitor_blocked";
        case cause::io_error: return "io_error";
        case cause::throttled: return "throttled";
        case cause::unknown: break;
    }
    return "unknown";
}

std::string_view name(level which) {
    switch (which) {
        case level::none: break;
        case level::suspected: return "suspected";
        case level::probable: return "probable";
        case level::confirmed: return "confirmed";
    }
    return "none";
}

}  // namespace qmpwatch::stall
