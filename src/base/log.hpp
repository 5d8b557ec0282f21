// The log: what the program has to say about itself, on standard error. What it measured is not logged, it is printed.
#pragma once

#include <string_view>

namespace qmpwatch::base::log {

enum class level { debug, info, warning, error };
enum class format { text, json };

/// Text lines are `2026-11-30T21:29:13.042Z warning: message`, or `qmpwatch: message` when standard error is a
/// terminal; JSON lines are one object each with `event` ("log"), `time`, `level`, `message`. To be called once, at the
/// start; without it, info and above are written as text.
void configure(level least, format shape);

void write(level how, std::string_view message);

inline void debug(std::string_view message) { write(level::debug, message); }
inline void info(std::string_view message) { write(level::info, message); }
inline void warning(std::string_view message) { write(level::warning, message); }
inline void error(std::string_view message) { write(level::error, message); }

}  // namespace qmpwatch::base::log
