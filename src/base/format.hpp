// Formatting to the end of a string.
#pragma once

#include <fmt/core.h>

#include <string>

namespace qmpwatch::base {

/// What append() does, compiled once.
void append_formatted(std::string& out, fmt::string_view format, fmt::format_args arguments);

/// fmt::format() at the end of `out`. Instead of fmt::format_to(), which compiles all of fmt's formatting anew in each
/// file that calls it.
template <typename... Arguments>
void append(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    append_formatted(out, format, fmt::make_format_args(arguments...));
}

}  // namespace qmpwatch::base
