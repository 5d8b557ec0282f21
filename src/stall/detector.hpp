// Finds the stalls of one VM's drives in its samples, names their causes, and says how sure it is.
//
// A gap is judged when it has closed. In this order:
//  1. its end came with a late poll, with a jump of the clock or with a blocked monitor: not judged;
//  2. an I/O error in it: io_error;
//  3. the VM stood still and less than a gap is left without that: vm_paused;
//  4. q >= 0.5 (the closing operations took that long, beyond their usual time): slow_backend (throttled, when the
//     drive has known limits and the gap is not longer than they explain);
//  5. 0.1 <= q < 0.5: unknown;
//  6. else the guest asked for nothing: idleness, or a completion that it never heard of.
//
// Only 6 needs inference. Each drive has one hypothesis per band of signature.hpp: "gaps of this length are time-outs".
// Its log odds start at the signature's prior and change with every guest-side gap inside a stream of at least 2 s by
// ln P(interval | time-outs) / P(interval | natural idling). The interval is the likely one inside the hard bounds, so
// wide bounds are weak evidence by themselves. Time-outs: core of the band 0.65, band 0.30, elsewhere 0.05, and after
// the first one 0.70 on its repetition within 0.15 s. Idling: exp(2 s / time-out - 1) per e-fold of length, as of a
// guest that idles exponentially for that long on average: 0.45 at 10 s, 0.72 at 3 s. A gap after which the stream does
// not resume counts against. In doubt, a gap is held back and weighed with the next one that is not: when the bursts
// before and after it are too short to be a stream yet, and when it follows a burst just like the one before; three
// such in a row are a job with a timer and do not count.
// From 1.2 on `probable`, from 6.6 on `confirmed`; below 0 the level falls back to none. No odds fall below -4.5.
//
// What counts as a stall (totals, `closed`): vm_paused, io_error, slow_backend, unknown and monitor_blocked of 2 s or
// more inside a stream at once; a gap in a band as lost_completion as soon as the hypothesis is probable, earlier gaps
// of the same run of evidence then too (is_retroactive). Idleness never. Nothing is counted twice or taken back.
#pragma once

#include "base/clock.hpp"
#include "sample/drive.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"
#include "stall/cause.hpp"
#include "stall/settings.hpp"
#include "stall/transition.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::stall {

/// What query-block says of a drive's throttling; 0 is no limit. Totals and reads and writes alike: the lowest counts.
struct drive_limits {
    sample::drive_identity identity;
    double operations_per_second = 0;
    double bytes_per_second = 0;
};

/// A drive as of the last sample.
struct drive_view {
    std::string_view drive;  ///< its name
    stall::cause cause = cause::unknown;  ///< the one with the highest level; means nothing at level none
    stall::level level = level::none;
    const signature* pattern = nullptr;  ///< of lost_completion
    std::array<stall::level, causes.size()> levels{};
    std::optional<base::instant> gap_start;  ///< of the gap that is open inside a stream
    base::nanoseconds gap_age{};  ///< its running time; 0 without one
    bool is_suspected = false;  ///< that gap is thought to be a stall: from `suspected` to its end
    bool is_streaming = false;
    bool would_faster_polling_tell = false;  ///< no more than `probable` from samples so far apart
    bool is_told_less = false;  ///< HMP: no failed operations, no events, no idle time before the first access
    const std::array<cause_totals, causes.size()>* totals = nullptr;  ///< never null in a view that was given out
};

class vm_detector {
public:
    explicit vm_detector(detector_settings settings = {});
    ~vm_detector();
    vm_detector(vm_detector&&) noexcept;
    vm_detector& operator=(vm_detector&&) noexcept;

    /// What happened, in order. QMP events give the times of pauses; without them (HMP) run states do, less exactly.
    void event(const sample::qmp_event& heard, std::vector<transition>& out);
    void run_state(const sample::run_state_change& changed);
    /// How drives are attached decides what their gaps mean. Whenever it becomes known or changes, before or after the
    /// first sample.
    void inventory(const sample::inventory& drives);
    /// Throttling limits, when query-block has told them; drives that are not in the list have none known.
    void limits(const std::vector<drive_limits>& known);
    /// After every poll, failed and timed out ones too: an answer that came late shows a blocked main loop.
    void poll_ended(const sample::poll_result& result);
    /// Counters of all drives; `at` must not go back. Appends what there is to say. Nothing is allocated unless the
    /// list of drives changed or there is something to say.
    void step(const sample::sample& counters, std::vector<transition>& out);
    /// Forgets all but the totals, which go on under the same drive names.
    void connection_lost(base::instant at, std::vector<transition>& out);

    /// When the next sample is wanted, from the last one: `normal`, or less while a gap is open inside a stream.
    base::nanoseconds wanted_poll(base::nanoseconds normal) const;

    /// The drives of the last sample, in its order.
    std::size_t size() const;
    drive_view view(std::size_t drive) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace qmpwatch::stall
