// The exit codes of all commands.
#pragma once

namespace qmpwatch::app {

inline constexpr int exit_done = 0;
inline constexpr int exit_could_not = 1;  ///< something failed at run time: a sentence on standard error says what
inline constexpr int exit_regression = 1;  ///< of `gate`, for which nothing else ends with 1
inline constexpr int exit_usage = 2;      ///< the command line asks for something that cannot work

}  // namespace qmpwatch::app
