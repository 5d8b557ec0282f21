// What `doctor` has found out, for people and for scripts.
#pragma once

#include "base/clock.hpp"
#include "sample/vm_facts.hpp"
#include "stall/advice.hpp"
#include "stall/trace_log.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::report {

/// How the attempt to prove lost completions went.
struct proof_result {
    base::nanoseconds duration{};    ///< how long QEMU's log was read
    std::uint64_t completed = 0;     ///< commands that QEMU completed in that time
    std::uint64_t lines = 0;         ///< lines about mass storage
    std::vector<stall::lost_completion> lost;
};

struct diagnosis {
    sample::vm_facts vm;
    std::vector<stall::finding> findings;
    std::optional<proof_result> proof;
};

/// For a terminal of that width: the VM, a table of its drives, the findings with what is known and what to do.
std::string findings_text(const diagnosis& all, std::size_t width);

/// One JSON object on one line with a line feed; docs/doctor.md is the contract.
std::string findings_json(const diagnosis& all);

}  // namespace qmpwatch::report
