#include "report/some_run.hpp"

#include "run/phases.hpp"
#include "sample/rate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qmpwatch::report_test {

namespace {

using base::seconds;
using sample::operation;

base::nanoseconds at(double when) { return base::nanoseconds(std::llround(when * 1e9)); }

/// A time in which a drive moves data evenly.
struct burst {
    double begin = 0, end = 0;
    double read_rate = 0, write_rate = 0;  ///< bytes per second
};

/// A drive and all that it does.
struct actor {
    run::drive_digest digest;
    std::vector<burst> bursts;
    double request = 65536;     ///< bytes of an operation
    double latency = 0.000'4;   ///< seconds of an operation
    std::uint64_t read_before = 0;  ///< bytes, by the firmware before the recording

    sample::drive_counters counters_at(double now) const {
        double read = 0, written = 0;
        std::optional<double> last;
        for (const burst& each : bursts) {
            const double span = std::clamp(now, each.begin, each.end) - each.begin;
            read += span * each.read_rate;
            written += span * each.write_rate;
            if (span > 0) last = std::min(now, each.end);
        }
        sample::drive_counters counters;
        fill(counters[operation::read], read + static_cast<double>(read_before));
        fill(counters[operation::write], written);
        counters[operation::flush].completed = counters[operation::write].completed / 200;
        counters[operation::flush].time_ns = counters[operation::flush].completed * 3'000'000;
        if (written > 0) counters.highest_write_offset_bytes = 40'000'000'000;
        if (last) counters.idle = at(now - *last);
        return counters;
    }

private:
    void fill(sample::operation_counters& counters, double bytes) const {
        counters.bytes = static_cast<std::uint64_t>(std::llround(bytes / 512)) * 512;
        counters.completed = static_cast<std::uint64_t>(std::llround(bytes / request));
        counters.time_ns =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(counters.completed) * latency * 1e9));
    }
};

actor make_actor(std::string name, std::string device, std::string bus, std::string file, std::string format,
                 std::uint64_t size) {
    actor made;
    made.digest.drive = name;
    sample::drive_info& info = made.digest.info;
    info.identity = {name, "/machine/peripheral/" + name, "#block101"};
    info.attachment = {std::move(device), std::move(bus)};
    info.media.file = std::move(file);
    info.media.format = std::move(format);
    info.media.inserted = true;
    info.media.size_bytes = size;
    info.media.cache = sample::cache_mode{};
    return made;
}

actor make_medium(std::string device, std::string bus) {
    actor medium =
        make_actor("install_media", std::move(device), std::move(bus), "/images/win11-arm64.iso", "raw", 7'736'125'440);
    medium.read_before = 1'048'576;
    return medium;
}

actor make_system() {
    actor system = make_actor("system", "nvme", "pci", "/images/system.qcow2", "qcow2", 68'719'476'736);
    system.request = 131'072;
    system.latency = 0.001'1;
    return system;
}

actor make_flash() {
    actor flash = make_actor("pflash0", "pflash", "", "/firmware/edk2-aarch64-code.fd", "raw", 67'108'864);
    flash.digest.info.media.read_only = true;
    flash.request = 4096;
    return flash;
}

run::mark mark_at(double when, run::mark::kind what, std::string text, std::string detail = {}) {
    return {what, at(when), std::move(text), std::move(detail)};
}

run::stall_digest stall_at(double start, double length, std::string drive, stall::cause cause, stall::level level) {
    run::stall_digest one;
    one.drive = std::move(drive);
    one.cause = cause;
    one.level = level;
    one.start = at(start);
    one.length = at(length);
    one.length_min = at(length - 0.02);
    one.length_max = at(length + 0.03);
    return one;
}

/// What both runs have in common.
run::digest begin_run() {
    run::digest all;
    run::header& about = all.info.about;
    about.qmpwatch = "0.1.0";
    about.host = {"Darwin 26.1.0", "Apple M5 Max", 18};
    about.git_commit = "4f2c9d1e0a7b5c3d8e6f1029384756abcdef0123";
    all.vm.vm = "winarm";
    all.vm.name = "winarm";
    all.vm.uuid = "5e1e7e2c-6f0c-4d0c-9d7e-0d3c5b9a1f42";
    all.vm.socket = "qemu-monitor.sock";
    all.vm.protocol = "qmp";
    all.vm.version = "11.1.0";
    all.vm.machine = "virt-11.1";
    all.vm.accelerator = "hvf";
    all.vm.arch = "aarch64";
    all.vm.cpus = 6;
    all.vm.memory_bytes = std::uint64_t(8) << 30;
    all.vm.pid = 4711;
    return all;
}

/// Samples the drives once a second until `length`, and sums up what they did in intervals.
void play(run::digest& all, std::vector<actor> drives, base::wall_time start, int length, double cpu) {
    all.info.about.start = {base::steady_time(seconds(1000)), start};
    all.first_sample = {base::steady_time(seconds(1000) + base::milliseconds(40)), start + base::milliseconds(40)};
    all.last_sample = {all.first_sample.steady + seconds(length), all.first_sample.wall + seconds(length)};
    all.samples = static_cast<std::uint64_t>(length) + 1;
    std::vector<sample::drive_counters> before(drives.size());
    for (int now = 0; now <= length; ++now) {
        for (std::size_t i = 0; i < drives.size(); ++i) {
            run::drive_digest& drive = drives[i].digest;
            drive.counters = drives[i].counters_at(now);
            drive.moved.add(seconds(now), drive.counters);
            if (now > 0 && now % 15 == 0) {
                pipeline::rate_notice rate{drive.drive, drive.info.attachment, drive.counters,
                                           sample::rate_between(before[i], drive.counters, seconds(15))};
                all.intervals.push_back({seconds(now), all.first_sample.wall + seconds(now), std::move(rate)});
            }
            if (now % 15 == 0) before[i] = drive.counters;
        }
        if (now % 5 == 0) all.cpu.push_back({seconds(now), 3 + now * cpu});
    }
    for (actor& each : drives) all.drives.push_back(std::move(each.digest));
}

/// 2026-11-30T20:00:00Z, which is 20787 days and 20 hours after the epoch.
base::wall_time day() { return base::wall_time(std::chrono::hours(20787 * 24 + 20)); }

}  // namespace

run::digest some_run() {
    run::digest all = begin_run();
    all.info.path = "runs/nvme.jsonl.gz";
    all.info.about.id = "9c41d0b7e35a2f68";
    all.info.about.labels = {{"medium", "nvme"}, {"build", "26200.1"}};
    all.info.about.ci_job = "https://ci.example.org/jobs/2241";

    actor medium = make_medium("nvme", "pci"), system = make_system();
    medium.digest.info.identity.node_name = "#block190";
    medium.bursts.push_back({4, 6, 12e6, 0});
    system.bursts.push_back({96, 100, 1e6, 4e6});
    double when = 100;
    for (const double megabytes : {54.3, 84.7, 62.6, 66.6, 80.6, 79.8, 92.2}) {
        medium.bursts.push_back({when, when + 15, megabytes * 1e6, 0});
        system.bursts.push_back({when, when + 15, 0.4e6, megabytes * 1.08e6});
        when += 15;
    }
    system.bursts.push_back({207.5, 226, 3e6, 22e6});
    play(all, {make_flash(), std::move(medium), std::move(system)}, day() + std::chrono::minutes(75), 240, 0.62);

    all.stalls.push_back(stall_at(205, 2.5, "system", stall::cause::slow_backend, stall::level::probable));
    all.marks = {mark_at(0, run::mark::kind::monitor, "ready"),
                 mark_at(0, run::mark::kind::run_state, "running"),
                 mark_at(98.2, run::mark::kind::marker, "setup starts"),
                 mark_at(231.4, run::mark::kind::event, "RESET", R"({"guest": true, "reason": "guest-reset"})"),
                 mark_at(239.1, run::mark::kind::event, "SHUTDOWN", R"({"guest": true, "reason": "guest-shutdown"})"),
                 mark_at(239.2, run::mark::kind::run_state, "shutdown")};
    all.info.ended = run::end{run::end_reason::guest_shutdown, std::nullopt, all.last_sample};
    stall::finding aio;
    aio.id = "cache_mode";
    aio.drive = "system";
    aio.title = "every flush goes to the disk";
    aio.known = {"The drive is cached with cache=writeback."};
    aio.remedies = {{"For a VM that can be installed again, let QEMU ignore flushes.", "cache=unsafe"}};
    all.findings.push_back(std::move(aio));
    return all;
}

run::digest some_slow_run() {
    run::digest all = begin_run();
    all.info.path = "runs/usb.jsonl";
    all.info.about.id = "07d2a86f4be91c35";
    all.info.about.labels = {{"medium", "usb-storage"}, {"build", "26200.1"}};
    all.info.notes = {"line 217 is no line of a run file and was left out"};

    actor medium = make_medium("usb-storage", "qemu-xhci"), system = make_system();
    medium.digest.info.media.read_only = true;
    medium.digest.info.media.content =
        "sampled-sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    medium.bursts.push_back({4, 7, 8e6, 0});
    double when = 104;
    constexpr std::array lengths{1.3, 0.7, 1.9, 0.9, 1.2};  // of bursts
    constexpr std::array waits{10.02, 10.05, 10.01, 10.11};
    for (std::size_t i = 0; i < 20; ++i) {
        const double end = when + lengths[i % lengths.size()];
        medium.bursts.push_back({when, end, 38e6, 0});
        system.bursts.push_back({when, end + 0.4, 0.2e6, 31e6});
        if (i == 11) {
            all.stalls.push_back(stall_at(end, 30, "install_media", stall::cause::vm_paused, stall::level::probable));
            all.marks.push_back(mark_at(end, run::mark::kind::event, "STOP"));
            all.marks.push_back(mark_at(end, run::mark::kind::run_state, "paused"));
            all.marks.push_back(mark_at(end + 30, run::mark::kind::event, "RESUME"));
            all.marks.push_back(mark_at(end + 30, run::mark::kind::run_state, "running"));
            medium.bursts.push_back({end + 30, end + 31, 38e6, 0});
            when = end + 31;
        } else {
            when = end;
        }
        run::stall_digest lost = stall_at(when, waits[i % waits.size()], "install_media", stall::cause::lost_completion,
                                          i < 2   ? stall::level::suspected
                                          : i < 4 ? stall::level::probable
                                                  : stall::level::confirmed);
        lost.pattern = "Windows' 10 s CD time-out on usb-storage";
        when += base::in_seconds(lost.length);
        all.stalls.push_back(std::move(lost));
    }
    medium.bursts.push_back({when, when + 1.5, 38e6, 0});
    system.bursts.push_back({when, when + 2, 0.2e6, 31e6});
    play(all, {make_flash(), std::move(medium), std::move(system)}, day(), 405, 0.29);

    all.marks.insert(all.marks.begin(),
                     {mark_at(0, run::mark::kind::monitor, "ready"), mark_at(0, run::mark::kind::run_state, "running"),
                      mark_at(102.7, run::mark::kind::marker, "setup starts | <b>disk 0</b>")});
    all.info.ended = run::end{run::end_reason::time_limit, std::nullopt, all.last_sample};

    stall::finding lost;
    lost.id = "usb_storage_lost_completion";
    lost.severity = stall::severity::problem;
    lost.certainty = stall::certainty::known;
    lost.drive = "install_media";
    lost.title = "usb-storage loses the status of finished reads";
    lost.known = {"The drive stood still for 10 s again and again while the host had nothing to do.",
                  "The VM is of machine virt-11.1 on hvf, whose interrupt controller is in the kernel."};
    lost.remedies = {
        {"Let QEMU make the interrupts itself: the loss becomes much rarer.", "-machine kernel-irqchip=off"},
        {"Install from an NVMe drive.", "-device nvme,serial=install,drive=install_media"}};
    lost.proof = "qmpwatch doctor --socket qemu-monitor.sock --prove";
    all.findings.push_back(std::move(lost));
    return all;
}

run::digest some_imported_run() {
    run::digest all;
    all.info.path = "blockstats.log";
    all.info.is_imported = true;
    all.info.about.has_wall_clock = false;
    all.info.about.poll = all.windows.poll = seconds(15);
    all.info.ended = run::end{run::end_reason::imported, std::nullopt, {}};
    all.vm.vm = "blockstats";
    run::drive_digest drive;
    drive.drive = "ide0-hd0";
    drive.info.identity.device = drive.drive;
    drive.counters.detailed = false;
    for (int now = 0; now <= 45; now += 15) {
        sample::drive_counters next = drive.counters;
        next[operation::read].bytes += 4096;
        next[operation::read].completed += 1;
        next[operation::read].time_ns += 900'000;
        drive.moved.add(seconds(now), next);
        if (now > 0) {
            all.intervals.push_back(
                {seconds(now), {}, {drive.drive, {}, next, sample::rate_between(drive.counters, next, seconds(15))}});
        }
        drive.counters = next;
    }
    all.samples = 4;
    all.last_sample = {base::steady_time(seconds(45)), {}};
    all.drives.push_back(std::move(drive));
    return all;
}

run::summary summary_of(const run::digest& of) {
    return run::summarize(of, run::find_all_phases(of).value(), seconds(15));
}

}  // namespace qmpwatch::report_test
