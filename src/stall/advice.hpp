// What is known to go wrong with the drives of a VM that looks like this one, and what to change. Pure.
#pragma once

#include "sample/vm_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::stall {

/// How much it matters: an `info` is worth a thought, a `warning` costs speed or may do so, a `problem` does now.
enum class severity : std::uint8_t { info, warning, problem };

/// How sure it is that this VM has the trouble.
enum class certainty : std::uint8_t { possible, likely, known };

/// info, warning, problem
std::string_view name(severity how_bad);

/// possible, likely, known
std::string_view name(certainty how_sure);

/// Something that the user can change.
struct remedy {
    std::string what;    ///< one or two sentences
    std::string option;  ///< for QEMU's command line, to be copied; may be empty
};

struct finding {
    std::string_view id;  ///< usb_storage_lost_completion, ...: for scripts, never changes
    stall::severity severity = severity::info;
    stall::certainty certainty = certainty::possible;
    std::string drive;  ///< its name; empty when it is about the VM
    std::string title;  ///< one line without a full stop
    std::vector<std::string> known;  ///< the facts that it rests on, a sentence each
    std::vector<remedy> remedies;
    std::string proof;  ///< how to make sure; may be empty
};

/// What is known to trouble a VM with these facts: the worst first, drives in QEMU's order among equals.
std::vector<finding> advise(const sample::vm_facts& vm);

/// Whether `kernel-irqchip=off` can be recommended.
enum class irqchip_off : std::uint8_t {
    works,      ///< the interrupts are made in the kernel now, and QEMU can make them itself
    already,    ///< QEMU makes them now
    no_effect,  ///< nothing is in the kernel with this accelerator
    refused,    ///< QEMU does not start with it
    no_boot,    ///< QEMU starts, the guest does not
    unknown,    ///< too little is known of the VM
};

/// What kernel-irqchip=off would do to this VM.
irqchip_off judge_irqchip_off(const sample::vm_facts& vm);

}  // namespace qmpwatch::stall
