// The commands: one function each, in a file of its own, that takes the words after its name and gives the exit code.
#pragma once

#include <string>
#include <vector>

namespace qmpwatch::app {

using words = std::vector<std::string>;

int watch_command(const words& arguments);
int doctor_command(const words& arguments);
int record_command(const words& arguments);
int report_command(const words& arguments);
int gate_command(const words& arguments);
int baseline_command(const words& arguments);
int replay_command(const words& arguments);
int simulate_command(const words& arguments);

/// Finds the command that is meant and runs it. Without one, flags alone mean `watch`.
int run(const words& arguments);

}  // namespace qmpwatch::app
