// The tables of docs/stall-accuracy.md: what the detector finds in recordings, and how often it is wrong in simulation.
#pragma once

#include "stall/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qmpwatch::stall_test {

/// A law by its name.
struct model {
    std::string name;
    law work;
    std::string device = "usb-storage";
};

/// Guests that idle in every way that is thought likely; none of them may be confirmed.
std::vector<model> idle_models();
/// Guests made to be mistaken: reported, not bounded.
std::vector<model> adversarial_models();
/// Guests that lose completions.
std::vector<model> loss_models();

/// What became of many sessions of one model.
struct tally {
    std::uint64_t sessions = 0, probable = 0, confirmed = 0;
    std::vector<double> seconds_to_confirm;  ///< from the first loss's start; sorted
    std::uint64_t by_second = 0, by_third = 0;  ///< confirmed before the third, the fourth loss had ended
    std::uint64_t losses = 0, counted = 0;  ///< in all sessions: losses that closed, stalls counted

    double share(std::uint64_t some) const {
        return sessions == 0 ? 0 : static_cast<double>(some) / static_cast<double>(sessions);
    }
    double quantile(double which) const;
    double share_within(double seconds) const;  ///< of the sessions that lost something
};
tally run_many(const model& one, std::uint64_t sessions, const session_settings& how);

/// The first table; it does not depend on chance.
std::string recordings_table();
/// The second and third.
std::string simulation_tables(std::uint64_t sessions);

}  // namespace qmpwatch::stall_test
