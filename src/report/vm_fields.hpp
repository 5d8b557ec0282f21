// What scripts get to know of a VM's identity: the same keys wherever JSON tells it. And what people get to know of its
// size.
#pragma once

#include "report/drive_fields.hpp"
#include "sample/vm.hpp"

#include <string>
#include <vector>

namespace qmpwatch::report {

/// socket, protocol, version, package, machine, accelerator, arch, cpus, memory_bytes, pid. What the monitor did not
/// tell is nothing.
std::vector<field> monitor_fields(const sample::vm_identity& identity);

/// name and uuid, then those.
std::vector<field> vm_fields(const sample::vm_identity& identity);

/// How large it is, for people: 6 vCPUs, 8 GiB RAM. Empty when neither is known.
std::string size_text(const sample::vm_identity& identity);

}  // namespace qmpwatch::report
