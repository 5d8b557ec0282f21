#include "pipeline/vm_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qmpwatch::pipeline {

namespace {

/// States in which there is no connection to the VM, so that nothing is known of its drives.
bool is_disconnected(sample::monitor_state state) {
    return state == sample::monitor_state::absent || state == sample::monitor_state::connecting ||
           state == sample::monitor_state::busy;
}

/// Two drives of a VM can have one name (several -blockdev without a device); the second becomes "name (2)".
std::string unique_name(const std::string& name, const std::vector<std::string>& taken) {
    std::string candidate = name;
    for (int number = 2; std::find(taken.begin(), taken.end(), candidate) != taken.end(); ++number) {
        candidate = fmt::format("{} ({})", name, number);
    }
    return candidate;
}

constexpr base::milliseconds late_after{100};

stall::detector_settings detector_settings_for(const window_settings& settings) {
    stall::detector_settings result;
    result.poll = settings.poll;
    return result;
}

}  // namespace

vm_pipeline::vm_pipeline(std::string vm, window_settings settings)
    : settings_(settings), reports_(settings), stalls_(detector_settings_for(settings)) {
    state_.identity.vm = std::move(vm);
}

notice vm_pipeline::make(base::instant at) const {
    notice said;
    said.time = at.wall;
    if (first_sample_)
        said.elapsed = std::max(base::nanoseconds::zero(), base::nanoseconds(at.steady - *first_sample_));
    said.vm = state_.identity.vm;
    return said;
}

void vm_pipeline::monitor_changed(const sample::monitor_change& change, std::vector<notice>& out) {
    published_.reset();
    state_.monitor = change.state;
    state_.monitor_detail = change.detail;
    state_.monitor_since = change.at;
    if (is_disconnected(change.state)) {
        stalls_.connection_lost(change.at, transitions_);
        tell_stalls(out);
        forget_connection();
    }

    const bool is_ready = change.state == sample::monitor_state::ready;
    const bool is_back = is_ready && is_lost_;
    if (is_back) ++state_.reconnects;
    if (is_ready) {
        was_ready_ = true;
        is_lost_ = false;
    } else if (is_disconnected(change.state) && was_ready_) {
        is_lost_ = true;
    }
    if (change.state == sample::monitor_state::connecting) return;  // a step, not news
    notice said = make(change.at);
    said.what =
        monitor_notice{announced_.value_or(sample::monitor_state::connecting), change.state, change.detail, is_back};
    announced_ = change.state;
    out.push_back(std::move(said));
}

void vm_pipeline::forget_connection() {
    drives_.clear();
    inventory_.clear();
    process_.clear();
    reports_.reset();
    state_.run_state.clear();
    state_.process.reset();
    state_.cpu_percent.reset();
    state_.last_sample.reset();
}

void vm_pipeline::identified(const sample::vm_identity& identity) {
    published_.reset();
    std::string vm = std::move(state_.identity.vm);
    state_.identity = identity;
    state_.identity.vm = std::move(vm);
}

void vm_pipeline::rename(std::string vm) {
    published_.reset();
    state_.identity.vm = std::move(vm);
}

void vm_pipeline::run_state_changed(const sample::run_state_change& change, std::vector<notice>& out) {
    stalls_.run_state(change);
    if (change.state == state_.run_state) return;
    published_.reset();
    notice said = make(change.at);
    said.what = vm_notice{state_.run_state, change.state};
    state_.run_state = change.state;
    out.push_back(std::move(said));
}

void vm_pipeline::inventory_changed(const sample::inventory& drives) {
    published_.reset();
    inventory_ = drives;
    stalls_.inventory(drives);
}

void vm_pipeline::event_heard(const sample::qmp_event& event, std::vector<notice>& out) {
    published_.reset();
    ++state_.events[event.name];
    notice said = make(event.at);
    said.what = qmp_notice{event.name, event.data};
    out.push_back(std::move(said));
    stalls_.event(event, transitions_);
    tell_stalls(out);
}

void vm_pipeline::poll_ended(const sample::poll_result& result) {
    published_.reset();
    stalls_.poll_ended(result);
    poll_statistics& polls = state_.polls;
    switch (result.outcome) {
        case sample::poll_outcome::succeeded: ++polls.succeeded; break;
        case sample::poll_outcome::timed_out: ++polls.timed_out; break;
        case sample::poll_outcome::failed: ++polls.failed; break;
    }
    if (result.lateness > late_after) ++polls.late;
    const double duration = base::in_seconds(result.duration);
    const auto bound =
        std::lower_bound(poll_statistics::bounds_seconds.begin(), poll_statistics::bounds_seconds.end(), duration);
    ++polls.buckets[static_cast<std::size_t>(bound - poll_statistics::bounds_seconds.begin())];
    polls.sum_seconds += duration;
}

void vm_pipeline::sampled(const sample::sample& counters, std::vector<notice>& out) {
    published_.reset();
    const base::steady_time at = counters.at.steady;
    if (!first_sample_) first_sample_ = at;
    match_drives(counters, out);
    state_.last_sample = last_seen_ = counters.at;
    if (counters.process) take_process(*counters.process, at);
    for (std::size_t i = 0; i < drives_.size(); ++i) {
        drive_state& drive = drives_[i];
        const sample::drive_counters& now = counters.drives[i].counters;
        add_to_sum(drive, now);
        if (!sample::continues(drive.counters, now)) drive.reported.reset();
        drive.counters = now;
        drive.window.add(at, now);
    }
    stalls_.step(counters, transitions_);
    tell_stalls(out);
    report(counters, out);
}

void vm_pipeline::tell_stalls(std::vector<notice>& out) {
    for (stall::transition& one : transitions_) {
        notice said = make(one.at);
        stall_notice what;
        if (first_sample_) what.start_elapsed = one.start.steady - *first_sample_;
        const auto drive = std::find_if(drives_.begin(), drives_.end(),
                                        [&](const drive_state& known) { return known.name == one.drive_name; });
        if (drive != drives_.end()) what.attachment = info_of(*drive).attachment;
        if (one.what == stall::change::closed) add_to_sum(one);
        const bool is_confirmed = one.what == stall::change::level_changed && one.level == stall::level::confirmed;
        if (is_confirmed) what.remedies = remedies_for(one.drive_name);
        what.happened = std::move(one);
        said.what = std::move(what);
        out.push_back(std::move(said));
    }
    transitions_.clear();
}

/// What the advice for this VM says of lost completions on the drive, as far as a watcher knows the VM: `doctor` asks
/// for more.
std::vector<stall::remedy> vm_pipeline::remedies_for(const std::string& drive) const {
    sample::vm_facts facts;
    facts.identity = state_.identity;
    for (const drive_state& one : drives_) {
        sample::drive_facts about;
        about.info = info_of(one);
        facts.drives.push_back(std::move(about));
    }
    for (stall::finding& found : stall::advise(facts)) {
        if (found.id == "usb_storage_lost_completion" && found.drive == drive) return std::move(found.remedies);
    }
    return {};
}

void vm_pipeline::fill_stall(stall_snapshot& into, std::size_t drive) const {
    const stall::drive_view view = stalls_.view(drive);
    into.level = view.level;
    into.cause = view.cause;
    into.levels = view.levels;
    if (view.pattern != nullptr) into.pattern = view.pattern->name;
    into.gap_start = view.gap_start;
    into.gap_age = view.gap_age;
    into.is_suspected = view.is_suspected;
    into.would_faster_polling_tell = view.would_faster_polling_tell;
    for (const stall::cause cause : stall::causes) {
        const stall::cause_totals& totals = (*view.totals)[stall::index_of(cause)];
        if (totals.count > 0) into.totals.push_back({cause, totals});
    }
}

/// Makes drives_ stand in the order of the sample. Usually they do.
void vm_pipeline::match_drives(const sample::sample& counters, std::vector<notice>& out) {
    const bool is_same = std::equal(
        drives_.begin(), drives_.end(), counters.drives.begin(), counters.drives.end(),
        [](const drive_state& known, const sample::drive_sample& seen) { return known.identity == seen.identity; });
    if (is_same) return;
    drives_notice change;
    std::vector<drive_state> next;
    std::vector<std::string> names;
    for (const sample::drive_sample& seen : counters.drives) {
        names.push_back(unique_name(sample::drive_name(seen.identity), names));
        const auto known = std::find_if(drives_.begin(), drives_.end(),
                                        [&](const drive_state& one) { return one.name == names.back(); });
        if (known != drives_.end()) {
            next.push_back(std::move(*known));
            known->name.clear();
            next.back().identity = seen.identity;
        } else {
            next.push_back({names.back(), seen.identity, seen.counters, sliding_window(settings_), std::nullopt});
            change.added.push_back(names.back());
        }
    }
    for (const drive_state& gone : drives_) {
        if (!gone.name.empty()) change.removed.push_back(gone.name);
    }
    const bool is_first_look = !state_.last_sample;
    drives_ = std::move(next);
    if (is_first_look || (change.added.empty() && change.removed.empty())) return;
    notice said = make(counters.at);
    said.what = std::move(change);
    out.push_back(std::move(said));
}

void vm_pipeline::add_to_sum(const drive_state& drive, const sample::drive_counters& now) {
    auto sum = std::find_if(sums_.begin(), sums_.end(), [&](const auto& one) { return one.drive == drive.name; });
    if (sum == sums_.end()) {
        sums_.push_back({});
        sum = std::prev(sums_.end());
        sum->drive = drive.name;
    }
    if (!sample::continues(drive.counters, now)) return;
    using sample::operation;
    sum->read_bytes += now[operation::read].bytes - drive.counters[operation::read].bytes;
    sum->written_bytes += now[operation::write].bytes - drive.counters[operation::write].bytes;
    sum->reads_completed += now[operation::read].completed - drive.counters[operation::read].completed;
    sum->writes_completed += now[operation::write].completed - drive.counters[operation::write].completed;
}

/// A closed stall carries the totals of its drive and cause up to it.
void vm_pipeline::add_to_sum(const stall::transition& closed) {
    const auto sum =
        std::find_if(sums_.begin(), sums_.end(), [&](const auto& one) { return one.drive == closed.drive_name; });
    if (sum == sums_.end()) return;
    const auto known = std::find_if(sum->stalls.begin(), sum->stalls.end(),
                                    [&](const auto& one) { return one.cause == closed.cause; });
    const summary_notice::stall_total total{closed.cause, closed.count, closed.lost};
    if (known != sum->stalls.end()) {
        *known = total;
    } else {
        sum->stalls.push_back(total);
    }
}

void vm_pipeline::take_process(const base::process_usage& usage, base::steady_time at) {
    if (!process_.empty() && process_.back().second.start_time_seconds != usage.start_time_seconds) process_.clear();
    process_.emplace_back(at, usage);
    while (process_.size() > 2 && process_[1].first <= at - settings_.interval) process_.pop_front();
    state_.process = usage;
    const double elapsed = base::in_seconds(at - process_.front().first);
    if (elapsed > 0) {
        state_.cpu_percent = 100 * (usage.cpu_seconds - process_.front().second.cpu_seconds) / elapsed;
    }
}

sample::drive_info vm_pipeline::info_of(const drive_state& drive) const {
    const auto found = std::find_if(inventory_.begin(), inventory_.end(),
                                    [&](const sample::drive_info& one) { return one.identity == drive.identity; });
    if (found != inventory_.end()) return *found;
    sample::drive_info unknown;
    unknown.identity = drive.identity;
    return unknown;
}

void vm_pipeline::report(const sample::sample& counters, std::vector<notice>& out) {
    const base::steady_time at = counters.at.steady;
    const report_clock::tick tick = reports_.take(at);
    if (tick == report_clock::tick::between) return;
    for (drive_state& drive : drives_) {
        if (tick == report_clock::tick::closes) {
            std::optional<sample::drive_rate> rate;
            if (drive.reported) {
                rate = sample::rate_between(drive.reported->second, drive.counters, at - drive.reported->first);
            }
            notice said = make(counters.at);
            said.what = rate_notice{drive.name, info_of(drive).attachment, drive.counters, rate};
            out.push_back(std::move(said));
        }
        drive.reported = {at, drive.counters};
    }
}

std::optional<notice> vm_pipeline::summary() const {
    if (!first_sample_ || !last_seen_) return std::nullopt;
    notice said = make(*last_seen_);
    summary_notice total;
    total.watched = last_seen_->steady - *first_sample_;
    total.drives = sums_;
    said.what = std::move(total);
    return said;
}

std::shared_ptr<const vm_snapshot> vm_pipeline::snapshot(base::steady_time now) {
    if (published_) return published_;
    auto next = std::make_shared<vm_snapshot>(state_);
    next->first_rate_in = reports_.first_window_left(now);
    next->drives.reserve(drives_.size());
    for (std::size_t i = 0; i < drives_.size(); ++i) {
        const drive_state& drive = drives_[i];
        next->drives.push_back({drive.name, info_of(drive), drive.counters, drive.window.rate(), {}});
        if (i < stalls_.size()) fill_stall(next->drives.back().stall, i);
    }
    published_ = std::move(next);
    return published_;
}

}  // namespace qmpwatch::pipeline
