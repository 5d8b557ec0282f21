// Recorded polls of real QEMUs, and what a detector makes of them.
#pragma once

#include "sample/sample.hpp"
#include "sample/vm.hpp"
#include "stall/detector.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::stall_test {

/// Seconds on the clock of a recording or a generated session, as an instant.
base::instant at(double seconds);
double seconds_of(base::steady_time when);

/// One poll.
struct frame {
    double seconds = 0;
    sample::sample counters;
    std::string status;               ///< empty when it was not asked
    std::vector<std::string> events;  ///< heard since the poll before
};

/// Reads tests/fixtures/NAME: `blockstats` or `return` with the reply of query-blockstats, or `text` with HMP's.
std::vector<frame> load(std::string_view name);

/// A stall that the recorded guest, or the generator, knows of.
struct true_gap {
    std::string kind;   ///< csw_lost, guest_idle, vm_paused, host_stall
    double start = 0, length = 0;
};
std::vector<true_gap> load_truth(std::string_view name);

/// Which of the frames are polls, and how the detector hears of pauses.
struct look {
    std::size_t every = 1, first = 0;
    bool is_hmp = false;              ///< no events: the run state after each poll is all there is
    std::string device = "usb-storage";
};

/// All that a detector says of it.
std::vector<stall::transition> replay(const std::vector<frame>& frames, const look& how,
                                      stall::detector_settings settings);

/// The detector itself is wanted too.
std::vector<stall::transition> replay(const std::vector<frame>& frames, const look& how, stall::vm_detector& detector);

/// An inventory in which the drives of the sample hang on `device`.
sample::inventory attached(const sample::sample& counters, const std::string& device);

/// One line a transition: for messages of failing tests.
std::string describe(const std::vector<stall::transition>& said);

}  // namespace qmpwatch::stall_test
