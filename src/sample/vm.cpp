#include "sample/vm.hpp"

namespace qmpwatch::sample {

std::string_view name(monitor_state state) {
    switch (state) {
        case monitor_state::absent: return "absent";
        case monitor_state::connecting: return "connecting";
        case monitor_state::busy: return "busy";
        case monitor_state::stopped: return "stopped";
        case monitor_state::blocked: return "blocked";
        case monitor_state::ready: return "ready";
    }
    return "unknown";
}

}  // namespace qmpwatch::sample
