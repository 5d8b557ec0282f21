// The one path from a VM's raw samples to what is shown of it, live and in replay: rates, states, notices, snapshot.
// Pure: everything that happens is told to it with its time.
#pragma once

#include "pipeline/notice.hpp"
#include "pipeline/snapshot.hpp"
#include "pipeline/window.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"
#include "stall/detector.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qmpwatch::pipeline {

class vm_pipeline {
public:
    /// `vm` is the name under which the VM is shown until it is renamed.
    vm_pipeline(std::string vm, window_settings settings);

    /// Each of these takes one thing that happened, in order, and appends what there is to say about it to `out`.
    void monitor_changed(const sample::monitor_change& change, std::vector<notice>& out);
    void identified(const sample::vm_identity& identity);
    void run_state_changed(const sample::run_state_change& change, std::vector<notice>& out);
    void inventory_changed(const sample::inventory& drives);
    void sampled(const sample::sample& counters, std::vector<notice>& out);
    void event_heard(const sample::qmp_event& event, std::vector<notice>& out);
    void poll_ended(const sample::poll_result& result);

    /// When the next sample is wanted, from the last one: `normal`, or sooner while a gap is open inside a stream.
    base::nanoseconds wanted_poll(base::nanoseconds normal) const { return stalls_.wanted_poll(normal); }

    void rename(std::string vm);
    const std::string& name() const { return state_.identity.vm; }
    const sample::vm_identity& identity() const { return state_.identity; }
    sample::monitor_state monitor() const { return state_.monitor; }
    /// True when a whole interval has been watched since the connection was made.
    bool has_complete_interval() const { return reports_.has_closed(); }
    const poll_statistics& polls() const { return state_.polls; }

    /// What was seen from the first sample to the last; none when there was no sample.
    std::optional<notice> summary() const;

    /// The state as of now, immutable. The same object is given out until something changes.
    std::shared_ptr<const vm_snapshot> snapshot(base::steady_time now);

private:
    /// What is remembered of a drive from sample to sample.
    struct drive_state {
        std::string name;
        sample::drive_identity identity;
        sample::drive_counters counters;
        sliding_window window;
        std::optional<std::pair<base::steady_time, sample::drive_counters>> reported;  ///< where the report began
    };
    notice make(base::instant at) const;
    void forget_connection();
    void match_drives(const sample::sample& counters, std::vector<notice>& out);
    void add_to_sum(const drive_state& drive, const sample::drive_counters& now);
    void add_to_sum(const stall::transition& closed);
    void take_process(const base::process_usage& usage, base::steady_time at);
    sample::drive_info info_of(const drive_state& drive) const;
    void report(const sample::sample& counters, std::vector<notice>& out);
    void tell_stalls(std::vector<notice>& out);
    std::vector<stall::remedy> remedies_for(const std::string& drive) const;
    void fill_stall(stall_snapshot& into, std::size_t drive) const;

    window_settings settings_;
    vm_snapshot state_;  ///< all but the drives, which are made of drives_ when a snapshot is asked for
    sample::inventory inventory_;
    std::vector<drive_state> drives_;  ///< in QEMU's order
    report_clock reports_;
    stall::vm_detector stalls_;
    std::vector<stall::transition> transitions_;  ///< of one step; kept for its memory
    std::vector<summary_notice::drive_total> sums_;
    std::optional<base::steady_time> first_sample_;  ///< ever: the zero of `elapsed`
    std::optional<base::instant> last_seen_;         ///< the last sample ever
    std::deque<std::pair<base::steady_time, base::process_usage>> process_;
    std::optional<sample::monitor_state> announced_;
    bool was_ready_ = false;  ///< ever
    bool is_lost_ = false;    ///< had been ready, and the connection has ended since
    std::shared_ptr<const vm_snapshot> published_;
};

}  // namespace qmpwatch::pipeline
