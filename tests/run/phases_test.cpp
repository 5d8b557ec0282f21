#include "run/phases.hpp"

#include "run/synthetic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>

using namespace qmpwatch;
using run::direction;
using run::find_phases;
using run_test::at;
using run_test::run_of;
using run_test::synthetic_drive;

TEST_CASE("a stream is a phase, from the sample before it to its last completion") {
    synthetic_drive drive("medium");
    drive.rest(20).move(30.5, 50e6).rest(15);
    const auto found = find_phases(drive.digest(), direction::read);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "read 1");
    CHECK(found[0].drive == "medium");
    CHECK(found[0].way == direction::read);
    CHECK(found[0].begin == at(20));
    CHECK(found[0].end == at(50.5));
    CHECK(found[0].length() == at(30.5));
    CHECK(found[0].bytes == 1'525'000'000);
    CHECK(find_phases(drive.digest(), direction::write).empty());
}

TEST_CASE("stalls of 10 and of 64 seconds are inside a phase") {
    synthetic_drive drive("medium", "usb-storage");
    for (int i = 0; i < 5; ++i) drive.move(2, 40e6).rest(10);
    drive.move(3, 40e6).rest(64).move(3, 40e6).rest(30);
    const auto found = find_phases(drive.digest(), direction::read);
    REQUIRE(found.size() == 1);
    CHECK(found[0].begin == at(0));
    CHECK(found[0].end == at(130));
    CHECK(found[0].bytes == 640'000'000);
}

TEST_CASE("short bursts between stalls are a stream: only active time counts") {
    synthetic_drive drive("medium", "usb-storage");
    for (int i = 0; i < 6; ++i) drive.move(1, 10 * 65536).rest(10);  // ten operations every eleven seconds
    const auto found = find_phases(drive.digest(), direction::read);
    REQUIRE(found.size() == 1);
    CHECK(found[0].end == at(56));
}

TEST_CASE("what the firmware reads minutes before the copy is a phase of its own") {
    synthetic_drive medium("medium", "usb-storage");
    medium.rest(5).move(4, 10e6).rest(180).move(120, 74e6).rest(200).move(5, 10e6).rest(5);
    synthetic_drive disk("disk", "nvme");
    disk.rest(190).move(130, 1000, 50e6);
    run::digest all = run_of(medium, disk);
    const auto parts = run::find_all_phases(all);
    REQUIRE(parts.has_value());
    CHECK(*parts->medium == "medium");
    CHECK(parts->whole.name == "run");
    CHECK(parts->whole.drive.empty());
    CHECK(parts->whole.begin == at(0));
    CHECK(parts->whole.end == at(519));
    REQUIRE(parts->copy);
    CHECK(parts->copy->name == "copy");
    CHECK(parts->copy->drive == "medium");
    CHECK(parts->copy->begin == at(189));
    CHECK(parts->copy->end == at(309));
    CHECK(parts->copy->bytes == 8'880'000'000);
    REQUIRE(parts->all.size() == 4);
    CHECK(parts->all[0].name == "read 1");
    CHECK(parts->all[0].begin == at(5));
    CHECK(parts->all[0].end == at(9));
    CHECK(parts->all[1].name == "copy");
    CHECK(parts->all[2].name == "write 1");
    CHECK(parts->all[2].drive == "disk");
    CHECK(parts->all[3].name == "read 2");
}

TEST_CASE("a pause as long as the setting parts two phases") {
    for (const double pause : {89.0, 90.0}) {
        synthetic_drive drive("medium");
        drive.move(10, 50e6).rest(pause).move(10, 50e6);
        CAPTURE(pause);
        CHECK(find_phases(drive.digest(), direction::read).size() == (pause < 90 ? 1 : 2));
    }
}

TEST_CASE("activity without a stream is no phase") {
    synthetic_drive idle("idle");
    idle.rest(300);
    CHECK(find_phases(idle.digest(), direction::read).empty());
    CHECK(find_phases(idle.digest(), direction::write).empty());

    synthetic_drive slow("slow");
    slow.move(600, 2 * 65536);  // two operations a second
    CHECK(find_phases(slow.digest(), direction::read).empty());

    synthetic_drive small("small");
    small.request = 512;
    small.move(600, 300 * 512);  // many operations, hardly any bytes
    CHECK(find_phases(small.digest(), direction::read).empty());

    synthetic_drive once("once");
    CHECK(find_phases(once.digest(), direction::read).empty());

    CHECK(find_phases(run::drive_digest{}, direction::read).empty());
}

TEST_CASE("samples further apart than a window, and few of them") {
    synthetic_drive drive("medium");
    drive.step = 15;
    drive.rest(30).move(105, 60e6).rest(45);
    const auto found = find_phases(drive.digest(), direction::read);
    REQUIRE(found.size() == 1);
    CHECK(found[0].begin == at(30));
    CHECK(found[0].end == at(135));

    synthetic_drive brief("brief");
    brief.move(0.5, 60e6);
    const auto one = find_phases(brief.digest(), direction::read);
    REQUIRE(one.size() == 1);
    CHECK(one[0].end == at(0.5));
}

TEST_CASE("a new QEMU process in the middle of a phase does not end it") {
    synthetic_drive drive("medium");
    drive.move(20, 50e6).reset().rest(3).move(20, 50e6);
    const auto found = find_phases(drive.digest(), direction::read);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == 2'000'000'000);
    CHECK(found[0].end == at(43));
}

TEST_CASE("the medium is chosen by attachment and traffic") {
    synthetic_drive usb("usb", "usb-storage"), disk("disk", "nvme");
    usb.move(50, 40e6);
    disk.move(50, 60e6);  // a boot from the new disk
    run::digest all = run_of(disk, usb);
    CHECK(*run::install_medium(all).value() == "usb");
    CHECK(*run::install_medium(all, "disk").value() == "disk");

    SUBCASE("a CD with drivers is not the medium when an image on NVMe was read") {
        synthetic_drive drivers("drivers", "ide-cd"), image("image", "nvme"), target("target", "nvme");
        drivers.move(5, 20e6);
        image.move(50, 80e6);
        target.move(50, 90e6, 100e6);
        CHECK(*run::install_medium(run_of(target, drivers, image)).value() == "image");
    }
    SUBCASE("read-only and removable drives look like one, whatever they hang on") {
        for (const bool removable : {true, false}) {
            synthetic_drive other("other", "virtio-blk");
            other.digest().info.media.removable = removable;
            other.digest().info.media.read_only = !removable;
            other.move(10, 60e6);
            CHECK(*run::install_medium(run_of(disk, other)).value() == "other");
        }
    }
    SUBCASE("firmware is not a medium") {
        synthetic_drive flash("pflash0", "pflash"), small("small", "nvme");
        flash.digest().info.media.read_only = true;
        flash.move(50, 60e6);
        small.move(1, 1e6);
        CHECK(*run::install_medium(run_of(flash, small)).value() == "small");
        CHECK(*run::install_medium(run_of(flash, small), "pflash0").value() == "pflash0");
    }
    SUBCASE("nothing was read") {
        synthetic_drive written("written", "usb-storage");
        written.move(10, 0, 50e6);
        const run::digest none = run_of(written);
        CHECK(!run::install_medium(none).value());
        const run::phases parts = run::find_all_phases(none).value();
        CHECK(!parts.copy);
        CHECK(!parts.medium);
        CHECK(parts.all.size() == 1);
        CHECK(!run::install_medium(run::digest{}).value());
    }
    SUBCASE("a name that is not there") {
        const auto refused = run::find_all_phases(all, "ubs\x1b");
        REQUIRE(refused.has_error());
        CHECK(refused.error().code == base::errc::usage);
        CHECK(refused.error().message == "the run has no drive 'ubs?' to be the medium; it has disk, usb");
        CHECK(run::install_medium(run::digest{}, "x").error().message ==
              "the run has no drive 'x' to be the medium; it has no drives");
    }
    SUBCASE("a wanted medium that was never read has no copy") {
        synthetic_drive still("still", "nvme");
        still.rest(50);
        const run::phases parts = run::find_all_phases(run_of(usb, still), "still").value();
        CHECK(*parts.medium == "still");
        CHECK(!parts.copy);
    }
}

TEST_CASE("a look at the medium long before the copy is no part of it") {
    SUBCASE("one read of firmware's") {
        synthetic_drive drive("media", "usb-storage");
        drive.move(1, 65536).rest(12).move(10, 20e6).rest(10).move(10, 20e6);
        const auto found = find_phases(drive.digest(), direction::read);
        REQUIRE(found.size() == 1);
        CHECK(base::in_seconds(found[0].begin) == doctest::Approx(13));
        CHECK(base::in_seconds(found[0].end) == doctest::Approx(43));
        CHECK(static_cast<double>(found[0].bytes) == doctest::Approx(400e6).epsilon(0.01));
    }
    SUBCASE("bursts between stalls that are streams only together begin with the first") {
        synthetic_drive drive("media", "usb-storage");
        for (int i = 0; i < 20; ++i) drive.move(1, 700e3).rest(10);
        const auto found = find_phases(drive.digest(), direction::read);
        REQUIRE(found.size() == 1);
        CHECK(base::in_seconds(found[0].begin) == doctest::Approx(0));
    }
}

TEST_CASE("the work of finding phases grows with the run, not with its square") {
    const auto processor_time = [](int stalls) {
        synthetic_drive drive("long", "usb-storage");
        for (int i = 0; i < stalls; ++i) drive.move(2, 20e6, 1e6).rest(10);
        const std::clock_t begin = std::clock();
        CHECK(find_phases(drive.digest(), direction::read).size() == 1);
        CHECK(find_phases(drive.digest(), direction::write).size() == 1);
        return std::clock() - begin;
    };
    const std::clock_t short_run = processor_time(900);
    CHECK(processor_time(8 * 900) < 20 * std::max<std::clock_t>(short_run, 1));
}
