#include "app/watched_vms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace qmpwatch::app {

watched_vm::watched_vm(asio::any_io_executor executor, const client::target& from, client::watch_settings settings,
                       pipeline::window_settings windows, std::string name, notice_sink sink, sample_sink after_sample,
                       happening_sink tap,
                       std::function<std::string(const watched_vm&, const std::string&)> unique_name)
    : watcher(std::move(executor), from.where, settings, *this),
      pipeline(std::move(name), windows),
      from_pattern(from.is_pattern),
      from_(from),
      sink_(std::move(sink)),
      after_sample_(std::move(after_sample)),
      tap_(std::move(tap)),
      unique_name_(std::move(unique_name)) {}

template <class What>
void watched_vm::note(const What& what) {
    if (tap_) tap_(*this, run::happening(what));
}

void watched_vm::pass_on() {
    for (const pipeline::notice& one : std::exchange(said_, {})) sink_(*this, one);
}

void watched_vm::monitor_changed(const sample::monitor_change& change) {
    problem = change.problem;
    detail = change.detail;
    if (change.state == sample::monitor_state::ready) was_ready = true;
    note(change);
    pipeline.monitor_changed(change, said_);
    pass_on();
}

void watched_vm::identified(const sample::vm_identity& identity) {
    pipeline.identified(identity);
    const std::string own = client::name_from_address(from_.where);
    const std::string& wanted = !from_.name.empty() ? from_.name : !identity.name.empty() ? identity.name : own;
    pipeline.rename(unique_name_(*this, wanted));
    note(pipeline.identity());
}

void watched_vm::run_state_changed(const sample::run_state_change& change) {
    note(change);
    pipeline.run_state_changed(change, said_);
    pass_on();
}

void watched_vm::inventory_changed(const sample::inventory& drives) {
    note(drives);
    pipeline.inventory_changed(drives);
}

void watched_vm::sampled(const sample::sample& counters) {
    note(counters);
    pipeline.sampled(counters, said_);
    pass_on();
    after_sample_();
}

void watched_vm::event_heard(const sample::qmp_event& event) {
    note(event);
    pipeline.event_heard(event, said_);
    pass_on();
}

void watched_vm::poll_ended(const sample::poll_result& result) {
    note(result);
    pipeline.poll_ended(result);
}

watched_vms::watched_vms(asio::io_context& context, const watch_targets& options, watched_vm::notice_sink sink,
                         watched_vm::sample_sink after_sample, watched_vm::happening_sink tap)
    : context_(context),
      options_(options),
      sink_(std::move(sink)),
      after_sample_(std::move(after_sample)),
      tap_(std::move(tap)) {}

void watched_vms::look_for_vms() {
    // First the VMs that are over, so that a name is free again.
    std::erase_if(vms_, [this](const std::unique_ptr<watched_vm>& vm) {
        if (vm->is_over) former_polls_ += vm->pipeline.polls();
        return vm->is_over;
    });
    for (const client::target& target : options_.targets) {
        if (!target.is_pattern) {
            if (!is_watched(target.where)) add(target, target.where);
            continue;
        }
        for (const std::string& path : client::matching_sockets(target.where.path)) {
            client::address where;
            where.path = path;
            if (!is_watched(where)) add(target, where);
        }
    }
    for (const std::unique_ptr<watched_vm>& vm : vms_) {
        if (!vm->from_pattern || vm->pipeline.monitor() != sample::monitor_state::absent) continue;
        if (client::matching_sockets(vm->watcher.where().path).empty()) vm->watcher.request_stop();
    }
}

bool watched_vms::is_watched(const client::address& where) const {
    return std::any_of(vms_.begin(), vms_.end(), [&](const auto& vm) { return vm->watcher.where() == where; });
}

std::string watched_vms::unique_name(const watched_vm* of, const client::address& where,
                                     const std::string& wanted) const {
    const bool is_taken = std::any_of(vms_.begin(), vms_.end(),
                                      [&](const auto& vm) { return vm.get() != of && vm->pipeline.name() == wanted; });
    return is_taken ? fmt::format("{}@{}", wanted, where.text()) : wanted;
}

void watched_vms::add(const client::target& from, const client::address& where) {
    client::target one = from;
    one.where = where;
    if (from.is_pattern) one.name.clear();  // one name cannot be that of many
    client::watch_settings settings;
    settings.poll = options_.poll;
    settings.process = std::min<base::nanoseconds>(settings.process, options_.interval / 2);
    const std::string name =
        unique_name(nullptr, where, one.name.empty() ? client::name_from_address(where) : one.name);
    auto vm = std::make_unique<watched_vm>(
        context_.get_executor(), one, settings, pipeline::window_settings{options_.interval, options_.poll}, name,
        sink_, after_sample_, tap_, [this](const watched_vm& of, const std::string& wanted) {
            return unique_name(&of, of.watcher.where(), wanted);
        });
    watched_vm& added = *vm;
    vms_.push_back(std::move(vm));
    asio::co_spawn(context_, added.watcher.run(), [&added](std::exception_ptr failure) {
        added.is_over = true;
        if (failure) std::rethrow_exception(failure);
    });
}

std::shared_ptr<const pipeline::snapshot> watched_vms::snapshot(base::instant now) {
    auto state = std::make_shared<pipeline::snapshot>();
    state->at = now;
    state->interval = options_.interval;
    state->former_polls = former_polls_;
    state->vms.reserve(vms_.size());
    for (const std::unique_ptr<watched_vm>& vm : vms_) state->vms.push_back(vm->pipeline.snapshot(now.steady));
    std::sort(state->vms.begin(), state->vms.end(),
              [](const auto& a, const auto& b) { return a->identity.vm < b->identity.vm; });
    return state;
}

}  // namespace qmpwatch::app
