#include "run/replay.hpp"

#include <algorithm>

namespace qmpwatch::run {

namespace {

pipeline::window_settings windows_for(const header& about, const replay_settings& how) {
    pipeline::window_settings windows;
    windows.poll = how.poll.value_or(about.poll);
    windows.interval = std::max(how.interval.value_or(about.interval), windows.poll);
    return windows;
}

}  // namespace

replay::replay(const header& about, const replay_settings& how)
    : windows_(windows_for(about, how)), thin_(how.poll), pipeline_("vm", windows_) {}

/// Thinning keeps the samples that a poll at the wanted distance would have seen. Polls are late by some milliseconds,
/// and never early.
bool replay::is_left_out(const sample::sample& counters) {
    if (!thin_) return false;
    const base::steady_time at = counters.at.steady;
    if (!due_) due_ = at;
    const base::nanoseconds tolerance = std::min<base::nanoseconds>(*thin_ / 20, base::milliseconds(20));
    if (at < *due_ - tolerance) return true;
    while (*due_ <= at + tolerance) *due_ += *thin_;
    return false;
}

void replay::hear(const happening& one, std::vector<pipeline::notice>& out) {
    if (const auto* counters = std::get_if<sample::sample>(&one)) {
        was_left_out_ = is_left_out(*counters);
        if (!was_left_out_) pipeline_.sampled(*counters, out);
    } else if (const auto* poll = std::get_if<sample::poll_result>(&one)) {
        if (!was_left_out_ || poll->outcome != sample::poll_outcome::succeeded) pipeline_.poll_ended(*poll);
    } else if (const auto* change = std::get_if<sample::monitor_change>(&one)) {
        pipeline_.monitor_changed(*change, out);
    } else if (const auto* vm = std::get_if<sample::vm_identity>(&one)) {
        pipeline_.identified(*vm);
        if (!vm->vm.empty()) pipeline_.rename(vm->vm);
    } else if (const auto* state = std::get_if<sample::run_state_change>(&one)) {
        pipeline_.run_state_changed(*state, out);
    } else if (const auto* drives = std::get_if<sample::inventory>(&one)) {
        pipeline_.inventory_changed(*drives);
    } else if (const auto* event = std::get_if<sample::qmp_event>(&one)) {
        pipeline_.event_heard(*event, out);
    }
}

}  // namespace qmpwatch::run
