// What the detector has to say: a stall begins, ends, was none, or the verdict on a drive changed.
#pragma once

#include "base/clock.hpp"
#include "stall/cause.hpp"
#include "stall/signature.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace qmpwatch::stall {

/// The stalls of one cause on one drive since it was first seen. Never decreases.
struct cause_totals {
    /// Upper bounds of the histogram of durations: apart around the bands.
    static constexpr std::array bounds_seconds{1.0,  2.0,  2.8,  3.8,  5.0,  8.0,  9.5,  10.0, 10.5,
                                               11.5, 15.0, 20.0, 29.5, 32.0, 40.0, 60.0, 64.0, 120.0};
    std::array<std::uint64_t, bounds_seconds.size() + 1> buckets{};  ///< per bucket, not cumulative
    std::uint64_t count = 0;
    base::nanoseconds lost{};  ///< the sum of the lengths

    void add(base::nanoseconds length);
};

/// Every `suspected` is followed by one `withdrawn` or one `closed` that is not retroactive, of the same drive, before
/// the next `suspected` of that drive.
enum class change : std::uint8_t {
    suspected,      ///< a gap is open that may be a stall; length is its age
    closed,         ///< a stall ended and is counted
    withdrawn,      ///< what was suspected is no stall, or cannot be told
    level_changed,  ///< the level of a cause rose to probable or confirmed
    cleared,        ///< the level of a cause is none again
};
std::string_view name(change what);

struct transition {
    change what = change::suspected;
    std::size_t drive = 0;    ///< its place in the last sample; meaningless when the drive is gone (is_gone)
    std::string drive_name;   ///< unique within the VM
    bool is_gone = false;
    base::instant at;         ///< when it became known: the sample that told
    stall::cause cause = stall::cause::unknown;
    stall::level level = stall::level::none;     ///< of that cause, after this

    // The gap. For level_changed and cleared the last one that counted, all zero when there was none.
    base::instant start;                         ///< the last completion before it
    base::nanoseconds length{};                  ///< running time, the best estimate; without `paused`
    base::nanoseconds length_min{}, length_max{};  ///< hard bounds of it, from the polls
    base::nanoseconds paused{};  ///< time in the gap in which the VM did not run (for vm_paused: in length)
    const signature* pattern = nullptr;  ///< of lost_completion, else null; static

    std::uint64_t count = 0;  ///< stalls of this drive and cause so far, with this one
    base::nanoseconds lost{};  ///< time lost to them
    bool is_retroactive = false;  ///< closed: it ended earlier, and counts only since the pattern is known
    bool would_faster_polling_tell = false;  ///< the samples are too far apart for more than this
    std::string_view reason;  ///< a clause for people, static: why so
};

}  // namespace qmpwatch::stall
