// What a QMP message is: greeting, reply, failure or event.
#pragma once

#include "base/error.hpp"
#include "monitor/json_framer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace qmpwatch::monitor {

/// The first thing a QMP monitor says.
struct greeting {
    std::string version;  ///< 7.2.22; empty when it was not given
    std::string package;  ///< the distribution's name for it; may be empty
    bool offers_oob = false;
};

/// A command succeeded.
struct reply {
    std::uint64_t id = 0;
    std::string_view value;  ///< JSON text of what it returned
};

/// A command failed, or (without id) QEMU could not read what it got.
struct failure {
    std::optional<std::uint64_t> id;
    std::string error_class;
    std::string description;
};

struct event {
    std::string name;
    std::string_view data;  ///< JSON text, empty when there is none
};

/// An object of a kind that QMP does not have.
struct stranger {};

using message = std::variant<greeting, reply, failure, event, stranger>;

/// Tells what the object is by its outermost members, in any order. Views point into the object. A reply whose id is
/// not one of ours (a number from 0 to 2^64 - 1) is a stranger. `protocol` when a part of it is not valid JSON.
base::result<message> decode_message(const framed_object& object);

}  // namespace qmpwatch::monitor
