// A hand-made snapshot with all that a metric can show, and what is missing in the ways it can be missing.
#pragma once

#include "metrics/own_health.hpp"
#include "pipeline/snapshot.hpp"

#include <memory>

namespace qmpwatch::metrics {

/// Two VMs: `win11` speaks QMP and tells everything; `legacy` speaks HMP, its monitor is blocked.
pipeline::snapshot some_state();

/// One VM that runs, with so many drives that have rates.
std::shared_ptr<pipeline::vm_snapshot> busy_vm(const std::string& name, int drives);

own_health some_health();

}  // namespace qmpwatch::metrics
