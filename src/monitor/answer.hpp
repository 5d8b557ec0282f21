// What a session hands to its owner: answers to what was asked, and events.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>

namespace qmpwatch::monitor {

/// Tells which question an answer belongs to; never reused within a session.
using ticket = std::uint64_t;

struct answer {
    ticket to = 0;
    base::result<std::string> text;  ///< QMP: JSON text of what was returned; HMP: what was printed. `refused` when
                                     ///< QEMU answered with an error
};

struct announcement {
    std::string event;
    std::string data;  ///< JSON text, empty when there is none
};

}  // namespace qmpwatch::monitor
