#include "report/findings.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "support/files.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

using namespace qmpwatch;
using base::seconds;
using json = nlohmann::ordered_json;

namespace {

sample::drive_facts drive(std::string name, std::string device, std::string bus, std::string file) {
    sample::drive_facts one;
    one.info.identity = {name, "/machine/peripheral/" + name, "#block1"};
    one.info.attachment = {std::move(device), std::move(bus)};
    one.info.media.inserted = true;
    one.info.media.file = std::move(file);
    one.info.media.format = "raw";
    one.info.media.cache = sample::cache_mode{};
    one.aio = "threads";
    return one;
}

/// An installation of Windows on Arm that loses completions, with some other troubles.
report::diagnosis winarm() {
    report::diagnosis all;
    sample::vm_identity& identity = all.vm.identity;
    identity.vm = "winarm";
    identity.socket = "/tmp/qmp.sock";
    identity.protocol = "qmp";
    identity.version = "11.1.2";
    identity.machine = "virt-11.1";
    identity.accelerator = "hvf";
    identity.arch = "aarch64";
    identity.pid = 4711;
    all.vm.controller = sample::interrupt_controller::in_kernel;
    all.vm.controller_type = "hvf-arm-gicv3";
    all.vm.gic_version = "3";
    all.vm.drives = {
        drive("install_media", "usb-storage", "qemu-xhci", "/images/win11.iso"),
        drive("system", "nvme", "pci", "/images/system.img"),
        drive("odd", "virtio-blk", "pci", R"(json:{"driver": "raw", "file": {"filename": "/a/odd.img"}})")};
    all.vm.drives[0].info.media.read_only = true;
    all.vm.drives[0].usb_megabits_per_second = 12;
    all.vm.drives[0].has_lost_completions = true;
    all.vm.drives[1].settings.limits.bytes_per_second = 1'000'000;
    all.vm.drives.emplace_back();
    all.vm.drives.back().info.identity.device = "cd0";
    report::proof_result proof;
    proof.duration = seconds(12);
    proof.completed = 7000;
    proof.lines = 21000;
    proof.lost = {{0xce, base::steady_time(seconds(1)), base::steady_time(seconds(11))}};
    all.proof = proof;
    all.findings = stall::advise(all.vm);
    return all;
}

}  // namespace

TEST_CASE("a diagnosis for people and for scripts") {
    const std::string text = report::findings_text(winarm(), 100);
    CHECK(text == support::golden("doctor.txt", text));
    const std::string line = report::findings_json(winarm());
    CHECK(line == support::golden("doctor.json", line));
}

TEST_CASE("the JSON is one object on one line, with all that the text says") {
    const std::string line = report::findings_json(winarm());
    CHECK(line.find('\n') == line.size() - 1);
    const json object = base::parse_ordered_json(line);
    CHECK(object.at("schema") == json{{"name", "qmpwatch-doctor"}, {"version", 1}});
    CHECK(object.at("drives").size() == 4);
    CHECK(object.at("drives")[3].at("file").is_null());
    CHECK(object.at("findings").size() == winarm().findings.size());
    CHECK(object.at("findings")[0].at("id") == "usb_storage_lost_completion");
    CHECK(object.at("findings")[0].at("severity") == "problem");
    CHECK(object.at("proof").at("lost_completions")[0].at("tag") == 0xce);
    CHECK(object.at("proof").at("lost_completions")[0].at("seconds") == 10.0);
}

TEST_CASE("a VM of which nothing is known") {
    const std::string text = report::findings_text({}, 80);
    CHECK(text.find("It has no drives.") != std::string::npos);
    CHECK(text.find("Nothing is known to be wrong with it.") != std::string::npos);
    const json object = base::parse_ordered_json(report::findings_json({}));
    CHECK(object.at("proof").is_null());
    CHECK(object.at("pid").is_null());
    CHECK(object.at("findings").empty());
}

TEST_CASE("a proof that has seen nothing says what that means") {
    report::diagnosis all;
    all.proof = report::proof_result{seconds(60), 0, 0, {}};
    const std::string idle = report::findings_text(all, 80);
    all.proof->completed = all.proof->lines = 900;
    const std::string healthy = report::findings_text(all, 80);
    CHECK(idle.find("Proof:") != std::string::npos);
    CHECK(healthy.find("900") != std::string::npos);
    CHECK(idle != healthy);
}

TEST_CASE("lines are as wide as the terminal, but for what is to be copied") {
    for (const std::size_t width : {std::size_t(60), std::size_t(72), std::size_t(200)}) {
        std::istringstream text(report::findings_text(winarm(), width));
        for (std::string line; std::getline(text, line);) {
            CAPTURE(line);
            const bool is_for_copying =
                line.find("-drive") != std::string::npos || line.find("-device") != std::string::npos ||
                line.find("https://") != std::string::npos || line.find("block_set_") != std::string::npos;
            if (!is_for_copying) CHECK(base::columns(line) <= width);
            CHECK((line.empty() || line.back() != ' '));
        }
    }
}

TEST_CASE("what a VM calls itself does no harm to the terminal") {
    report::diagnosis all = winarm();
    all.vm.identity.vm = "\x1b[2Jevil";
    all.vm.drives[0].info.identity.device = "a\x1b]0;x\x07\nb";
    all.vm.drives[0].info.media.file = "/\x1b[31m.iso";
    all.findings = stall::advise(all.vm);
    CHECK(report::findings_text(all, 100).find('\x1b') == std::string::npos);
    const std::string line = report::findings_json(all);
    CHECK(line.find('\x1b') == std::string::npos);
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(base::parse_ordered_json(line).is_object());
}
