// The time-outs that guests wait for a completion that never comes: their lengths, and who has them. Data, not code.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qmpwatch::stall {

/// The lengths at which a gap can be a guest's time-out. Each has a hypothesis of its own in the detector.
enum class band : std::uint8_t { seconds_3, seconds_10, seconds_30, seconds_36, seconds_60 };
inline constexpr std::size_t band_count = 5;

/// Where a gap may end, in running time: guest timers tick coarsely and a reset costs time. Most end in the core, which
/// reaches from just below the nominal time-out (it begins with the request, the gap only with its completion)
/// to a moment above it.
struct band_limits {
    base::nanoseconds nominal;
    base::nanoseconds low, high;
    base::nanoseconds core_low, core_high;
};

/// The limits of a band.
const band_limits& limits_of(band which);

/// A device with a guest driver that gives up after a time: what a gap of that length there is called.
struct signature {
    stall::band band;
    std::string_view device;  ///< as in sample::attachment; empty: any other, or unknown
    double prior;  ///< log odds that the pattern starts with, against the one of usb-storage at 10 s; in nats
    bool is_suspicious;  ///< a first gap of this age is worth a word while it is still open
    std::string_view name;  ///< for a user: "Windows' 10 s CD time-out on usb-storage"
    std::string_view meaning;  ///< one sentence: what is thought to have happened
};

/// The signature of a drive attached as `device` for gaps of that length; null when such gaps mean nothing there.
const signature* find_signature(band which, std::string_view device);

/// find_signature for all bands at once.
std::array<const signature*, band_count> signatures_of(std::string_view device);

}  // namespace qmpwatch::stall
