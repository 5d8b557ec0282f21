#include "sample/vm_facts.hpp"

#include "sample/query_block.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace qmpwatch::sample;
using qmpwatch::support::fixture;

namespace {

drive_facts stick(std::string qdev) {
    drive_facts drive;
    drive.info.identity.qdev = std::move(qdev);
    drive.info.attachment.device = "usb-storage";
    return drive;
}

}  // namespace

TEST_CASE("versions") {
    CHECK(parse_version("7.2.22") == qemu_version{7, 2, 22});
    CHECK(parse_version("11.1.3-rc1 (v11)") == qemu_version{11, 1, 3});
    CHECK(parse_version("8.0") == qemu_version{8, 0, 0});
    CHECK(parse_version("8.0.x") == qemu_version{8, 0, 0});
    for (const char* bad : {"", "8", "8.", "v8.0", "8.x", "-8.1", "99999999999.1", ".1"})
        CHECK_FALSE(parse_version(bad));
    CHECK(qemu_version{7, 2, 22} < qemu_version{10, 0, 0});
}

TEST_CASE("what the type of an interrupt controller says") {
    for (const char* type :
         {"kvm-apic", "kvm-ioapic", "kvm-arm-gic", "kvm-arm-gicv3", "hvf-arm-gicv3", "whpx-arm-gicv3"}) {
        CHECK(controller_of_type(type) == interrupt_controller::in_kernel);
    }
    for (const char* type : {"apic", "arm_gic", "arm-gicv3"})
        CHECK(controller_of_type(type) == interrupt_controller::emulated);
    // An emulated I/O APIC is there with kernel-irqchip=split, too.
    for (const char* type : {"", "ioapic", "isa-i8259", "arm"})
        CHECK(controller_of_type(type) == interrupt_controller::unknown);
}

TEST_CASE("names of cache modes") {
    CHECK(name(cache_mode{true, false, true}) == "none");
    CHECK(name(cache_mode{false, false, true}) == "writeback");
    CHECK(name(cache_mode{false, false, false}) == "writethrough");
    CHECK(name(cache_mode{true, false, false}) == "directsync");
    CHECK(name(cache_mode{true, true, true}) == "unsafe");
}

TEST_CASE("settings beside each drive that query-block lists") {
    for (const char* capture : {"captures/query_block_vm1.json", "captures/query_block_vm2.json",
                                "captures/query_block_burst.json", "captures/query_block_aarch64_virt.json"}) {
        CAPTURE(capture);
        const std::string text = fixture(capture);
        const auto drives = decode_query_block(text);
        REQUIRE(drives.has_value());
        const auto settings = decode_drive_settings(text);
        REQUIRE(settings.size() == drives->size());
        for (const drive_info& drive : *drives) {
            CHECK(drive.media.cache.has_value() == drive.media.inserted);
            CHECK(drive.media.size_bytes.has_value() == drive.media.inserted);
        }
    }
}

TEST_CASE("limits and snapshot=on over QMP") {
    const std::string_view text =
        R"([{"device":"a","inserted":{"drv":"qcow2","file":"/var/tmp/vl.x7Yz12","cache":{"direct":false,"no-flush":true,"writeback":true},)"
        R"("bps":1000,"bps_rd":2,"bps_wr":3,"iops":4,"iops_rd":5,"iops_wr":6}},{"device":"b"},)"
        R"({"device":"c","inserted":{"drv":"qcow2","file":"/images/vlan.qcow2","bps":-1,"iops":"x","cache":null}}])";
    const auto settings = decode_drive_settings(text);
    const auto drives = decode_query_block(text);
    REQUIRE(settings.size() == 3);
    REQUIRE(drives.has_value());
    REQUIRE(drives->size() == 3);
    CHECK(settings[0].limits == io_limits{1000, 2, 3, 4, 5, 6});
    CHECK(settings[0].is_overlay);
    CHECK((*drives)[0].media.cache == cache_mode{false, true, true});
    CHECK_FALSE((*drives)[2].media.cache.has_value());
    CHECK(settings[1] == drive_settings{});
    CHECK(settings[2] == drive_settings{});
}

TEST_CASE("settings that are none") {
    for (const char* bad : {"", "{}", "null", "[", "[1,2]", "\xff"}) CHECK(decode_drive_settings(bad).empty());
    CHECK(decode_drive_settings(std::string(100'000, '[')).empty());
}

TEST_CASE("settings beside each drive of info block") {
    for (const char* name : {"hmp/info_block_q35.txt", "hmp/info_block_pc_blockdev.txt", "hmp/info_block_11.1.txt"}) {
        CAPTURE(name);
        const std::string text = fixture(name);
        const inventory drives = decode_hmp_info_block(text);
        const auto settings = decode_hmp_drive_settings(text);
        REQUIRE(settings.size() == drives.size());
        for (const drive_info& drive : drives) CHECK(drive.media.cache.has_value() == drive.media.inserted);
    }
    const std::string_view text =
        "a (#block1): /a.img (raw)\r\n    Cache mode:       writeback, direct, ignore flushes\r\n"
        "    I/O throttling:   bps=1000 bps_rd=2 bps_wr=3 bps_max=9 iops=4 iops_rd=5 iops_wr=6 iops_max=0\r\n"
        "\r\nb: [not inserted]\r\n    Removable device: not locked, tray closed\r\n";
    const auto settings = decode_hmp_drive_settings(text);
    const auto drives = decode_hmp_info_block(text);
    REQUIRE(settings.size() == 2);
    REQUIRE(drives.size() == 2);
    CHECK(drives[0].media.cache == cache_mode{true, true, true});
    CHECK(settings[0].limits == io_limits{1000, 2, 3, 4, 5, 6});
    CHECK(settings[1] == drive_settings{});
    CHECK(decode_hmp_drive_settings("").empty());
}

TEST_CASE("the list of USB devices") {
    const auto ports = decode_usb_list("  Device 0.0, Port 1, Speed 12 Mb/s, Product QEMU USB Hub\r\n"
                                       "  Device 0.1, Port 1.1, Speed 12 Mb/s, Product QEMU USB MSD, ID: s1\r\n"
                                       "  Device 0.2, Port 2, Speed 5000 Mb/s, Product QEMU USB MSD\n"
                                       "  Device 0.3, Port 3, Speed fast, Product QEMU USB MSD\n"
                                       "  Device 0.3, Speed 480 Mb/s, Product QEMU USB MSD\n"
                                       "  Device 0.3, Port 3, Speed 480 Mb/s, Product QEMU USB Tablet\n");
    REQUIRE(ports.size() == 2);
    CHECK(ports[0] == usb_storage_port{"s1", "1.1", 12});
    CHECK(ports[1] == usb_storage_port{"", "2", 5000});
    CHECK(decode_usb_list("USB support not enabled").empty());
}

TEST_CASE("speeds find their drives") {
    vm_facts vm;
    vm.drives = {stick("/machine/peripheral/s1/s1.0/legacy[0]"),
                 stick("/machine/peripheral-anon/device[0]/scsi.0/legacy[0]")};
    vm.drives.emplace_back();
    apply_usb_list(vm, {{"s1", "1", 5000}, {"", "2.1", 12}});
    CHECK(vm.drives[0].usb_megabits_per_second == 5000);
    CHECK(vm.drives[1].usb_megabits_per_second == 12);  // the only one that is left
    CHECK_FALSE(vm.drives[2].usb_megabits_per_second);
    CHECK(vm.unmatched_full_speed == 0);

    vm.drives = {stick("/machine/peripheral-anon/device[0]/x"), stick("/machine/peripheral-anon/device[1]/x")};
    apply_usb_list(vm, {{"", "1", 5000}, {"", "2.1", 12}});
    CHECK_FALSE(vm.drives[0].usb_megabits_per_second);  // nobody knows which
    CHECK(vm.unmatched_full_speed == 1);

    vm.unmatched_full_speed = 0;
    apply_usb_list(vm, {{"", "2.2", 12}, {"", "2.1", 12}});
    CHECK(vm.drives[0].usb_megabits_per_second == 12);
    CHECK(vm.drives[1].usb_megabits_per_second == 12);
}

TEST_CASE("the device tree of the human monitor") {
    CHECK(controller_in_qtree(fixture("hmp/qtree_q35.txt")) == "ioapic");
    CHECK(controller_in_qtree(
              "bus: main-system-bus\r\n  dev: gpex-pcihost, id \"\"\r\n  dev: hvf-arm-gicv3, id \"\"\r\n") ==
          "hvf-arm-gicv3");
    CHECK(controller_in_qtree("  dev: kvm-ioapic, id \"\"\n") == "kvm-ioapic");
    CHECK(controller_in_qtree("").empty());
}

TEST_CASE("the command line") {
    const command_line_facts facts =
        read_options({"/usr/bin/qemu-system-aarch64", "-machine", "virt,accel=hvf:tcg,kernel-irqchip=off", "-D",
                      "/tmp/q.log", "-drive", "if=none,id=cd,file=a,,b.iso,media=cdrom,aio=native", "-blockdev",
                      "driver=raw,node-name=top,file=bottom", "-blockdev", "driver=file,node-name=bottom,filename=x",
                      "-drive", "file=unnamed.img"});
    CHECK(facts.arch == "aarch64");
    CHECK(facts.machine == "virt");
    CHECK(facts.accelerator == "hvf");
    CHECK(facts.kernel_irqchip == "off");
    CHECK(facts.log_file == "/tmp/q.log");
    REQUIRE(facts.drives.size() == 3);
    CHECK(facts.drives[0] == drive_option{"cd", "native", true});
    CHECK(facts.drives[1] == drive_option{"top", "", false});
    CHECK(facts.drives[2] == drive_option{"bottom", "threads", false});

    CHECK(read_options({"qemu-system-x86_64", "-enable-kvm", "-M", "type=q35"}).accelerator == "kvm");
    CHECK(read_options({"qemu-system-x86_64", "-accel", "kvm,kernel-irqchip=split"}).kernel_irqchip == "split");
    // What looks like an option may be the argument of one.
    CHECK(read_options({"qemu-system-x86_64", "-D", "-machine", "virt"}).machine.empty());
    CHECK(read_options({}).arch.empty());
    CHECK(read_options({"qemu-system-x86_64", "-machine"}).machine.empty());
}

TEST_CASE("the command line tells only what the monitor has left open") {
    command_line_facts options;
    options.accelerator = "kvm";
    options.kernel_irqchip = "off";
    vm_facts vm;
    apply_command_line(vm, options);
    CHECK(vm.identity.accelerator == "kvm");
    CHECK(vm.controller == interrupt_controller::emulated);
    options.kernel_irqchip = "split";
    vm = {};
    apply_command_line(vm, options);
    CHECK(vm.controller == interrupt_controller::in_kernel);

    vm = {};
    vm.identity.accelerator = "tcg";  // accel=kvm:tcg, and there was no KVM
    apply_command_line(vm, options);
    CHECK(vm.identity.accelerator == "tcg");
    CHECK(vm.controller == interrupt_controller::unknown);
    conclude_from_controller(vm);
    CHECK(vm.controller == interrupt_controller::emulated);
}

TEST_CASE("what the type of the controller gives away") {
    vm_facts vm;
    vm.controller_type = "hvf-arm-gicv3";
    conclude_from_controller(vm);
    CHECK(vm.identity.accelerator == "hvf");
    CHECK(vm.identity.arch == "aarch64");
    CHECK(vm.gic_version == "3");
    vm = {};
    vm.controller_type = "kvm-ioapic";
    conclude_from_controller(vm);
    CHECK(vm.identity.accelerator == "kvm");
    CHECK(vm.identity.arch == "x86_64");
    CHECK(vm.gic_version.empty());
}
