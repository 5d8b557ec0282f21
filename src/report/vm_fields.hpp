// What scripts get to know of a VM's identity: the same keys wherever JSON tells it.
#pragma once

#include "report/drive_fields.hpp"
#include "sample/vm.hpp"

#include <vector>

namespace qmpwatch::report {

/// socket, protocol, version, package, machine, accelerator, arch, pid. What the monitor did not tell is nothing.
std::vector<field> monitor_fields(const sample::vm_identity& identity);

/// name and uuid, then those.
std::vector<field> vm_fields(const sample::vm_identity& identity);

}  // namespace qmpwatch::report
