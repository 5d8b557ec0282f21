// How large a VM is: its virtual CPUs and its memory, from the monitor's small replies. Never fails: what cannot be
// read is 0, which stands for unknown.
#pragma once

#include <cstdint>
#include <string_view>

namespace qmpwatch::sample {

/// The CPUs in the JSON text of query-cpus-fast's reply.
unsigned decode_cpus(std::string_view json);

/// The same for what `info cpus` prints: a line that begins with `CPU #` for each, behind `*` for the current one.
unsigned decode_hmp_cpus(std::string_view text);

/// Bytes of memory that the VM started with, in the JSON text of query-memory-size-summary's reply.
std::uint64_t decode_memory_size(std::string_view json);

/// The same for what `info memory_size_summary` prints: `base memory: 536870912`.
std::uint64_t decode_hmp_memory_size(std::string_view text);

}  // namespace qmpwatch::sample
