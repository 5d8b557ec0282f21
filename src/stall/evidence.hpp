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

/// Why a gap in a band is no evidence yet.
enum class doubt {
    none,
    too_little,  ///< until more has followed
    same_work,   ///< as much as before the gap before: by chance, or by a job with a timer
    job,         ///< as much several times in a row: that is a job
};

class evidence {
public:
    /// `settings` must outlive it.
    explicit evidence(const detector_settings& settings);

    /// How the drive is attached; empty when unknown. Log odds move by the difference of the priors.
    void attach(std::string_view device);

    /// Looks at the next gap, each once and in order. Those in doubt are best weighed when the next gap without doubt
    /// comes, before it.
    doubt look(const guest_gap& gap);

    /// Weighs a gap. The band in which it lies and speaks for a time-out, if any.
    std::optional<band> weigh(const guest_gap& gap);

    /// The confirmed pattern that a gap belongs to, without weighing it.
    std::optional<band> confirmed_for(const guest_gap& gap) const;

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
    static bool overlaps(const hypothesis& belief, const guest_gap& gap);
    double time_out_probability(const band_limits& limits, const hypothesis& belief, interval length) const;
    bool is_same_work(const guest_gap& gap);

    const detector_settings* settings_;
    std::array<hypothesis, band_count> hypotheses_{};
    std::optional<guest_gap> last_;
    std::optional<base::nanoseconds> spacing_;  ///< of the starts of the last two
    int same_in_a_row_ = 0;
};

}  // namespace qmpwatch::stall
