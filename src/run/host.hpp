// Where a run is recorded: the host, and what a CI system says in the environment of a job.
#pragma once

#include "run/run.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::run {

/// This machine's. What the system does not tell is empty.
host_facts read_host();

/// Reads the text of /proc/cpuinfo: the first `model name`; empty where there is none (on most Arm machines).
std::string cpu_model(std::string_view cpuinfo);

/// Gives a variable of the environment.
using environment = std::function<std::optional<std::string>(const char*)>;

/// Sets git_commit and ci_job as GitHub Actions, GitLab CI, Azure Pipelines, Jenkins and others name them in a job's
/// environment.
void take_origin(header& about, const environment& variable);

}  // namespace qmpwatch::run
