// The command `doctor`: one look at one VM, what is known to go wrong with it, and, when asked to, the proof.
#pragma once

#include "base/clock.hpp"
#include "client/address.hpp"

#include <optional>

namespace qmpwatch::app {

struct doctor_options {
    client::target target;
    bool as_json = false;
    std::optional<base::nanoseconds> prove;  ///< how long to look for proof; none: do not
};

/// The exit codes of `doctor`, which differ from those of the other commands: a script asks whether something was
/// found.
inline constexpr int exit_nothing_found = 0;
inline constexpr int exit_something_found = 1;  ///< a warning or worse
inline constexpr int exit_could_not_look = 2;

/// Looks, prints what was found on standard output, and returns the exit code. Sentences go to standard error.
int doctor(const doctor_options& options);

}  // namespace qmpwatch::app
