#include "some_state.hpp"

namespace qmpwatch::metrics {

namespace {

using namespace std::chrono_literals;
using sample::operation;

base::instant at(std::chrono::nanoseconds since_boot) {
    return {base::steady_time(since_boot), base::wall_time(1'796'000'000s) + since_boot};
}

pipeline::drive_snapshot install_media() {
    pipeline::drive_snapshot drive;
    drive.drive = "install_media";
    drive.info.identity = {"install_media", "/machine/peripheral/stick/stick.0/legacy[0]", "#block142"};
    drive.info.attachment = {"usb-storage", "qemu-xhci"};
    drive.info.media = {"/iso/Win11 \"Arm\".iso", "raw", true, true, true};
    drive.counters[operation::read] = {12'345'678'901, 201, 10'123'456'789, 3, 1, 2};
    drive.counters.idle = 250ms;
    drive.counters.highest_write_offset_bytes = 0;
    stall::cause_totals lost, paused;
    sample::drive_rate rate;
    rate.window = 15s;
    rate.read = {4'100'000.5, 62.6, 65'536.0, 0.016};
    rate.all = rate.read;
    rate.busy_ratio = 0.998;
    drive.rate = rate;
    for (const auto length : {10'050ms, 10'120ms, 61'000ms}) lost.add(length);
    paused.add(150s);
    drive.stall.totals = {{stall::cause::lost_completion, lost}, {stall::cause::vm_paused, paused}};
    drive.stall.level = stall::level::confirmed;
    drive.stall.cause = stall::cause::lost_completion;
    drive.stall.levels[stall::index_of(stall::cause::lost_completion)] = stall::level::confirmed;
    drive.stall.levels[stall::index_of(stall::cause::slow_backend)] = stall::level::suspected;
    drive.stall.gap_start = at(92s);
    drive.stall.gap_age = 8250ms;
    return drive;
}

pipeline::drive_snapshot system_disk() {
    pipeline::drive_snapshot drive;
    drive.drive = "system";
    drive.info.identity = {"", "system", "disk0"};
    drive.info.attachment = {"nvme", "pci"};
    drive.info.media = {"/vm/\xff/disk.qcow2", "qcow2", true, false, false};
    drive.counters[operation::read] = {(1ULL << 53) - 1, 18, 19, 20, 21, 22};
    drive.counters[operation::write] = {1ULL << 40, 1000, 2'000'000'000, 5, 6, 7};
    drive.counters[operation::flush] = {0, 8, 1'500'000'000, 0, 9, 10};
    drive.counters[operation::discard] = {4096, 11, 12'000'000, 13, 14, 15};
    drive.counters.highest_write_offset_bytes = 68'719'476'736;
    return drive;
}

}  // namespace

pipeline::snapshot some_state() {
    auto win11 = std::make_shared<pipeline::vm_snapshot>();
    win11->identity = {"win11",
                       "Windows 11",
                       "5f0c7a9e-0000-4000-8000-123456789abc",
                       "/run/win11/qemu-monitor.sock",
                       "qmp",
                       "11.1.0",
                       "",
                       "virt-11.1",
                       "hvf",
                       "aarch64",
                       6,
                       8589934592,
                       4242};
    win11->monitor = sample::monitor_state::ready;
    win11->run_state = "running";
    win11->drives = {install_media(), system_disk()};
    win11->last_sample = at(100s + 250ms);
    win11->process = base::process_usage{1234.56, 8'589'934'592, 9'000'000'000, 1'795'999'000.25, 'S'};
    win11->events = {{"RESET", 1}, {"STOP", 2}};
    win11->polls.buckets = {100, 20, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2};
    win11->polls.sum_seconds = 7.25;
    win11->polls.succeeded = 124;
    win11->polls.timed_out = 2;
    win11->polls.late = 4;
    win11->reconnects = 1;

    auto legacy = std::make_shared<pipeline::vm_snapshot>();
    legacy->identity.vm = "legacy";
    legacy->identity.socket = "hmp.sock";
    legacy->identity.protocol = "hmp";
    legacy->monitor = sample::monitor_state::blocked;
    legacy->run_state = "half-asleep";  // no state that QEMU has today
    legacy->last_sample = at(90s);
    legacy->polls.buckets[0] = 10;
    legacy->polls.sum_seconds = 0.003;
    legacy->polls.succeeded = 10;
    legacy->polls.failed = 3;
    pipeline::drive_snapshot cd;
    cd.drive = "ide1-cd0";
    cd.info.identity.device = "ide1-cd0";
    cd.info.media.removable = true;
    cd.counters.detailed = false;
    cd.counters[operation::read] = {2048, 1, 500, 0, 0, 0};
    legacy->drives = {cd};

    pipeline::snapshot state;
    state.at = at(100s + 500ms);
    state.interval = 15s;
    state.vms = {legacy, win11};
    return state;
}

std::shared_ptr<pipeline::vm_snapshot> busy_vm(const std::string& name, int drives) {
    auto vm = std::make_shared<pipeline::vm_snapshot>();
    vm->identity.vm = name;
    vm->monitor = sample::monitor_state::ready;
    vm->run_state = "running";
    vm->last_sample = at(100s);
    vm->process = base::process_usage{1234.56, 8'589'934'592, 9'000'000'000, 1'795'999'000.25, 'S'};
    for (int number = 0; number < drives; ++number) {
        pipeline::drive_snapshot drive = install_media();
        drive.drive = "drive" + std::to_string(number);
        vm->drives.push_back(drive);
    }
    return vm;
}

own_health some_health() {
    return {.version = "1.2.3",
            .compiler = "g++ 12",
            .process = base::process_usage{0.5, 4096, 8192, 1'796'000'000.5, 'R'},
            .open_fds = 9,
            .max_fds = 1024};
}

}  // namespace qmpwatch::metrics
