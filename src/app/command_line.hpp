// What all commands share of the command line: durations, the configuration file, and errors in one sentence.
#pragma once

#include "app/exit_code.hpp"
#include "base/clock.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::app {

/// A flag that takes a duration with a unit, at least `least` long; its default is shown in --help.
CLI::Option* add_duration(CLI::App& command, const std::string& flag, base::nanoseconds& value, base::nanoseconds least,
                          const std::string& description);

/// --config FILE: TOML with the same names as the flags, dots included.
void add_config(CLI::App& command);

/// Reads the words after the command's name. None: go on. Otherwise the program is to end with this exit code; help
/// and errors have been printed.
std::optional<int> parse(CLI::App& command, const std::vector<std::string>& words);

/// Prints `qmpwatch COMMAND: sentence (see qmpwatch COMMAND --help)`; the exit code for it.
int refuse(const CLI::App& command, const std::string& sentence);

}  // namespace qmpwatch::app
