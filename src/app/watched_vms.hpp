// The VMs that are being watched: a poll loop and a pipeline each, under names that are told apart.
#pragma once

#include "base/asio.hpp"
#include "client/address.hpp"
#include "client/vm_watcher.hpp"
#include "pipeline/notice.hpp"
#include "pipeline/snapshot.hpp"
#include "pipeline/vm_pipeline.hpp"
#include "run/run.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace qmpwatch::app {

/// Which VMs, and how.
struct watch_targets {
    std::vector<client::target> targets;
    base::nanoseconds interval = base::seconds(15);
    base::nanoseconds poll = base::seconds(1);
};

/// One VM: hears what its poll loop tells and hands it to its pipeline.
class watched_vm final : public client::observer {
public:
    using notice_sink = std::function<void(watched_vm&, const pipeline::notice&)>;
    using sample_sink = std::function<void()>;
    using happening_sink = std::function<void(const watched_vm&, const run::happening&)>;

    watched_vm(asio::any_io_executor executor, const client::target& from, client::watch_settings settings,
               pipeline::window_settings windows, std::string name, notice_sink sink, sample_sink after_sample,
               happening_sink tap, std::function<std::string(const watched_vm&, const std::string&)> unique_name);

    void monitor_changed(const sample::monitor_change& change) override;
    void identified(const sample::vm_identity& identity) override;
    void run_state_changed(const sample::run_state_change& change) override;
    void inventory_changed(const sample::inventory& drives) override;
    void sampled(const sample::sample& counters) override;
    void event_heard(const sample::qmp_event& event) override;
    void poll_ended(const sample::poll_result& result) override;
    base::nanoseconds wanted_poll(base::nanoseconds normal) const override { return pipeline.wanted_poll(normal); }

    client::vm_watcher watcher;
    pipeline::vm_pipeline pipeline;
    std::optional<base::errc> problem;  ///< why it cannot be watched, if it cannot
    std::string detail;                 ///< the same in a sentence
    bool was_ready = false;             ///< ever
    bool from_pattern = false;
    bool is_over = false;               ///< its poll loop has ended

private:
    void pass_on();
    template <class What>
    void note(const What& what);

    client::target from_;
    notice_sink sink_;
    sample_sink after_sample_;
    happening_sink tap_;
    std::function<std::string(const watched_vm&, const std::string&)> unique_name_;
    std::vector<pipeline::notice> said_;
};

class watched_vms {
public:
    /// `sink` gets what there is to say; `after_sample` is called when a sample of any VM has been taken in; `tap`,
    /// when there is one, gets everything that happens before anything is said of it.
    watched_vms(
        asio::io_context& context, const watch_targets& options, watched_vm::notice_sink sink,
        watched_vm::sample_sink after_sample = [] {}, watched_vm::happening_sink tap = {});

    /// Begins to watch what the targets name. Patterns are looked at again by every call: new sockets are added, VMs
    /// of a pattern whose socket is gone are dropped.
    void look_for_vms();

    const std::vector<std::unique_ptr<watched_vm>>& all() const { return vms_; }

    /// The state of all of them now, in the order of their names.
    std::shared_ptr<const pipeline::snapshot> snapshot(base::instant now);

private:
    void add(const client::target& from, const client::address& where);
    bool is_watched(const client::address& where) const;
    std::string unique_name(const watched_vm* of, const client::address& where, const std::string& wanted) const;

    asio::io_context& context_;
    const watch_targets& options_;
    watched_vm::notice_sink sink_;
    watched_vm::sample_sink after_sample_;
    watched_vm::happening_sink tap_;
    std::vector<std::unique_ptr<watched_vm>> vms_;
    pipeline::poll_statistics former_polls_;
};

}  // namespace qmpwatch::app
