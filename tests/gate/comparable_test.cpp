#include "gate/comparable.hpp"

#include "gate/made_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

namespace qmpwatch::gate {
namespace {

described_run described(std::string path, std::string bus, std::string qemu) {
    return {std::move(path),
            {{"bus", "the bus", std::move(bus), true}, {"qemu", "QEMU's version", std::move(qemu), false}}};
}

TEST_CASE("one sentence a property, and the first run that says something is the one to be like") {
    const std::vector runs{described("a", "", "1"), described("b", "usb", "1"), described("c", "nvme", "2"),
                           described("d", "ide", "3")};
    const mismatches found = compare_properties(runs, {});
    REQUIRE(found.refusals.size() == 1);
    CHECK(found.refusals[0] == "the bus differs: usb in b, nvme in c; --allow-mismatch bus compares them all the same");
    REQUIRE(found.warnings.size() == 1);
    CHECK(found.warnings[0] == "QEMU's version differs: 1 in a, 2 in c");
    CHECK(std::find(found.unknown.begin(), found.unknown.end(), "bus") != found.unknown.end());
    CHECK(compare_properties({}, {}).refusals.empty());
}

TEST_CASE("the fingerprint is of what refuses and is known") {
    const std::vector<property> some{{"bus", "", "nvme", true}, {"cache", "", "", true}, {"qemu", "", "7", false}};
    const fingerprint made = fingerprint_of(some);
    CHECK(made.text == "bus=nvme");
    CHECK(made.hash.size() == 12);
    std::vector<property> other = some;
    other[2].value = "8";
    CHECK(fingerprint_of(other).hash == made.hash);
    other[1].value = "none";
    CHECK(fingerprint_of(other).hash != made.hash);
}

TEST_CASE("a run's properties stand in one order, known or not") {
    const run::digest nothing;
    const std::vector<std::string> drives{"a", "b"};
    const std::vector<property> made = properties_of(nothing, drives);
    run::digest something;
    something.vm.cpus = 3;
    something.vm.memory_bytes = 1024;
    something.drives.resize(1);
    something.drives[0].drive = "a";
    something.drives[0].info.attachment = {"usb-storage", "qemu-xhci"};
    const std::vector<property> other = properties_of(something, drives);
    REQUIRE(made.size() == other.size());
    for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i].key == other[i].key);
    for (const std::string_view key : refusing_keys()) {
        CHECK(std::any_of(made.begin(), made.end(),
                          [&](const property& each) { return each.key == key && each.refuses; }));
    }
}

TEST_CASE("a run's fingerprint is of the VM and of the drive that was copied from") {
    const support::temporary_folder folder;
    gate_test::made_run made{.seconds = 30};
    const input usual = gate_test::read_made(folder.path() / "usual.run", made);
    const fingerprint its = fingerprint_of_run(usual.digest, "");
    CHECK(its.text == "media=sampled-sha256:1234, media=1000000000 bytes, bus=usb-storage on qemu-xhci, "
                      "cache=writeback, vcpus=2, memory=2147483648 bytes, accelerator=tcg");
    CHECK(fingerprint_of_run(usual.digest, "install_media").hash == its.hash);
    made.seconds = 60;
    made.version = "11.1.3";
    CHECK(fingerprint_of_run(gate_test::read_made(folder.path() / "slower.run", made).digest, "").hash == its.hash);
    made.bus = "nvme";
    CHECK(fingerprint_of_run(gate_test::read_made(folder.path() / "other.run", made).digest, "").hash != its.hash);
    // Of a drive that nothing was read from, and of none, only the VM is known.
    made.bytes = 1000;
    const input idle = gate_test::read_made(folder.path() / "idle.run", made);
    CHECK(fingerprint_of_run(idle.digest, "").text == "vcpus=2, memory=2147483648 bytes, accelerator=tcg");
    CHECK(fingerprint_of_run(idle.digest, "floppy").text == fingerprint_of_run(idle.digest, "").text);
}

}  // namespace
}  // namespace qmpwatch::gate
