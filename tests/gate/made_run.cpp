#include "gate/made_run.hpp"

#include "base/sha256.hpp"
#include "run/digest.hpp"
#include "run/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace qmpwatch::gate_test {

namespace {

using namespace std::chrono_literals;

constexpr double stall_seconds = 10;

base::nanoseconds of_seconds(double seconds) { return base::nanoseconds(std::llround(seconds * 1e9)); }

/// How long the medium was really read by then, and when its last operation before that ended.
struct position {
    double read_for = 0, last = 0;
};
position position_at(double now, const made_run& what) {
    position made;
    made.read_for = now;
    made.last = now;
    for (const double begin : what.stalls_at) {
        if (now <= begin) continue;
        made.read_for -= std::min(now - begin, stall_seconds);
        if (now < begin + stall_seconds) made.last = begin;
    }
    if (now > what.seconds) made.last = what.seconds;
    return made;
}

}  // namespace

std::string write_run(const std::filesystem::path& path, const made_run& what) {
    run::header about;
    const base::wall_time day(std::chrono::sys_days(std::chrono::year(2026) / 11 / 1).time_since_epoch());
    about.start = {base::steady_time(1h), day + std::chrono::minutes(what.start_minute)};
    about.id = base::sha256_hex(path.string()).substr(0, 16);
    about.qmpwatch = "0.1.0";
    about.poll = what.poll;
    about.host = {"Linux 6.1", "Some CPU", 2};
    if (!what.guest.empty()) about.labels.emplace_back("guest", what.guest);
    auto file = run::recorder::create(path.string(), true, about).value();
    const auto hear = [&](const run::happening& one) { file.hear(one).value(); };
    const auto moment = [&](double seconds) {
        return base::instant{about.start.steady + of_seconds(seconds), about.start.wall + of_seconds(seconds)};
    };

    sample::vm_identity vm;
    vm.vm = vm.name = "installer";
    vm.protocol = "qmp";
    vm.version = what.version;
    vm.machine = "pc-q35-7.2";
    vm.accelerator = what.accelerator;
    vm.cpus = what.vcpus;
    vm.memory_bytes = 2147483648;
    hear(vm);
    hear(sample::monitor_change{sample::monitor_state::ready, "", moment(0), std::nullopt});
    hear(sample::run_state_change{"running", moment(0)});
    sample::drive_info medium;
    medium.identity.device = "install_media";
    medium.attachment = {what.bus, what.bus == "usb-storage" ? "qemu-xhci" : "pci"};
    medium.media = {.file = "install.iso", .format = "raw", .inserted = true, .read_only = true};
    medium.media.size_bytes = what.bytes;
    medium.media.cache = sample::cache_mode{};
    medium.media.content = what.content;
    hear(sample::inventory{medium});

    // A stall makes the copy longer; what is read is the same.
    const double pure = what.seconds - stall_seconds * static_cast<double>(what.stalls_at.size());
    const double until = what.cut_after.value_or(what.seconds + 2);
    constexpr std::uint64_t operation_bytes = 65536;
    for (double now = 0; now < until + 1e-9; now += base::in_seconds(what.poll)) {
        sample::sample one;
        one.at = moment(now);
        one.rtt = 300us;
        const position at = position_at(std::min(now, what.seconds), what);
        const double share = std::clamp(at.read_for / pure, 0.0, 1.0);
        sample::drive_sample drive;
        drive.identity = medium.identity;
        sample::operation_counters& read = drive.counters[sample::operation::read];
        read.bytes =
            now >= what.seconds ? what.bytes : static_cast<std::uint64_t>(share * static_cast<double>(what.bytes));
        read.completed = read.bytes / operation_bytes;
        read.time_ns = read.completed * 500000;
        if (read.completed > 0) drive.counters.idle = of_seconds(now - position_at(now, what).last);
        one.drives.push_back(drive);
        hear(one);
        hear(sample::poll_result{sample::poll_outcome::succeeded, 300us, 0ns});
    }
    run::end how;
    how.at = moment(until);
    if (what.cut_after) {
        how.reason = run::end_reason::time_limit;
    } else if (what.ended_by) {
        how.reason = *what.ended_by;
    } else {
        return path.string();
    }
    file.finish(how).value();
    return path.string();
}

gate::input read_made(const std::filesystem::path& path, const made_run& what) {
    write_run(path, what);
    gate::input made{run::read_digest(path.string()).value(), base::sha256_of_file(path.string()).value()};
    return made;
}

}  // namespace qmpwatch::gate_test
