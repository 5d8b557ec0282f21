// QEMU's trace lines about USB mass storage, and the lost completions in them: proof, where counters only let one
// guess.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::stall {

/// A command whose status never reached the guest.
struct lost_completion {
    std::uint32_t tag = 0;  ///< of the command block
    base::steady_time completed_at;  ///< when its completion was read from the log
    base::steady_time given_up_at;  ///< when the guest's reset was read
};

/// Reads the log as it grows and finds them. A command that QEMU has completed (usb_msd_cmd_complete) without sending
/// its status (usb_msd_send_status) before the guest resets the drive or sends the next command has lost it.
///
/// The lines do not say which device they are about. With more than one, only a reset counts, and only long after the
/// completion: another device's lines may stand between two of ours.
class trace_log {
public:
    /// `devices`: how many usb-storage devices the VM has.
    explicit trace_log(std::size_t devices = 1) : devices_(devices) {}

    /// Takes the next piece of the log, cut anywhere; `now` is when it was read.
    void feed(std::string_view bytes, base::steady_time now);

    const std::vector<lost_completion>& lost() const { return lost_; }

    /// Commands that QEMU has completed, and lines about mass storage at all.
    std::uint64_t completed() const { return completed_; }
    std::uint64_t lines() const { return lines_; }

private:
    struct open_command {
        std::uint32_t tag = 0;
        base::steady_time at;
    };
    void take(std::string_view line, base::steady_time now);
    void give_up(base::steady_time now);

    std::size_t devices_;
    std::string rest_;  ///< a line without its end yet
    bool is_skipping_ = false;  ///< inside a line that is too long to be one of ours
    std::vector<open_command> waiting_;  ///< completed, status not yet sent
    std::vector<lost_completion> lost_;
    std::uint64_t completed_ = 0;
    std::uint64_t lines_ = 0;
};

}  // namespace qmpwatch::stall
