// Invented VMs that tests of the outputs share.
#pragma once

#include "pipeline/notice.hpp"
#include "pipeline/snapshot.hpp"

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>

namespace qmpwatch::support {

/// 2026-11-30T21:29:13.042Z, a thousand seconds after the steady clock's start.
inline base::instant some_instant() {
    using namespace std::chrono;
    const sys_days day = year{2026} / November / 30;
    return {base::steady_time(seconds(1000)), base::wall_time(day + hours(21) + minutes(29) + milliseconds(13'042))};
}

/// Reads at 4.1 MB/s and 62.6 operations a second, over 15 s.
inline sample::drive_rate reading_rate() {
    sample::drive_rate rate;
    rate.window = base::seconds(15);
    rate.read = {4.1e6, 62.6, 65536, 85e-6};
    rate.all = rate.read;
    rate.busy_ratio = 0.0053;
    return rate;
}

/// An installation medium on usb-storage. Its counters reach beyond what a double can hold.
inline pipeline::drive_snapshot install_media() {
    pipeline::drive_snapshot drive;
    drive.drive = "install_media";
    drive.info.identity = {"install_media", "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", "#block146"};
    drive.info.attachment = {"usb-storage", "qemu-xhci"};
    drive.info.media = {"/images/win11, \"arm\".iso", "raw", true, true, true};
    auto& read = drive.counters[sample::operation::read];
    read = {(1ULL << 63) + 1, 201, 1'500'000'000, 3, 1, 0};
    drive.counters.idle = base::milliseconds(3200);
    drive.rate = reading_rate();
    return drive;
}

/// The same while its fourth lost completion is awaited, 8.4 s after the last completed operation.
inline pipeline::drive_snapshot stalled_media() {
    pipeline::drive_snapshot drive = install_media();
    const base::instant start{some_instant().steady - base::milliseconds(8400),
                              some_instant().wall - base::milliseconds(8400)};
    stall::cause_totals lost, paused;
    for (const int milliseconds : {10'050, 10'120, 10'190}) lost.add(base::milliseconds(milliseconds));
    paused.add(base::seconds(5));
    drive.counters.idle = base::milliseconds(8400);
    drive.stall.level = stall::level::confirmed;
    drive.stall.cause = stall::cause::lost_completion;
    drive.stall.levels[stall::index_of(stall::cause::lost_completion)] = stall::level::confirmed;
    drive.stall.pattern = "Windows' 10 s CD time-out on usb-storage";
    drive.stall.gap_start = start;
    drive.stall.gap_age = base::milliseconds(8400);
    drive.stall.is_suspected = true;
    drive.stall.totals = {{stall::cause::lost_completion, lost}, {stall::cause::vm_paused, paused}};
    return drive;
}

/// The same before anything was counted: a first suspicion.
inline pipeline::drive_snapshot suspected_media() {
    pipeline::drive_snapshot drive = stalled_media();
    drive.stall.level = stall::level::suspected;
    drive.stall.levels[stall::index_of(stall::cause::lost_completion)] = stall::level::suspected;
    drive.stall.totals.clear();
    return drive;
}

/// A system drive that reads and writes.
inline pipeline::drive_snapshot system_drive() {
    pipeline::drive_snapshot drive;
    drive.drive = "system";
    drive.info.identity = {"system", "nvme0", "#block301"};
    drive.info.attachment = {"nvme", "pcie.0"};
    drive.info.media = {"/images/system.qcow2", "qcow2", true, false, false};
    drive.counters[sample::operation::read] = {1'200'000'000, 20'000, 2'500'000'000, 0, 0, 0};
    drive.counters[sample::operation::write] = {6'554'112, 400, 100'000'000, 12, 0, 2};
    drive.counters[sample::operation::flush].completed = 7;
    drive.counters.idle = base::milliseconds(10);
    drive.counters.highest_write_offset_bytes = 68'719'476'736;
    sample::drive_rate rate;
    rate.window = base::seconds(15);
    rate.read = {84.7e6, 1230, 68'900, 1.23e-3};
    rate.write = {20e3, 5.2, 3846, 410e-6};
    rate.all = {84.72e6, 1235.2, 68'600, 1.22e-3};
    rate.busy_ratio = 1.5;
    drive.rate = rate;
    return drive;
}

/// The same with two stalls of its storage behind it.
inline pipeline::drive_snapshot recovered_drive() {
    pipeline::drive_snapshot drive = system_drive();
    stall::cause_totals slow;
    slow.add(base::milliseconds(12'000));
    slow.add(base::milliseconds(8'100));
    drive.stall.totals = {{stall::cause::slow_backend, slow}};
    return drive;
}

/// An empty CD drive without any I/O ever; its name comes from a hostile monitor.
inline pipeline::drive_snapshot empty_cd() {
    pipeline::drive_snapshot drive;
    drive.drive = "cd\x1b[2J\xff";
    drive.info.identity.device = drive.drive;
    drive.info.attachment = {"scsi-cd", "virtio-scsi"};
    drive.info.media.removable = true;
    drive.rate = sample::drive_rate{};
    drive.rate->window = base::seconds(15);
    return drive;
}

/// A VM that runs and answers, with these three drives.
inline pipeline::vm_snapshot running_vm() {
    pipeline::vm_snapshot vm;
    vm.identity = {"winarm",
                   "Windows 11 Arm",
                   "0f0c6a3e-5b1d-4c7a-9d11-2f6a1be0a001",
                   "/run/winarm.sock",
                   "qmp",
                   "11.1.0",
                   "",
                   "virt-11.1",
                   "hvf",
                   "aarch64",
                   6,
                   8589934592,
                   4242};
    vm.monitor = sample::monitor_state::ready;
    vm.monitor_since = {some_instant().steady - base::seconds(60), some_instant().wall - base::seconds(60)};
    vm.run_state = "running";
    vm.drives = {install_media(), system_drive(), empty_cd()};
    vm.last_sample = some_instant();
    vm.process = base::process_usage{123.5, 4'294'967'296, 0, 1'796'000'000.25, 'S'};
    vm.cpu_percent = 123.4;
    return vm;
}

/// The same, stuck: its installation medium is stalled, its system drive has recovered.
inline pipeline::vm_snapshot stalled_vm() {
    pipeline::vm_snapshot vm = running_vm();
    vm.identity.vm = "stuck";
    vm.drives = {stalled_media(), recovered_drive(), empty_cd()};
    return vm;
}

/// A VM in its first window, asked over HMP: no rates yet, and no details.
inline pipeline::vm_snapshot starting_vm() {
    pipeline::vm_snapshot vm;
    vm.identity.vm = "build";
    vm.identity.protocol = "hmp";
    vm.identity.version = "7.2.22";
    vm.monitor = sample::monitor_state::ready;
    vm.run_state = "paused";
    vm.first_rate_in = base::milliseconds(11'600);
    pipeline::drive_snapshot drive = system_drive();
    drive.drive = "/machine/peripheral/virtio0/virtio-backend";
    drive.info.identity = {"", drive.drive, ""};
    drive.info.attachment = {"virtio-blk", "pci"};
    drive.counters.detailed = false;
    drive.counters.highest_write_offset_bytes.reset();
    drive.rate.reset();
    vm.drives = {drive};
    return vm;
}

/// A VM whose monitor belongs to somebody else.
inline pipeline::vm_snapshot busy_vm() {
    pipeline::vm_snapshot vm;
    vm.identity.vm = "desktop";
    vm.monitor = sample::monitor_state::busy;
    vm.monitor_detail = "another client owns the monitor; close it, or give QEMU a second monitor with "
                        "-qmp unix:/run/desktop.sock,server=on,wait=off";
    vm.monitor_since = {some_instant().steady - base::seconds(12), some_instant().wall - base::seconds(12)};
    return vm;
}

inline pipeline::snapshot state_of(std::initializer_list<pipeline::vm_snapshot> vms) {
    pipeline::snapshot state;
    state.at = some_instant();
    state.interval = base::seconds(15);
    for (const auto& each : vms) state.vms.push_back(std::make_shared<const pipeline::vm_snapshot>(each));
    return state;
}

}  // namespace qmpwatch::support
