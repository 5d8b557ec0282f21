#include "stall/advice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace qmpwatch;
using sample::interrupt_controller;
using stall::advise;
using stall::certainty;
using stall::finding;
using stall::irqchip_off;
using stall::judge_irqchip_off;
using stall::severity;

namespace {

sample::vm_facts vm_with(std::string accelerator, std::string arch, interrupt_controller controller,
                         std::string gic_version = {}) {
    sample::vm_facts vm;
    vm.identity.version = "11.1.2";
    vm.identity.accelerator = std::move(accelerator);
    vm.identity.arch = std::move(arch);
    vm.identity.machine = vm.identity.arch == "aarch64" ? "virt-11.1" : "pc-q35-11.1";
    vm.controller = controller;
    vm.gic_version = std::move(gic_version);
    return vm;
}

sample::drive_facts drive_on(std::string name, std::string device, std::string bus, bool read_only = false) {
    sample::drive_facts drive;
    drive.info.identity.device = std::move(name);
    drive.info.attachment = {std::move(device), std::move(bus)};
    drive.info.media.inserted = true;
    drive.info.media.file = "/images/disk.img";
    drive.info.media.format = "raw";
    drive.info.media.read_only = read_only;
    drive.info.media.cache = sample::cache_mode{};
    return drive;
}

sample::drive_facts stick() { return drive_on("install_media", "usb-storage", "qemu-xhci", true); }

std::optional<finding> find(const std::vector<finding>& all, std::string_view id) {
    const auto at = std::find_if(all.begin(), all.end(), [id](const finding& one) { return one.id == id; });
    if (at == all.end()) return std::nullopt;
    return *at;
}

/// Everything that the user could read in it.
std::string text_of(const finding& one) {
    std::string text = one.title + '\n';
    for (const std::string& each : one.known) text += each + '\n';
    for (const stall::remedy& each : one.remedies) text += each.what + '\n' + each.option + '\n';
    return text + one.proof;
}

/// Whether the option kernel-irqchip=off is there to be copied.
bool offers_irqchip_off(const std::vector<finding>& all) {
    for (const finding& one : all) {
        for (const stall::remedy& each : one.remedies) {
            if (each.option.find("kernel-irqchip=off") != std::string::npos) return true;
        }
    }
    return false;
}

constexpr auto in_kernel = interrupt_controller::in_kernel;
constexpr auto emulated = interrupt_controller::emulated;
constexpr auto unknown = interrupt_controller::unknown;

}  // namespace

TEST_CASE("kernel-irqchip=off is offered where it works and nowhere else") {
    struct gate {
        const char *accelerator, *arch, *gic;
        interrupt_controller controller;
        irqchip_off judged;
    };
    for (const gate& one : std::vector<gate>{{"hvf", "aarch64", "3", in_kernel, irqchip_off::works},
                                             {"hvf", "aarch64", "", unknown, irqchip_off::works},
                                             {"hvf", "aarch64", "3", emulated, irqchip_off::already},
                                             {"hvf", "x86_64", "", unknown, irqchip_off::no_effect},
                                             {"kvm", "x86_64", "", in_kernel, irqchip_off::works},
                                             {"kvm", "i386", "", in_kernel, irqchip_off::works},
                                             {"kvm", "x86_64", "", emulated, irqchip_off::already},
                                             {"kvm", "aarch64", "2", in_kernel, irqchip_off::works},
                                             {"kvm", "aarch64", "3", in_kernel, irqchip_off::refused},
                                             {"kvm", "aarch64", "4", in_kernel, irqchip_off::refused},
                                             {"kvm", "aarch64", "", in_kernel, irqchip_off::unknown},
                                             {"kvm", "aarch64", "host", in_kernel, irqchip_off::unknown},
                                             {"kvm", "riscv64", "", in_kernel, irqchip_off::unknown},
                                             {"whpx", "aarch64", "3", in_kernel, irqchip_off::no_boot},
                                             {"whpx", "x86_64", "", unknown, irqchip_off::no_boot},
                                             {"tcg", "aarch64", "3", emulated, irqchip_off::no_effect},
                                             {"tcg", "x86_64", "", emulated, irqchip_off::no_effect},
                                             {"", "x86_64", "", unknown, irqchip_off::unknown},
                                             {"", "", "", in_kernel, irqchip_off::unknown},
                                             {"xen", "x86_64", "", unknown, irqchip_off::unknown}}) {
        CAPTURE(one.accelerator);
        CAPTURE(one.arch);
        CAPTURE(one.gic);
        sample::vm_facts vm = vm_with(one.accelerator, one.arch, one.controller, one.gic);
        CHECK(judge_irqchip_off(vm) == one.judged);
        vm.drives = {stick()};
        CHECK(offers_irqchip_off(advise(vm)) == (one.judged == irqchip_off::works));

        // Never when the installation is from NVMe: Setup hangs with it.
        vm.drives.push_back(drive_on("setup", "nvme", "pci"));
        vm.drives.back().settings.is_overlay = true;
        CHECK_FALSE(offers_irqchip_off(advise(vm)));
    }
}

TEST_CASE("the option has the machine of the VM") {
    sample::vm_facts vm = vm_with("hvf", "aarch64", in_kernel, "3");
    vm.drives = {stick()};
    CHECK(text_of(advise(vm).front()).find("-machine virt,kernel-irqchip=off") != std::string::npos);
    vm = vm_with("kvm", "x86_64", in_kernel);
    vm.drives = {stick()};
    CHECK(text_of(advise(vm).front()).find("-machine q35,kernel-irqchip=off") != std::string::npos);
    vm.identity.machine = "pc-i440fx-9.0";
    CHECK(text_of(advise(vm).front()).find("-machine pc,kernel-irqchip=off") != std::string::npos);
}

TEST_CASE("an NVMe disk of the guest's own does not stand in the way of the option") {
    sample::vm_facts vm = vm_with("hvf", "aarch64", in_kernel, "3");
    vm.drives = {stick(), drive_on("system", "nvme", "pci")};
    CHECK(offers_irqchip_off(advise(vm)));
}

TEST_CASE("how sure a lost completion is") {
    sample::vm_facts vm = vm_with("hvf", "aarch64", in_kernel, "3");
    vm.drives = {stick()};
    const auto judged = [&vm] {
        const auto one = find(advise(vm), "usb_storage_lost_completion");
        REQUIRE(one.has_value());
        return std::pair(one->severity, one->certainty);
    };
    const auto check = [&judged](severity how_bad, certainty how_sure) {
        CHECK(judged().first == how_bad);
        CHECK(judged().second == how_sure);
    };
    check(severity::warning, certainty::likely);
    vm.identity.version = "11.2.0";  // nobody has looked
    check(severity::warning, certainty::possible);
    vm.identity.version = "5.2.0";
    check(severity::warning, certainty::possible);
    vm.identity.version = "11.1.3";
    check(severity::warning, certainty::likely);
    vm.controller = unknown;
    check(severity::warning, certainty::possible);
    vm.controller = emulated;
    check(severity::info, certainty::possible);
    vm.drives.front().has_lost_completions = true;
    check(severity::problem, certainty::known);
    CHECK(find(advise(vm), "usb_storage_lost_completion")->proof.empty());
}

TEST_CASE("what the advice about usb-storage says and what it must not say") {
    for (const char* accelerator : {"hvf", "kvm", "tcg", "whpx", ""}) {
        sample::vm_facts vm = vm_with(accelerator, "aarch64", in_kernel, "3");
        vm.drives = {stick()};
        const std::string text = text_of(advise(vm).front());
        CHECK(text.find("another USB controller is no cure") != std::string::npos);
        CHECK(text.find("No QEMU release with a fix is known") != std::string::npos);
        CHECK(text.find("4658") != std::string::npos);
        CHECK((text.find("UTM is said to have it fixed from 5.0.8 on") != std::string::npos) ==
              (std::string_view(accelerator) == "hvf"));
        const auto found = advise(vm);
        for (const stall::remedy& each : found.front().remedies) {
            CHECK(each.option.find("readonly=on") == std::string::npos);
            CHECK(each.option.find("media=cdrom") == std::string::npos);
            CHECK(each.option.find("ehci") == std::string::npos);
            if (each.option.find("nvme") != std::string::npos)
                CHECK(each.option.find("snapshot=on") != std::string::npos);
        }
    }
}

TEST_CASE("a drive that others share its fate with is not blamed alone") {
    sample::vm_facts vm = vm_with("kvm", "x86_64", in_kernel);
    vm.drives = {stick()};
    vm.drives.front().has_lost_completions = vm.drives.front().are_losses_shared = true;
    CHECK(text_of(advise(vm).front()).find("to this or another usb-storage drive") != std::string::npos);
}

TEST_CASE("an NVMe drive that cannot be written") {
    sample::vm_facts vm = vm_with("hvf", "aarch64", emulated, "3");
    vm.drives = {drive_on("setup", "nvme", "pci", true)};
    const auto found = advise(vm);
    REQUIRE(find(found, "nvme_read_only").has_value());
    CHECK(find(found, "nvme_read_only")->remedies.front().option ==
          "-drive if=none,id=setup,file=/images/disk.img,snapshot=on");
    vm.drives.front().info.media.read_only = false;
    CHECK(advise(vm).empty());
    vm.drives.front().is_cdrom = true;
    CHECK(find(advise(vm), "nvme_read_only").has_value());
    vm.drives.front().info.attachment.device = "virtio-blk";  // may be read-only
    CHECK_FALSE(find(advise(vm), "nvme_read_only").has_value());
}

TEST_CASE("file names in options") {
    sample::vm_facts vm = vm_with("hvf", "aarch64", emulated, "3");
    vm.drives = {drive_on("", "nvme", "pci", true)};
    vm.drives.front().info.media.file = "a,b,,c.img";
    CHECK(advise(vm).front().remedies.front().option == "-drive if=none,id=ID,file=a,,b,,,,c.img,snapshot=on");
    vm.drives.front().info.media.file = R"(json:{"driver": "raw"})";
    CHECK(advise(vm).front().remedies.front().option == "-drive if=none,id=ID,file=FILE,snapshot=on");
}

TEST_CASE("a hub of 12 Mb/s") {
    sample::vm_facts vm = vm_with("tcg", "x86_64", emulated);
    vm.drives = {stick()};
    CHECK_FALSE(find(advise(vm), "usb_full_speed_hub").has_value());  // not known
    vm.drives.front().usb_megabits_per_second = 480;
    CHECK_FALSE(find(advise(vm), "usb_full_speed_hub").has_value());
    vm.drives.front().usb_megabits_per_second = 12;
    REQUIRE(find(advise(vm), "usb_full_speed_hub").has_value());
    CHECK(find(advise(vm), "usb_full_speed_hub")->drive == "install_media");
    vm.drives.front().usb_megabits_per_second = 5000;
    vm.unmatched_full_speed = 2;
    REQUIRE(find(advise(vm), "usb_full_speed_hub").has_value());
    CHECK(find(advise(vm), "usb_full_speed_hub")->drive.empty());
}

TEST_CASE("limits, cache modes, aio") {
    sample::vm_facts vm = vm_with("kvm", "x86_64", in_kernel);
    vm.drives = {drive_on("d", "virtio-blk", "pci")};
    sample::drive_facts& drive = vm.drives.front();
    CHECK(advise(vm).empty());

    drive.settings.limits.reads_per_second = 20;
    REQUIRE(find(advise(vm), "throttled").has_value());
    CHECK(find(advise(vm), "throttled")->known == std::vector<std::string>{"at most 20 reads a second"});
    CHECK(find(advise(vm), "throttled")->remedies.front().option == "block_set_io_throttle d 0 0 0 0 0 0");
    drive.settings.limits = {};

    drive.info.media.cache = sample::cache_mode{false, false, false};
    REQUIRE(find(advise(vm), "cache_mode").has_value());
    CHECK(find(advise(vm), "cache_mode")->severity == severity::info);  // its guest's driver may be why
    drive.info.attachment.device = "nvme";
    CHECK(find(advise(vm), "cache_mode")->severity == severity::warning);
    drive.info.attachment.device = "virtio-blk";
    drive.info.media.read_only = true;  // nothing is written
    CHECK_FALSE(find(advise(vm), "cache_mode").has_value());
    drive.info.media.cache = sample::cache_mode{true, false, true};
    CHECK(find(advise(vm), "cache_mode").has_value());
    drive.info.media.read_only = false;
    CHECK(advise(vm).empty());

    drive.aio = "threads";
    CHECK(find(advise(vm), "aio_threads").has_value());
    vm.identity.accelerator = "hvf";  // macOS has threads only
    CHECK_FALSE(find(advise(vm), "aio_threads").has_value());
    vm.identity.accelerator = "kvm";
    drive.info.media.cache = sample::cache_mode{};
    CHECK_FALSE(find(advise(vm), "aio_threads").has_value());

    drive.info.media.cache = sample::cache_mode{false, true, true};
    CHECK(find(advise(vm), "cache_mode")->severity == severity::info);
    drive.settings.is_overlay = true;  // snapshot=on makes it so
    CHECK_FALSE(find(advise(vm), "cache_mode").has_value());
}

TEST_CASE("the worst first, drives in QEMU's order among equals") {
    sample::vm_facts vm = vm_with("tcg", "x86_64", emulated);
    for (int i = 0; i < 40; ++i) {
        vm.drives.push_back(drive_on("d" + std::to_string(i), "usb-storage", "qemu-xhci"));
        if (i % 2 == 1) vm.drives.back().settings.limits.bytes_per_second = 1;
    }
    vm.drives.back().has_lost_completions = true;
    const auto found = advise(vm);
    REQUIRE(found.size() == 60);
    CHECK(found.front().drive == "d39");
    CHECK(found.front().severity == severity::problem);
    for (std::size_t i = 0; i < 20; ++i) CHECK(found[1 + i].drive == "d" + std::to_string(2 * i + 1));
    for (std::size_t i = 0; i < 39; ++i) CHECK(found[21 + i].drive == "d" + std::to_string(i));
}

TEST_CASE("nothing to advise") {
    CHECK(advise({}).empty());
    sample::vm_facts vm = vm_with("kvm", "x86_64", in_kernel);
    vm.drives = {stick()};
    vm.drives.front().info.media.inserted = false;
    CHECK(advise(vm).empty());
}

TEST_CASE("names for scripts") {
    CHECK(name(severity::info) == "info");
    CHECK(name(severity::warning) == "warning");
    CHECK(name(severity::problem) == "problem");
    CHECK(name(certainty::possible) == "possible");
    CHECK(name(certainty::likely) == "likely");
    CHECK(name(certainty::known) == "known");
}
