// Every number that the stall detector decides by, with its unit and where it comes from.
#pragma once

#include "base/clock.hpp"

namespace qmpwatch::stall {

struct detector_settings {
    /// From sample to sample, as far as nobody asks for more. Sets what counts as late and what as coarse.
    base::nanoseconds poll = base::seconds(1);

    // --- what is a gap, and what is a stream ---
    /// A drive without a completed operation for so long has a gap: longer than any healthy seek, shorter than any
    /// time-out known.
    base::nanoseconds gap = base::milliseconds(1500);
    /// ... but never less than so many times the usual distance of its operations.
    double gap_operations = 20;
    /// A drive streams when, in so much active time (gaps do not count), ...
    base::nanoseconds stream_window = base::seconds(5);
    double stream_operations = 20;        ///< ... so many operations
    double stream_bytes = 1e6;            ///< ... and bytes were done,
    double stream_mean_bytes = 16384;     ///< of so many bytes each, as a sequential reader does.
    /// After a time-out the stream goes on within so much time, ...
    base::nanoseconds resume_within = base::seconds(1);
    double resume_operations = 2;         ///< ... with so many operations: the repeated one and what follows,
    double resume_bytes = 65536;          ///< ... and bytes.
    /// A gap that is still open at this age has ended the stream (no signature is longer).
    base::nanoseconds stream_memory = base::seconds(120);

    // --- causes; measured on QEMU 7.2 and 11.1: lost completion q <= 0.02, idle <= 0.06, host stall 0.96 to 1.05 ---
    /// q is the time of the operations that ended the gap, beyond their usual time, over the length of the gap.
    double slow_backend_share = 0.5;  ///< q from here on: the operations were under way all the time
    double unknown_share = 0.1;  ///< q from here on: neither
    /// Shorter gaps of the host, of unknown cause, of a pause or of a blocked monitor are not counted as stalls.
    base::nanoseconds least_stall = base::seconds(2);
    /// A monitor that takes longer to answer is blocked, and what the drives did meanwhile is not judged.
    base::nanoseconds blocked_after = base::seconds(1);
    /// The two clocks, or a clock and the drive's idle time, may disagree by so much from sample to sample.
    base::nanoseconds clock_tolerance = base::milliseconds(500);
    base::nanoseconds idle_tolerance = base::milliseconds(60);  ///< 9.5 ms was the most on two busy cores

    // --- evidence for a pattern; see detector.hpp for the rule, docs/stall-accuracy.md for what it leads to ---
    base::nanoseconds least_evidence = base::seconds(2);  ///< shorter gaps say nothing
    double widest_share = 0.25;  ///< of a time-out: lengths known less exactly say nothing about it
    double core_share = 0.65;  ///< lost completions: share in the core of the band,
    double band_share = 0.30;  ///< anywhere in the band; the rest is outside
    double repeat_share = 0.70;  ///< given an earlier one: share with its length,
    base::nanoseconds repeat_within = base::milliseconds(150);  ///< give or take this (tick of the guest's timer)
    double floor = -4.5;  ///< log odds never fall below: a drive that idled can still begin to stall
    double probable = 1.2;  ///< log odds for `probable`
    /// Log odds for `confirmed`: seven hundred to one. Two losses as recorded at 0.5 s just reach it, two whose lengths
    /// are known to 0.1 s give 7.1 to 7.5; natural idling stays a little below one session of a thousand.
    double confirmed = 6.6;
    /// A gap that follows a burst of as many operations as the burst before, give or take this, may belong to a job
    /// with a timer: bursts between losses are random, but two of them are alike now and then. It is held back until a
    /// burst that differs shows that there is no such job.
    double same_work_share = 0.01;
    double regular_share = 0.06;  ///< ... or this, when the starts are also as far apart as before,
    base::nanoseconds regular_within = base::milliseconds(40);  ///< give or take this
    int same_work_times = 3;  ///< so many times in a row is no chance: what was held back until then is dropped
    /// A guest that moves so much per second on its other drives during a gap has something else to do: then what
    /// speaks for a time-out weighs less. (Writes behind the lost read end within a second.)
    double busy_elsewhere_bytes = 1e6;
    double busy_elsewhere_weight = 0.5;

    // --- levels in time ---
    base::nanoseconds suspect_before = base::milliseconds(1500);  ///< an open gap is suspected so long before its band
    base::nanoseconds withdraw_after = base::milliseconds(250);  ///< and withdrawn so long after it
    base::nanoseconds recent = base::seconds(120);  ///< a stall makes the next gap suspicious for so long
    base::nanoseconds clear_active = base::seconds(60);  ///< a level ends after so much streaming without a stall
    base::nanoseconds clear_elapsed = base::seconds(300);  ///< ... or after so much time without one

    // --- cadence ---
    base::nanoseconds fast_poll = base::milliseconds(500);  ///< while a gap is open in a stream
    base::nanoseconds faster_poll = base::milliseconds(250);  ///< in a band, where it may end
    /// In the core of a band, where it most probably ends: twice as fine as guests' timers repeat, so that the second
    /// loss mostly suffices, however short the bursts that the end could be reckoned back from.
    base::nanoseconds fastest_poll = base::milliseconds(100);

    // --- coarse samples: a run recorded elsewhere, --poll 15s ---
    base::nanoseconds coarse_from = base::seconds(5);  ///< from this poll interval on nothing is ever confirmed
    int coarse_suspected = 12;  ///< windows for `suspected`
    int coarse_probable = 20;  ///< windows for `probable`
    double coarse_idle_share = 0.6;  ///< of the windows end more than a second into a gap
    double coarse_busy = 0.05;  ///< share of time in operations above which the host is not idle

    // --- throttling ---
    double limit_share = 0.95;  ///< of a known limit counts as at the limit,
    double limit_busy = 0.9;  ///< with at least so much of the time in operations
    base::nanoseconds limit_for = base::seconds(5);  ///< for so long
};

}  // namespace qmpwatch::stall
