// What is asked of a monitor that answers: identity, drives, counters, events; over QMP and over HMP.
#include "client/conversation.hpp"
#include "flow/watched_simulation.hpp"
#include "monitor/allow_list.hpp"
#include "sample/drive.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace qmpwatch;
using namespace qmpwatch::flow;
using sample::monitor_state;
using sample::operation;
using sim::guest_device;
using sim::protocol;

namespace {

std::vector<std::string> names(const sample::sample& counters) {
    std::vector<std::string> result;
    for (const sample::drive_sample& drive : counters.drives) result.push_back(sample::drive_name(drive.identity));
    return result;
}

}  // namespace

TEST_CASE("who the VM is, over QMP") {
    sim::scenario what = scenario_with(protocol::qmp);
    what.vm_name = "winarm";
    what.accelerator = "tcg";
    watched_simulation run(what);
    run.run_until([&] { return run.heard.samples.size() >= 3; });
    CHECK(run.heard.sequence() == "connecting ready");
    REQUIRE(run.heard.identities.size() == 1);
    const sample::vm_identity& vm = run.heard.identities[0];
    CHECK(vm.name == "winarm");
    CHECK(vm.uuid == what.uuid);
    CHECK(vm.protocol == "qmp");
    CHECK(vm.version == "7.2.22");
    CHECK(vm.machine == "pc-q35-7.2");
    CHECK(vm.accelerator == "tcg");
    CHECK(vm.arch == "x86_64");
    CHECK(vm.cpus == 2);
    CHECK(vm.memory_bytes == 2147483648);
    CHECK(vm.socket == run.path());
    CHECK(run.heard.run_states == std::vector<std::string>{"running"});
}

TEST_CASE("the accelerator of a newer QEMU, and of one with KVM") {
    for (const auto& [major, minor, accelerator] : std::vector<std::tuple<int, int, const char*>>{
             {11, 1, "hvf"}, {10, 2, "tcg"}, {10, 1, "kvm"}, {7, 2, "kvm"}, {9, 0, "tcg"}}) {
        CAPTURE(major);
        CAPTURE(accelerator);
        sim::scenario what = scenario_with(protocol::qmp);
        what.version = {major, minor, 3, ""};
        what.accelerator = accelerator;
        watched_simulation run(what);
        run.run_until([&] { return !run.heard.identities.empty(); });
        CHECK(run.heard.identities[0].accelerator == accelerator);
    }
}

TEST_CASE("how large the VM is, over both protocols, and where QEMU does not tell") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        CAPTURE(static_cast<int>(kind));
        sim::scenario what = scenario_with(kind);
        what.cpus = 18;
        what.memory_bytes = 51539607552;
        watched_simulation large(what);
        large.run_until([&] { return !large.heard.identities.empty(); });
        CHECK(large.heard.identities[0].cpus == 18);
        CHECK(large.heard.identities[0].memory_bytes == 51539607552);

        what.cpus = 0;
        what.memory_bytes = 0;
        watched_simulation silent(what);
        silent.run_until([&] { return !silent.heard.samples.empty(); });
        CHECK(silent.heard.sequence() == "connecting ready");
        CHECK(silent.heard.identities[0].cpus == 0);
        CHECK(silent.heard.identities[0].memory_bytes == 0);
        CHECK(silent.heard.identities[0].name == what.vm_name);
    }
}

TEST_CASE("the same drives and counters over QMP and over HMP") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        CAPTURE(static_cast<int>(kind));
        sim::scenario what;
        what.protocol = kind;
        sim::load_spec busy;
        sim::add_drive(what, guest_device::usb_storage, "install_media", busy);
        sim::add_drive(what, guest_device::nvme, "system");
        sim::drive_spec& unnamed = sim::add_drive(what, guest_device::virtio_blk, "seed");
        unnamed.device.clear();
        unnamed.node_name = "seed0";
        const std::string qdev_of_unnamed = unnamed.qdev;
        sim::add_drive(what, guest_device::ide_cd, "emptycd").inserted = false;
        sim::add_drive(what, guest_device::scsi_cd, "cd1");
        watched_simulation run(what);
        run.run_until([&] { return run.heard.samples.size() >= 5; });
        CHECK(run.heard.identities[0].protocol == (kind == protocol::qmp ? "qmp" : "hmp"));
        CHECK(names(run.heard.samples.back()) ==
              std::vector<std::string>{"install_media", "system", qdev_of_unnamed, "emptycd", "cd1"});
        REQUIRE(run.heard.inventories.size() == 1);  // read once, not at every poll
        std::vector<std::string> devices;
        for (const sample::drive_info& drive : run.heard.inventories[0]) devices.push_back(drive.attachment.device);
        CHECK(devices == std::vector<std::string>{"usb-storage", "nvme", "virtio-blk", "ide-cd", "scsi-cd"});
        CHECK(run.heard.inventories[0][0].attachment.bus == "qemu-xhci");
        CHECK_FALSE(run.heard.inventories[0][3].media.inserted);

        const auto& first = run.heard.samples.front().drives[0].counters;
        const auto& last = run.heard.samples.back().drives[0].counters;
        CHECK(last[operation::read].bytes >= first[operation::read].bytes);
        CHECK(last.detailed == (kind == protocol::qmp));
    }
}

TEST_CASE("only commands that look, and counters far more often than anything else") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        watched_simulation run(scenario_with(kind));
        run.run_until([&] { return run.heard.samples.size() >= 20; });
        for (const std::string& command : run.vm->commands()) {
            CAPTURE(command);
            CHECK((kind == protocol::qmp ? monitor::is_allowed_qmp(command) : monitor::is_allowed_hmp(command)));
        }
        const char* counters = kind == protocol::qmp ? "query-blockstats" : "info blockstats";
        const auto asked = std::count(run.vm->commands().begin(), run.vm->commands().end(), counters);
        CHECK(asked >= 20);
        CHECK(asked <= static_cast<std::ptrdiff_t>(run.heard.samples.size()) + 2);  // one question a beat
        CHECK(std::count(run.vm->commands().begin(), run.vm->commands().end(), "query-block") <= 1);
    }
}

TEST_CASE("polls keep their beat") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 50; });
    const auto& samples = run.heard.samples;
    // Fifty beats of 20 ms: a loop that slept 20 ms after each answer would have drifted by many answers' time.
    const auto span = samples.back().at.steady - samples.front().at.steady;
    const double beats = base::in_seconds(span) / 0.020;
    CHECK(beats - std::round(beats) == doctest::Approx(0).epsilon(0.5));
    for (std::size_t i = 1; i < samples.size(); ++i) CHECK(samples[i].at.steady > samples[i - 1].at.steady);
    CHECK(samples.back().rtt > base::nanoseconds(0));
}

TEST_CASE("events are heard as they come, and the run state follows them") {
    watched_simulation run(scenario_with(protocol::qmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    run.vm->set_status("paused");
    run.run_until([&] { return run.heard.run_states.back() == "paused"; });
    CHECK(std::count(run.heard.events.begin(), run.heard.events.end(), "STOP") == 1);
    run.vm->set_status("running");
    run.run_until([&] { return run.heard.run_states.back() == "running"; });
    CHECK(std::count(run.heard.events.begin(), run.heard.events.end(), "RESUME") == 1);
    run.vm->fail_operation("install_media", false);
    run.run_until([&] { return run.heard.events.back() == "BLOCK_IO_ERROR"; });
    CHECK(run.heard.sequence() == "connecting ready");
}

TEST_CASE("HMP has no events; the run state is asked") {
    watched_simulation run(scenario_with(protocol::hmp));
    run.run_until([&] { return run.heard.samples.size() >= 2; });
    run.vm->set_status("paused");
    run.run_until([&] { return run.heard.run_states.back() == "paused"; });
    CHECK(run.heard.events.empty());
}

TEST_CASE("drives that are plugged in and out are looked at, over both protocols") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        CAPTURE(static_cast<int>(kind));
        watched_simulation run(scenario_with(kind));
        run.run_until([&] { return run.heard.samples.size() >= 2; });
        sim::scenario other;
        run.vm->add_drive(sim::add_drive(other, guest_device::usb_storage, "stick"));
        run.run_until([&] { return run.heard.samples.back().drives.size() == 3; });
        REQUIRE(run.heard.inventories.size() == 2);
        REQUIRE(run.heard.inventories.back().size() == 3);
        CHECK(run.heard.inventories.back()[2].attachment.device == "usb-storage");
        REQUIRE(run.vm->remove_drive("install_media"));
        run.run_until([&] { return run.heard.samples.back().drives.size() == 2; });
        CHECK(names(run.heard.samples.back()) == std::vector<std::string>{"system", "stick"});
        CHECK(run.heard.inventories.back().size() == 2);
        CHECK(run.heard.sequence() == "connecting ready");
    }
}

TEST_CASE("a medium change is seen") {
    for (const protocol kind : {protocol::qmp, protocol::hmp}) {
        CAPTURE(static_cast<int>(kind));
        sim::scenario what = scenario_with(kind);
        sim::add_drive(what, guest_device::ide_cd, "cd0");
        watched_simulation run(what);
        run.run_until([&] { return run.heard.samples.size() >= 2; });
        REQUIRE(run.vm->change_medium("cd0", "other.iso"));
        run.run_until([&] { return run.heard.inventories.back().back().media.file == "other.iso"; });
        REQUIRE(run.vm->change_medium("cd0", ""));
        run.run_until([&] { return !run.heard.inventories.back().back().media.inserted; });
    }
}

TEST_CASE(
    "odd but correct speakers: pretty JSON, one byte a time, split line ends, a hundred drives, a flood of events") {
    for (const char* oddity :
         {"pretty", "byte_by_byte", "split_crlf", "many_drives=100", "event_flood=2000", "events_before_greeting=5"}) {
        CAPTURE(oddity);
        watched_simulation run(scenario_with(protocol::qmp, {oddity}), true, patient());
        run.run_until([&] { return run.heard.samples.size() >= 2; });
        CHECK(run.heard.sequence() == "connecting ready");
        CHECK(run.heard.samples.back().drives.size() >= 2);
    }
    for (const char* oddity : {"byte_by_byte", "split_crlf", "many_drives=100", "telnet"}) {
        CAPTURE(oddity);
        watched_simulation run(scenario_with(protocol::hmp, {oddity}), true, patient());
        run.run_until([&] { return run.heard.samples.size() >= 2; });
        CHECK(run.heard.sequence() == "connecting ready");
    }
}
