// The evidence that a drive's gaps are time-outs of its guest: log odds for each length that a time-out can have.
#pragma once

#include "base/clock.hpp"
#include "stall/gap_tracker.hpp"
#include "stall/settings.hpp"
#include "stall/signature.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace qmpwatch::stall {

/// A guest-side gap inside a stream, in running time.
struct guest_gap {
    base::steady_time start{};
    base::nanoseconds likely_min{}, likely_max{};
    std::uint64_t operations_before = 0;
    aftermath after = aftermath::stream;
    double weight = 1;  ///< of what speaks for a time-out; below 1 when the guest was busy elsewhere
};

class evidence {
public:
    /// `settings` must outlive it.
    explicit evidence(const detector_settings& settings);

    /// How the drive is attached; empty when unknown. Log odds move by the difference of the priors.
    void attach(std::string_view device);

    /// Weighs a gap. The band in which it lies and speaks for a time-out, if any. A gap that looks like a regular job,
    /// or is followed by too little to tell, is neutral: it belongs to a band only when the pattern is confirmed.
    std::optional<band> weigh(const guest_gap& gap);

    double odds(band which) const { return hypotheses_[static_cast<std::size_t>(which)].odds; }
    /// Null when gaps of that length mean nothing on this device.
    const signature* pattern(band which) const { return hypotheses_[static_cast<std::size_t>(which)].pattern; }

    /// Starts again from the priors.
    void reset();

private:
    struct interval {
        double low = 0, high = 0;
        double length() const { return high > low ? high - low : 0; }
    };
    struct hypothesis {
        const signature* pattern = nullptr;
        double odds = 0;
        std::optional<interval> before;  ///< the last length in the band
    };
    double natural_density(const band_limits& limits) const;
    static interval common(interval one, interval other);
    double time_out_probability(const band_limits& limits, const hypothesis& belief, interval length) const;
    bool is_regular(const guest_gap& gap);

    const detector_settings* settings_;
    std::array<hypothesis, band_count> hypotheses_{};
    std::optional<guest_gap> last_;
    std::optional<base::nanoseconds> spacing_;  ///< of the starts of the last two
};

}  // namespace qmpwatch::stall
