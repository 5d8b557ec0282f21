// What is compared: how long one run took to move the same bytes as another.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "run/digest.hpp"
#include "run/phases.hpp"
#include "run/progress.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::gate {

struct metric {
    enum class kind : std::uint8_t {
        copy,   ///< the install medium's reads in the copy
        drive,  ///< the part of a run in which a drive moved most that way
        run,    ///< the whole run, from its first sample to its end
    };
    kind what = kind::copy;
    std::string drive;  ///< of kind::drive
    run::direction way = run::direction::read;

    friend bool operator==(const metric&, const metric&) = default;
};

/// Reads copy, run, DRIVE:read or DRIVE:write; a drive's name may hold colons. `usage` for anything else.
base::result<metric> parse_metric(std::string_view text);

/// The text that parse_metric reads.
std::string name(const metric& of);

/// One run seen through one metric. Refers to the digest that it was made of.
class curve {
public:
    /// Fails with `data` when the run has no such metric; the sentence does not name the file. `medium` is the drive
    /// that the system is installed from, where it is not to be guessed.
    static base::result<curve> of(const run::digest& run, const metric& what, const std::string& medium = {});

    const std::string& drive() const { return drive_; }  ///< empty for the whole run
    /// That were moved in the phase; 0 for the whole run.
    std::uint64_t bytes() const { return bytes_; }
    /// Whether the run came to its own end, so that `bytes` is all there was to move. Of an imported log nobody knows:
    /// it is taken for complete.
    bool is_complete() const { return is_complete_; }
    /// From the begin of the phase until the bytes had been moved: none when they never were. Of the whole run its
    /// length, when it is complete.
    std::optional<base::nanoseconds> time_to(double bytes) const;
    /// From the begin of the phase to the last sample.
    base::nanoseconds seen() const { return last_ - begin_; }
    /// From the begin of the phase to its last completion.
    base::nanoseconds length() const { return end_ - begin_; }
    base::nanoseconds begin() const { return begin_; }  ///< since the first sample
    /// The median distance of samples in the phase.
    base::nanoseconds cadence() const { return cadence_; }

private:
    const run::progress* moved_ = nullptr;  ///< null for the whole run
    run::direction way_ = run::direction::read;
    std::string drive_;
    base::nanoseconds begin_{}, end_{}, last_{}, cadence_{};
    double begin_bytes_ = 0;
    std::uint64_t bytes_ = 0;
    bool is_complete_ = false;
};

}  // namespace qmpwatch::gate
