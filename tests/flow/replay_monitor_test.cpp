// A run that is served as a monitor: a client sees the VM that was recorded.
#include "app/replay_monitor.hpp"

#include "client/vm_watcher.hpp"
#include "flow/watched_simulation.hpp"
#include "run/recorder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace qmpwatch;
using namespace qmpwatch::flow;
using namespace std::chrono_literals;
using sample::operation;

namespace {

sample::drive_info medium() {
    sample::drive_info drive;
    drive.identity = {"install_media", "/machine/peripheral/cd/cd.0/legacy[0]", "#block1"};
    drive.attachment = {"usb-storage", "usb-ehci"};
    drive.media = {"/iso/win11.iso", "raw", true, true, true, 7000000000, sample::cache_mode{true, true, false}};
    return drive;
}

sample::drive_info system_disk() {
    sample::drive_info drive;
    drive.identity = {"", "/machine/peripheral/fast", "system"};
    drive.attachment = {"nvme", "pci"};
    drive.media = {"/vm/system.qcow2", "qcow2", true, false, false, 64000000000, sample::cache_mode{}};
    return drive;
}

sample::drive_info late_disk() {
    sample::drive_info drive;
    drive.identity = {"late", "/machine/peripheral/late", "#block7"};
    drive.attachment = {"scsi-hd", "virtio-scsi"};
    drive.media = {"/vm/late.img", "raw", true, false, false, 1000000, sample::cache_mode{}};
    return drive;
}

sample::drive_counters counters_at(int step, int drive) {
    sample::drive_counters counters;
    std::uint64_t value = static_cast<std::uint64_t>(1000 * step + 100 * drive);
    for (sample::operation_counters& one : counters.by_operation) {
        one = {++value, ++value, ++value, ++value, ++value, ++value};
    }
    counters[operation::flush].bytes = counters[operation::flush].merged = 0;
    counters.idle = base::milliseconds(3);
    counters.highest_write_offset_bytes = ++value;
    return counters;
}

base::instant at(base::nanoseconds since) {
    const base::instant zero{base::steady_time(100s), base::wall_time(1764555269s)};
    return {zero.steady + since, zero.wall + std::chrono::duration_cast<base::wall_time::duration>(since)};
}

struct some_run {
    run::header about;
    std::vector<run::happening> story;
    run::end ended;
};

/// Three seconds, a sample each 250 ms. A disk is there from 1 s to 2 s, the VM is paused from 1.25 s to 1.75 s.
some_run three_seconds() {
    some_run made;
    made.about.id = "0123456789abcdef";
    made.about.start = at(0s);
    made.about.poll = 250ms;
    sample::vm_identity vm;
    vm.vm = vm.name = "installer";
    vm.uuid = "99999999-2222-3333-4444-555555555555";
    vm.protocol = "qmp";
    vm.version = "9.1.2";
    vm.package = "Debian 1:9.1";
    vm.machine = "pc-q35-9.1";
    vm.accelerator = "tcg";
    vm.arch = "x86_64";
    vm.cpus = 6;
    vm.memory_bytes = 3221225472;
    auto& story = made.story;
    story.push_back(sample::monitor_change{sample::monitor_state::ready, "", at(0s), {}});
    story.push_back(vm);
    story.push_back(sample::run_state_change{"running", at(1ms)});
    story.push_back(sample::inventory{medium(), system_disk()});
    for (int step = 0; step < 12; ++step) {
        const base::nanoseconds now = 250ms * step;
        if (step == 4) story.push_back(sample::inventory{medium(), system_disk(), late_disk()});
        if (step == 5) {
            story.push_back(sample::qmp_event{"STOP", "", at(now)});
            story.push_back(sample::run_state_change{"paused", at(now)});
        }
        if (step == 7) {
            story.push_back(sample::qmp_event{"RESUME", "", at(now)});
            story.push_back(sample::run_state_change{"running", at(now)});
            story.push_back(sample::qmp_event{"RESET", R"({"guest":true})", at(now)});
        }
        sample::sample counters;
        counters.at = at(now);
        counters.drives = {{medium().identity, counters_at(step, 0)}, {system_disk().identity, counters_at(step, 1)}};
        if (step >= 4 && step < 8) counters.drives.push_back({late_disk().identity, counters_at(step, 2)});
        story.push_back(std::move(counters));
    }
    story.push_back(sample::qmp_event{"SHUTDOWN", R"({"guest":true,"reason":"guest-shutdown"})", at(3s)});
    made.ended.reason = run::end_reason::guest_shutdown;
    made.ended.at = at(3s);
    return made;
}

}  // namespace

TEST_CASE("a client of a served run sees what was recorded") {
    support::temporary_folder folder;
    const std::string path = (folder.path() / "a.run.gz").string();
    const std::string socket = (folder.path() / "vm.sock").string();
    const some_run recorded = three_seconds();
    auto file = run::recorder::create(path, false, recorded.about);
    REQUIRE(file.has_value());
    for (const run::happening& one : recorded.story) REQUIRE(file->hear(one).has_value());
    REQUIRE(file->finish(recorded.ended).has_value());

    int exit_code = -1;
    std::thread server([&] { exit_code = app::serve_as_monitor(path, socket, 1, false); });

    asio::io_context loop(1);
    recorder heard;
    client::watch_settings settings;
    settings.poll = 500ms;
    client::address where;
    where.path = socket;
    client::vm_watcher watcher(loop.get_executor(), where, settings, heard);
    asio::co_spawn(loop, watcher.run(), asio::detached);
    const auto limit = std::chrono::steady_clock::now() + 20s;
    const auto is_over = [&] { return !heard.samples.empty() && heard.is(sample::monitor_state::absent); };
    while (!is_over() && std::chrono::steady_clock::now() < limit) loop.run_for(10ms);
    server.join();
    REQUIRE(is_over());
    CHECK(exit_code == 0);
    CHECK(heard.states.back().detail == "the VM has shut down");
    CHECK_FALSE(std::filesystem::exists(socket));

    const auto& who = std::get<sample::vm_identity>(recorded.story[1]);
    REQUIRE_FALSE(heard.identities.empty());
    CHECK(heard.identities.back().name == who.name);
    CHECK(heard.identities.back().uuid == who.uuid);
    CHECK(heard.identities.back().version == who.version);
    CHECK(heard.identities.back().package == who.package);
    CHECK(heard.identities.back().machine == who.machine);
    CHECK(heard.identities.back().accelerator == who.accelerator);
    CHECK(heard.identities.back().arch == who.arch);
    CHECK(heard.identities.back().cpus == who.cpus);
    CHECK(heard.identities.back().memory_bytes == who.memory_bytes);

    CHECK(heard.samples.size() >= 5);
    bool has_late_disk = false;
    for (const sample::sample& one : heard.samples) {
        for (const sample::drive_sample& drive : one.drives) {
            const auto is_recorded = [&](const run::happening& any) {
                const auto* counters = std::get_if<sample::sample>(&any);
                return counters != nullptr &&
                       std::any_of(counters->drives.begin(), counters->drives.end(),
                                   [&](const sample::drive_sample& seen) {
                                       return seen.identity == drive.identity &&
                                              seen.counters.by_operation == drive.counters.by_operation &&
                                              seen.counters.highest_write_offset_bytes ==
                                                  drive.counters.highest_write_offset_bytes &&
                                              drive.counters.idle >= seen.counters.idle;
                                   });
            };
            CHECK(std::any_of(recorded.story.begin(), recorded.story.end(), is_recorded));
            has_late_disk = has_late_disk || drive.identity.device == "late";
        }
    }
    CHECK(has_late_disk);
    CHECK(heard.samples.back().drives.size() == 2);
    CHECK(heard.samples.back().drives[0].counters[operation::read].bytes >= 9001);

    CHECK(heard.events == std::vector<std::string>{"STOP", "RESUME", "RESET", "SHUTDOWN"});
    CHECK(heard.run_states.front() == "running");
    CHECK(std::find(heard.run_states.begin(), heard.run_states.end(), "paused") != heard.run_states.end());
    const sample::inventory& first = heard.inventories.front();
    REQUIRE(first.size() == 2);
    CHECK(first[0] == medium());
    CHECK(first[1] == system_disk());
    bool has_late_attachment = false;
    for (const sample::inventory& one : heard.inventories) {
        has_late_attachment = has_late_attachment || (one.size() == 3 && one[2] == late_disk());
    }
    CHECK(has_late_attachment);
}

TEST_CASE("speed, the end, and what the run does not know") {
    some_run recorded = three_seconds();
    const auto fast = app::replayed(recorded.about, recorded.story, recorded.ended, 10);
    REQUIRE(fast.has_value());
    CHECK(fast->length == 300ms);
    CHECK(fast->is_shut_down);
    CHECK(fast->at_start.drives.size() == 2);
    CHECK(fast->at_start.status == "running");
    REQUIRE_FALSE(fast->steps.empty());
    CHECK(fast->steps.front().at == 100ms);  // the disk that comes

    recorded.ended.reason = run::end_reason::interrupted;
    const auto interrupted = app::replayed(recorded.about, recorded.story, recorded.ended, 1);
    CHECK_FALSE(interrupted->is_shut_down);
    CHECK(interrupted->steps.size() == fast->steps.size() + 1);  // the SHUTDOWN that was heard

    recorded.ended.reason = run::end_reason::imported;
    std::erase_if(recorded.story,
                  [](const run::happening& one) { return !std::holds_alternative<sample::sample>(one); });
    const auto bare = app::replayed(recorded.about, recorded.story, {}, 1);
    REQUIRE(bare.has_value());
    CHECK(bare->length == 3s);  // the last sample, and a poll more
    CHECK(bare->at_start.drives[0].inserted);
    CHECK(bare->at_start.drives[0].kind == sim::guest_device::other);

    recorded.story.clear();
    const auto empty = app::replayed(recorded.about, recorded.story, {}, 1);
    REQUIRE(empty.has_error());
    CHECK(empty.error().code == base::errc::data);
}

TEST_CASE("with a loop the next VM starts when one has ended, until told to stop") {
    support::temporary_folder folder;
    const std::string socket = (folder.path() / "vm.sock").string();
    const std::string path = (folder.path() / "healthy.jsonl").string();
    std::ofstream(path) << support::fixture("recordings/healthy_0.5s.jsonl");
    int exit_code = -1;
    std::thread server([&] { exit_code = app::serve_as_monitor(path, socket, 50, true); });  // 0.8 s each

    asio::io_context loop(1);
    recorder heard;
    client::address where;
    where.path = socket;
    client::vm_watcher watcher(loop.get_executor(), where, quick(), heard);
    asio::co_spawn(loop, watcher.run(), asio::detached);
    const auto limit = std::chrono::steady_clock::now() + 20s;
    const auto has_started_again = [&] {
        return heard.identities.size() >= 2 && heard.is(sample::monitor_state::ready);
    };
    while (!has_started_again() && std::chrono::steady_clock::now() < limit) loop.run_for(10ms);
    CHECK(has_started_again());
    std::raise(SIGTERM);
    server.join();
    CHECK(exit_code == 0);
    CHECK_FALSE(std::filesystem::exists(socket));
}

TEST_CASE("what cannot be served") {
    support::temporary_folder folder;
    const std::string socket = (folder.path() / "vm.sock").string();
    const std::string run = support::fixture("recordings/healthy_0.5s.jsonl");
    const std::string path = (folder.path() / "healthy.jsonl").string();
    std::ofstream(path) << run;
    CHECK(app::serve_as_monitor((folder.path() / "none").string(), socket, 1, false) == 1);
    CHECK(app::serve_as_monitor(path, socket, 0, false) == 2);
    CHECK(app::serve_as_monitor(path, path, 1, false) == 2);  // it exists and is no socket
    CHECK(app::serve_as_monitor(path, socket, 1000, false) == 0);
    CHECK_FALSE(std::filesystem::exists(socket));
}
