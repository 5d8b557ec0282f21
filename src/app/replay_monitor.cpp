// Each drive plays the part of the run in which it was there; everything else is a list of steps on a timer.
#include "app/replay_monitor.hpp"

#include "base/asio.hpp"
#include "run/source.hpp"
#include "sample/vm_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace qmpwatch::app {
namespace {

using base::nanoseconds;
using sample::operation;

sim::counters counters_of(const sample::drive_counters& from) {
    const auto& [read, write, flush, discard] = from.by_operation;
    sim::counters to;
    to.read_bytes = read.bytes;
    to.write_bytes = write.bytes;
    to.unmap_bytes = discard.bytes;
    to.reads = read.completed;
    to.writes = write.completed;
    to.flushes = flush.completed;
    to.unmaps = discard.completed;
    to.read_ns = read.time_ns;
    to.write_ns = write.time_ns;
    to.flush_ns = flush.time_ns;
    to.unmap_ns = discard.time_ns;
    to.reads_merged = read.merged;
    to.writes_merged = write.merged;
    to.unmaps_merged = discard.merged;
    to.failed_reads = read.failed;
    to.failed_writes = write.failed;
    to.failed_flushes = flush.failed;
    to.failed_unmaps = discard.failed;
    to.invalid_reads = read.invalid;
    to.invalid_writes = write.invalid;
    to.invalid_flushes = flush.invalid;
    to.invalid_unmaps = discard.invalid;
    to.highest_write_offset = from.highest_write_offset_bytes.value_or(0);
    if (from.idle) to.idle_ns = static_cast<std::uint64_t>(std::max(from.idle->count(), nanoseconds::rep(0)));
    return to;
}

/// The name by which a simulated drive is addressed.
const std::string& address_of(const sample::drive_identity& drive) {
    return drive.device.empty() ? drive.qdev : drive.device;
}

/// The same drive, whatever its medium.
bool is_same(const sample::drive_identity& left, const sample::drive_identity& right) {
    if (left.device != right.device || left.qdev != right.qdev) return false;
    return !address_of(left).empty() || left.node_name == right.node_name;
}

const sample::drive_info* find(const sample::inventory& drives, const sample::drive_identity& wanted) {
    const auto found = std::find_if(drives.begin(), drives.end(),
                                    [&](const sample::drive_info& one) { return is_same(one.identity, wanted); });
    return found == drives.end() ? nullptr : &*found;
}

/// What QOM must say so that a client concludes that attachment.
void attach(sim::drive_spec& drive, const sample::attachment& how) {
    const std::string_view path = drive.qdev;
    const bool is_nested = std::count(path.begin(), path.end(), '/') >= 4;
    if (how.device == "usb-storage" && is_nested) {
        drive.kind = sim::guest_device::usb_storage;
        drive.controller = how.bus;
        return;
    }
    if (how.device == "virtio-blk" && path.ends_with("/virtio-backend") && how.bus == "pci") {
        drive.kind = sim::guest_device::virtio_blk;
        return;
    }
    if (how.device == "nvme" && how.bus == "pci") {
        drive.kind = sim::guest_device::nvme;
        return;
    }
    drive.kind = sim::guest_device::other;
    drive.type = how.device.empty() ? "device" : how.device;
    if (how.device == "pflash") drive.type = "cfi.pflash01";
    drive.controller = how.bus;
    if (how.bus == "pci") drive.controller = "q35-pcihost";
    if (how.bus == "virtio-scsi") drive.controller = "virtio-scsi-device";
}

sim::drive_spec spec_of(const sample::drive_identity& identity, const sample::drive_info* known) {
    sim::drive_spec drive;
    drive.device = identity.device;
    drive.qdev = identity.qdev;
    drive.node_name = identity.node_name;
    attach(drive, known == nullptr ? sample::attachment{} : known->attachment);
    drive.removable = false;
    drive.inserted = !identity.node_name.empty();
    if (known == nullptr) return drive;
    const sample::drive_media& media = known->media;
    drive.removable = media.removable;
    drive.inserted = media.inserted;
    drive.read_only = media.read_only;
    drive.file = media.file;
    drive.format = media.format;
    drive.size_bytes = media.size_bytes.value_or(0);
    if (media.cache) {
        drive.cache_direct = media.cache->direct;
        drive.cache_no_flush = media.cache->no_flush;
        drive.cache_writeback = media.cache->writeback;
    }
    return drive;
}

void identify(sim::scenario& vm, const sample::vm_identity& who) {
    if (const auto version = sample::parse_version(who.version)) {
        vm.version.major = version->major;
        vm.version.minor = version->minor;
        vm.version.micro = version->micro;
    }
    vm.version.package = who.package;
    vm.vm_name = who.name.empty() ? who.vm : who.name;
    if (!who.uuid.empty()) vm.uuid = who.uuid;
    if (!who.arch.empty()) vm.arch = who.arch;
    vm.cpus = who.cpus;
    vm.memory_bytes = who.memory_bytes;
    vm.accelerator = who.accelerator;
    // The type of the interrupt controller would give away an accelerator that nobody knows.
    vm.kernel_irqchip = !who.accelerator.empty();
    if (!who.machine.empty()) vm.machine = who.machine + "-machine";
}

class converter {
public:
    explicit converter(double speed) : speed_(speed) {}

    base::result<replayed_vm> convert(const run::header& about, const std::vector<run::happening>& story,
                                      const std::optional<run::end>& ended);

private:
    /// A drive from its coming to its going.
    struct presence {
        sample::drive_identity identity;
        base::steady_time begin;
        std::shared_ptr<sim::recording> series;
        bool is_there = true;
        std::string file;
    };

    nanoseconds since_start(base::steady_time at) const {
        return scaled(std::max(nanoseconds(at - start_), nanoseconds(0)));
    }
    nanoseconds scaled(nanoseconds span) const {
        return nanoseconds(std::llround(std::min(static_cast<double>(span.count()) / speed_, 9e18)));
    }
    template <class Function>
    void add_step(base::steady_time at, Function what) {
        vm_.steps.push_back({since_start(at), std::move(what)});
    }

    void take(const sample::sample& counters);
    void take(const sample::inventory& drives);
    void take(const sample::run_state_change& change);
    void take(const sample::qmp_event& event);
    void take(const sample::monitor_change& change);
    void take(const sample::vm_identity& who) {
        identify(vm_.at_start, who);
        has_events_ = who.protocol != "hmp";
    }
    void take(const sample::poll_result&) {}
    void take(const run::marker&) {}

    const double speed_;
    replayed_vm vm_;
    base::steady_time start_, last_;
    bool has_started_ = false;
    bool has_events_ = true;
    bool is_ended_by_guest_ = false;
    std::string run_state_;
    sample::monitor_state monitor_ = sample::monitor_state::ready;
    sample::inventory known_;
    std::vector<presence> drives_;
};

void converter::take(const sample::sample& counters) {
    const base::steady_time at = counters.at.steady;
    last_ = at;
    for (presence& one : drives_) {
        const bool is_there =
            std::any_of(counters.drives.begin(), counters.drives.end(),
                        [&](const sample::drive_sample& seen) { return is_same(seen.identity, one.identity); });
        if (one.is_there && !is_there) {
            one.is_there = false;
            add_step(at, [name = address_of(one.identity)](sim::simulated_monitor& vm) { vm.remove_drive(name); });
        }
    }
    for (const sample::drive_sample& seen : counters.drives) {
        const auto there = std::find_if(drives_.begin(), drives_.end(), [&](const presence& one) {
            return one.is_there && is_same(seen.identity, one.identity);
        });
        sim::recorded_drive line{seen.identity.device, seen.identity.qdev, seen.identity.node_name,
                                 counters_of(seen.counters)};
        if (there != drives_.end()) {
            there->series->lines.push_back({at - there->begin, {std::move(line)}});
            continue;
        }
        const sample::drive_info* known = find(known_, seen.identity);
        auto series = std::make_shared<sim::recording>();
        series->lines.push_back({nanoseconds(0), {std::move(line)}});
        sim::drive_spec drive = spec_of(seen.identity, known);
        drive.load = sim::recorded_load(series, 0, speed_, false);
        drives_.push_back({seen.identity, at, std::move(series), true, known == nullptr ? "" : known->media.file});
        if (!has_started_) {
            vm_.at_start.drives.push_back(std::move(drive));
        } else {
            add_step(at, [drive](sim::simulated_monitor& vm) { vm.add_drive(drive); });
        }
    }
    has_started_ = true;
}

void converter::take(const sample::inventory& drives) {
    known_ = drives;
    for (presence& one : drives_) {
        const sample::drive_info* known = one.is_there ? find(drives, one.identity) : nullptr;
        if (known == nullptr) continue;
        const std::string file = known->media.inserted ? known->media.file : std::string();
        if (file == std::exchange(one.file, file)) continue;
        add_step(last_,
                 [name = address_of(one.identity), file](sim::simulated_monitor& vm) { vm.change_medium(name, file); });
    }
}

void converter::take(const sample::run_state_change& change) {
    if (change.state == std::exchange(run_state_, change.state)) return;
    if (!has_started_) {
        vm_.at_start.status = change.state;
        return;
    }
    // Where the run has no events, those that QEMU would have sent.
    add_step(change.at.steady, [state = change.state, with_events = !has_events_](sim::simulated_monitor& vm) {
        vm.set_status(state, with_events);
    });
}

void converter::take(const sample::qmp_event& event) {
    if (is_ended_by_guest_ && event.name == "SHUTDOWN") return;  // it comes with the end
    std::string data = event.data.starts_with('{') ? event.data : std::string();
    add_step(event.at.steady,
             [name = event.name, data = std::move(data)](sim::simulated_monitor& vm) { vm.emit_event(name, data); });
}

void converter::take(const sample::monitor_change& change) {
    const auto is_held = [](sample::monitor_state state) {
        return state == sample::monitor_state::blocked || state == sample::monitor_state::stopped;
    };
    const sample::monitor_state before = std::exchange(monitor_, change.state);
    if (!has_started_ || before == change.state) return;
    if (is_held(before) != is_held(change.state)) {
        add_step(change.at.steady, [blocked = is_held(change.state)](sim::simulated_monitor& vm) {
            sim::misbehaviour fault;
            fault.main_loop_blocked = blocked;
            vm.set_misbehaviour(fault);
        });
    }
    if (change.state == sample::monitor_state::absent) {
        add_step(change.at.steady, [](sim::simulated_monitor& vm) { vm.drop_client(); });
    }
}

base::result<replayed_vm> converter::convert(const run::header& about, const std::vector<run::happening>& story,
                                             const std::optional<run::end>& ended) {
    const auto first = std::find_if(story.begin(), story.end(), [](const run::happening& one) {
        return std::holds_alternative<sample::sample>(one);
    });
    if (first == story.end()) return base::fail(base::errc::data, "the run holds no sample: there is nothing to serve");
    start_ = last_ = std::get<sample::sample>(*first).at.steady;
    is_ended_by_guest_ = ended && ended->reason == run::end_reason::guest_shutdown;
    vm_.at_start.version.package.clear();
    vm_.at_start.status = "running";
    vm_.is_shut_down = is_ended_by_guest_;
    base::steady_time end = start_;
    for (const run::happening& one : story) {
        std::visit([this](const auto& what) { take(what); }, one);
        if (const auto at = run::time_of(one)) end = std::max(end, at->steady);
    }
    // The last counters are to be seen too.
    end = std::max(end, last_ + about.poll);
    if (ended && ended->reason != run::end_reason::imported) end = std::max(end, ended->at.steady);
    vm_.length = since_start(end);
    std::stable_sort(vm_.steps.begin(), vm_.steps.end(),
                     [](const replayed_vm::step& left, const replayed_vm::step& right) { return left.at < right.at; });
    return std::move(vm_);
}

/// Serves one VM after the other until told to stop, or the first one alone.
class server {
public:
    server(asio::io_context& loop, const replayed_vm& vm, std::string path, bool is_looping)
        : loop_(loop), timer_(loop), vm_(vm), path_(std::move(path)), is_looping_(is_looping) {}

    base::result<void> start() {
        index_ = 0;
        start_ = std::chrono::steady_clock::now();
        monitor_.emplace(loop_.get_executor(), vm_.at_start, start_);
        const auto listening = monitor_->listen(path_);
        if (listening) wait();
        return listening;
    }

    void end(std::string_view reason, bool by_guest) {
        timer_.cancel();
        if (reason.empty()) {
            monitor_->stop();
        } else {
            monitor_->shut_down(reason, by_guest);
        }
        // Nothing is left to do once the last bytes are out; a client that does not read them must not hold us.
        timer_.expires_after(std::chrono::milliseconds(200));
        timer_.async_wait([this](error_code stopped) {
            if (!stopped) loop_.stop();
        });
    }

    const std::optional<base::error>& failure() const { return failure_; }

private:
    void wait() {
        const bool is_over = index_ == vm_.steps.size();
        timer_.expires_at(start_ + (is_over ? vm_.length : vm_.steps[index_].at));
        timer_.async_wait([this, is_over](error_code stopped) {
            if (stopped) return;
            if (is_over) return finish();
            vm_.steps[index_++].what(*monitor_);
            wait();
        });
    }

    void finish() {
        if (!is_looping_) return end(vm_.is_shut_down ? "guest-shutdown" : "", true);
        if (vm_.is_shut_down) monitor_->shut_down("guest-shutdown", true);
        monitor_.reset();
        if (const auto started = start(); !started) {
            failure_ = started.error();
            loop_.stop();
        }
    }

    asio::io_context& loop_;
    asio::steady_timer timer_;
    const replayed_vm& vm_;
    const std::string path_;
    const bool is_looping_;
    base::steady_time start_{};
    std::size_t index_ = 0;
    std::optional<sim::simulated_monitor> monitor_;
    std::optional<base::error> failure_;
};

base::result<void> serve(const std::string& run_path, const std::string& socket_path, double speed, bool is_looping) {
    if (!(speed > 0 && speed <= 1e6)) {
        return base::fail(base::errc::usage, "the speed must be above 0 and at most 1000000");
    }
    run::header about;
    std::vector<run::happening> story;
    const auto info = run::read_run(
        run_path, [&](const run::header& read) { about = read; },
        [&](const run::happening& one) { story.push_back(one); });
    if (!info) return info.error();
    for (const std::string& note : info->notes) fmt::print(stderr, "qmpwatch: {}: {}\n", run_path, note);
    const auto vm = replayed(about, story, info->ended, speed);
    if (!vm) return base::fail(vm.error().code, fmt::format("{}: {}", run_path, vm.error().message));

    asio::io_context loop(1);
    server serving(loop, *vm, socket_path, is_looping);
    if (const auto started = serving.start(); !started) return started.error();
    fmt::print("serving {}: qmpwatch --socket {}\n", run_path, socket_path);
    std::fflush(stdout);
    asio::signal_set signals(loop, SIGINT, SIGTERM);
    signals.async_wait([&serving](error_code stopped, int) {
        if (!stopped) serving.end("host-signal", false);
    });
    loop.run();
    if (serving.failure()) return *serving.failure();
    return {};
}

}  // namespace

base::result<replayed_vm> replayed(const run::header& about, const std::vector<run::happening>& story,
                                   const std::optional<run::end>& ended, double speed) {
    return converter(speed).convert(about, story, ended);
}

int serve_as_monitor(const std::string& run_path, const std::string& socket_path, double speed, bool loop) {
    const auto served = serve(run_path, socket_path, speed, loop);
    if (served) return 0;
    fmt::print(stderr, "qmpwatch: {}\n", served.error().message);
    return served.error().code == base::errc::usage ? 2 : 1;
}

}  // namespace qmpwatch::app
