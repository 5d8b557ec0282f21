// Generated sessions: a drive that reads in bursts, and why it stands still between them.
#pragma once

#include "sample/sample.hpp"
#include "stall/detector.hpp"
#include "stall/recording.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qmpwatch::stall_test {

/// The same numbers with every standard library.
class random_numbers {
public:
    /// Seeds that follow each other give sequences that have nothing in common.
    explicit random_numbers(std::uint64_t seed) : state_(seed) { state_ = next(); }
    std::uint64_t next();
    double uniform(double low = 0, double high = 1);
    double exponential(double mean);
    double log_uniform(double low, double high);

private:
    std::uint64_t state_;
};

/// Why a drive stands still.
enum class why { idle, loss, host, pause };

/// One burst of reads and the gap that follows it.
struct step_of_work {
    double burst_seconds = 1;
    double gap_seconds = 0;
    why gap = why::idle;
    double pause_after = -1;        ///< the VM pauses so long into the gap, ...
    double pause_seconds = 0;       ///< ... for so long, which comes on top of gap_seconds
    double megabytes_per_second = 46;
    std::uint64_t operation_bytes = 65536;
    std::uint64_t operations = 0;   ///< instead of burst_seconds, when above 0
};

/// The law by which a session works.
using law = std::function<step_of_work(random_numbers&)>;

struct session_settings {
    double seconds = 600;
    double poll = 1;                ///< seconds
    bool is_adaptive = true;        ///< polls as the detector wants them
    std::string device = "usb-storage";
    double start_within = 12;       ///< the first burst begins at a random time in the first so many seconds
    bool has_target = true;         ///< a second drive to which twice as much is written, a moment later
};

struct session_result {
    std::vector<true_gap> truth;               ///< those that closed before the last poll; start in seconds
    std::vector<stall::transition> said;       ///< of the first drive
    std::uint64_t polls = 0;
    double seconds = 0;
    std::uint64_t count[7] = {};               ///< the detector's totals at the end
    double lost = 0;                           ///< to lost completions

    /// When the first transition to this level (or above) was said; below zero when never.
    double reached(stall::level wanted, stall::cause which = stall::cause::lost_completion) const;
};

session_result run_session(const law& work, std::uint64_t seed, const session_settings& how,
                           stall::detector_settings settings = {});

}  // namespace qmpwatch::stall_test
