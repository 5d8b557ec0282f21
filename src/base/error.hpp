// Errors as values: what went wrong, a sentence for the user, and whether the connection survives it.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace qmpwatch::base {

/// Named for what the caller can do about it.
enum class errc {
    usage,          ///< the user asked for something that cannot work: say so and end with 2
    absent,         ///< nobody listens there (yet): wait and try again
    not_permitted,  ///< the system refuses access: the user has to change something
    busy,           ///< another client owns the monitor: wait for it to leave
    not_a_monitor,  ///< whoever answers speaks neither QMP nor HMP: do not write to it
    timed_out,      ///< no answer in time; the answer may still come
    closed,         ///< the other side closed the connection
    protocol,       ///< the other side broke its protocol: the connection is of no more use
    too_large,      ///< a message above the bounds: the connection is of no more use
    refused,        ///< QEMU answered the command with an error
    io,             ///< the system reported a failure
    data,           ///< a file or a reply does not hold what it must hold
};

struct error {
    errc code = errc::io;
    std::string message;  ///< one sentence without a final full stop; says what to do where that is known
};

/// True when the same connection can be used for the next command.
constexpr bool connection_survives(errc code) {
    return code == errc::timed_out || code == errc::refused || code == errc::data;
}

std::string_view name(errc code);

/// A value or an error. `value()` on an error throws std::runtime_error with the error's message.
template <class T>
using result = boost::system::result<T, error>;

inline error fail(errc code, std::string message) { return error{code, std::move(message)}; }

/// Called by boost::system::result when `value()` is asked of an error.
[[noreturn]] void throw_exception_from_error(const error& failure, const boost::source_location& where);

}  // namespace qmpwatch::base
