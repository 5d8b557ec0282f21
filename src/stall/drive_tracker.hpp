// One drive under watch: judges its gaps, keeps its levels and totals.
#pragma once

#include "stall/cause.hpp"
#include "stall/coarse.hpp"
#include "stall/detector.hpp"
#include "stall/evidence.hpp"
#include "stall/gap_tracker.hpp"
#include "stall/pause_log.hpp"
#include "stall/transition.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::stall {

/// What of the VM matters to each of its drives at one sample.
struct surroundings {
    const pause_log* pauses = nullptr;
    bool has_jobs = false;                        ///< a block job or a migration runs
    std::optional<base::steady_time> last_job;    ///< when one was last heard of
    std::uint64_t bytes = 0;                      ///< of all drives together, at the sample before
};

class drive_tracker {
public:
    /// `settings` must outlive it.
    drive_tracker(const detector_settings& settings, std::string name, sample::drive_identity identity);

    const std::string& name() const { return name_; }
    sample::drive_identity identity;              ///< as of the last sample
    std::size_t place = 0;                        ///< in the last sample

    using all_totals = std::array<cause_totals, causes.size()>;
    const all_totals& totals() const { return totals_; }
    void resume_totals(const all_totals& earlier) { totals_ = earlier; }

    void attach(std::string_view device);
    void limit(double operations_per_second, double bytes_per_second);
    void io_error_heard(base::steady_time at) { last_error_ = at; }

    /// Whether counters have been seen since the beginning or the last forget.
    bool is_known() const { return is_known_; }
    void first(const tick& when, const counter_sums& now);
    void step(const tick& when, const counter_sums& now, const surroundings& around, std::vector<transition>& out);

    /// The drive, its VM or the knowledge of them is gone.
    void forget(base::instant at, bool is_gone, std::string_view why, std::vector<transition>& out);

    drive_view view() const;
    base::nanoseconds wanted_poll(base::nanoseconds normal) const;
    bool is_told_less = false;

private:
    /// A gap in running time, and what was paused in it.
    struct running_gap {
        finished_gap gap;
        base::nanoseconds length{}, min{}, max{}, likely_min{}, likely_max{};
        paused_time paused;
    };
    running_gap without_pauses(const finished_gap& gap, const pause_log& pauses) const;
    void judge(const tick& when, const finished_gap& gap, const surroundings& around, std::vector<transition>& out);
    void judge_first_operations(const tick& when, const finished_gap& gap, const surroundings& around,
                                std::vector<transition>& out);
    void judge_guest_side(const tick& when, const running_gap& gap, const surroundings& around,
                          std::vector<transition>& out);
    void count_lost(const tick& when, running_gap gap, band found, bool is_retroactive, std::vector<transition>& out);
    void watch_open_gap(const tick& when, const surroundings& around, std::vector<transition>& out);
    void suspect(const tick& when, cause which, const signature* pattern, std::vector<transition>& out);
    void watch_blocked(const tick& when, std::uint64_t operations, const surroundings& around,
                       std::vector<transition>& out);
    void watch_limits(const tick& when, const counter_sums& before, const counter_sums& now,
                      std::vector<transition>& out);
    void watch_coarse(const tick& when, const counter_sums& before, const counter_sums& now,
                      std::vector<transition>& out);
    void clear_old(const tick& when, std::vector<transition>& out);
    void withdraw(base::instant at, std::string_view why, std::vector<transition>& out);
    void close(const tick& when, cause which, const running_gap& gap, bool is_retroactive, std::string_view why,
               std::vector<transition>& out);
    void close_measured(const tick& when, cause which, const running_gap& gap, std::string_view why,
                        std::vector<transition>& out);
    void set_level(base::instant at, cause which, level now, std::string_view why, std::vector<transition>& out);
    transition make(change what, base::instant at, cause which, std::string_view why) const;
    level level_of(cause which) const { return levels_[index_of(which)]; }
    bool is_coarse() const { return settings_->poll >= settings_->coarse_from; }
    bool is_limited() const { return operations_limit_ > 0 || bytes_limit_ > 0; }

    /// When a cause last made itself felt.
    struct last_time {
        std::optional<base::steady_time> at;
        base::nanoseconds active_since{};   ///< streaming since then
        transition said;                    ///< its last `closed`
    };
    struct suspicion {
        stall::cause cause = cause::unknown;
        const signature* pattern = nullptr;
        base::instant start;
        base::nanoseconds age{};
    };

    const detector_settings* settings_;
    std::string name_;
    bool is_known_ = false;
    bool is_serial_ = false;                        ///< never has two operations under way
    gap_tracker gaps_;
    evidence evidence_;
    coarse_look coarse_;
    all_totals totals_{};
    std::array<level, causes.size()> levels_{};
    std::array<last_time, causes.size()> last_{};
    const signature* pattern_ = nullptr;            ///< of the level of lost_completion
    std::vector<running_gap> uncounted_;            ///< in a band, before the pattern was probable
    std::vector<std::pair<guest_gap, running_gap>> doubtful_;  ///< to be weighed with the next gap without doubt
    std::optional<suspicion> suspected_;
    std::optional<base::steady_time> given_up_;     ///< the start of the gap that is not suspected any more
    base::instant gap_start_;                       ///< of the open gap
    base::nanoseconds gap_age_{};                   ///< running
    std::optional<base::steady_time> last_error_;
    double operations_limit_ = 0, bytes_limit_ = 0;
    base::nanoseconds at_limit_{}, off_limit_{};
    // How busy the other drives are during the open gap.
    std::optional<base::steady_time> others_since_;
    std::uint64_t others_bytes_ = 0;
    double others_rate_ = 0;
};

}  // namespace qmpwatch::stall
