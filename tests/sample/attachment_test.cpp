// How drives are attached: the walk through QOM and the device tree, against the answers of real QEMUs.
#include "sample/attachment.hpp"
#include "base/json.hpp"
#include "sample/query_block.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

using namespace qmpwatch;
using namespace qmpwatch::sample;
using qmpwatch::support::fixture;
using qmpwatch::support::fixture_lines;

namespace {

/// What a QEMU answers to qom-get, by "path property".
using object_model = std::map<std::string, std::string>;

struct walked {
    qmpwatch::sample::attachment attachment;
    int questions = 0;
};

walked walk(const std::string& qdev, const object_model& model) {
    attachment_walk path(qdev);
    walked outcome;
    while (const qom_question* question = path.next()) {
        ++outcome.questions;
        REQUIRE(outcome.questions <= 12);
        const auto found = model.find(question->path + " " + question->property);
        path.answer(found == model.end() ? std::nullopt : std::optional(found->second));
    }
    outcome.attachment = path.result();
    return outcome;
}

/// The questions and answers in a transcript of a QMP conversation.
object_model transcript(const std::string& name) {
    object_model model;
    std::map<int, std::string> asked;
    for (const std::string& line : fixture_lines("captures/" + name)) {
        const std::size_t brace = line.find('{');
        if (brace == std::string::npos) continue;
        const auto message = base::parse_json(line.substr(brace));
        if (!message.is_object() || !message.contains("id")) continue;
        const int id = message["id"].get<int>();
        if (message.value("execute", "") == "qom-get") {
            asked[id] = message["arguments"]["path"].get<std::string>() + " " +
                        message["arguments"]["property"].get<std::string>();
        } else if (asked.contains(id) && message.contains("return") && message["return"].is_string()) {
            model[asked[id]] = message["return"].get<std::string>();
        }
    }
    return model;
}

struct recorded_vm {
    std::vector<drive_identity> drives;
    object_model model;
};

/// The drives of a live VM and what QEMU 7.2 answered about the objects around them.
recorded_vm recorded(const std::string& name) {
    const auto file = base::parse_json(fixture("qom/" + name + ".json"));
    recorded_vm vm;
    for (const auto& drive : file["drives"]) {
        vm.drives.push_back({drive["device"].get<std::string>(), drive["qdev"].get<std::string>(),
                             drive["node-name"].get<std::string>()});
    }
    for (const auto& [question, answer] : file["answers"].items()) {
        if (answer.is_string()) vm.model[question] = answer.get<std::string>();
    }
    return vm;
}

/// The attachments found by walking, by the names that `info qtree` has for drives.
std::map<std::string, attachment> walk_all(const recorded_vm& vm) {
    std::map<std::string, attachment> found;
    for (const drive_identity& drive : vm.drives) {
        found[drive.device.empty() ? drive.node_name : drive.device] = walk(drive.qdev, vm.model).attachment;
    }
    return found;
}

std::map<std::string, attachment> qtree(const std::string& name) {
    std::map<std::string, attachment> found;
    for (const qtree_drive& drive : decode_hmp_qtree(fixture("hmp/" + name))) {
        CHECK(found.emplace(drive.drive, drive.attachment).second);
    }
    return found;
}

}  // namespace

namespace qmpwatch::sample {

std::ostream& operator<<(std::ostream& out, const attachment& shown) {
    return out << shown.device << " on " << shown.bus;
}

}  // namespace qmpwatch::sample

TEST_CASE("what a guest sees") {
    CHECK(attachment_name("scsi-hd", "usb-storage") == "usb-storage");
    CHECK(attachment_name("scsi-cd", "usb-storage") == "usb-storage");
    CHECK(attachment_name("virtio-blk-device", "virtio-blk-pci") == "virtio-blk");
    CHECK(attachment_name("virtio-blk-device", "virtio-blk-ccw") == "virtio-blk");
    CHECK(attachment_name("virtio-blk-device", "") == "virtio-blk");
    CHECK(attachment_name("cfi.pflash01", "") == "pflash");
    CHECK(attachment_name("cfi.pflash02", "") == "pflash");
    CHECK(attachment_name("scsi-hd", "") == "scsi-hd");
    CHECK(attachment_name("scsi-hd", "lsi53c895a") == "scsi-hd");
    CHECK(attachment_name("nvme-ns", "nvme") == "nvme-ns");
    CHECK(attachment_name("", "") == "");
}

TEST_CASE("what a path gives away") {
    CHECK(attachment_from_path("/machine/peripheral-anon/device[0]/scsi.0/legacy[0]") == attachment{"usb-storage", ""});
    CHECK(attachment_from_path("/machine/peripheral-anon/device[6]/scsi.2/legacy[0]") == attachment{"usb-storage", ""});
    CHECK(attachment_from_path("/machine/peripheral/usbvirtio/usbvirtio.0/legacy[0]") == attachment{"usb-storage", ""});
    CHECK(attachment_from_path("/machine/peripheral/vblk0/virtio-backend") == attachment{"virtio-blk", ""});
    CHECK(attachment_from_path("/machine/virt.flash0") == attachment{"pflash", ""});
    CHECK(attachment_from_path("/machine/system.flash1") == attachment{"pflash", ""});
    for (const char* path :
         {"", "uashd", "/machine/peripheral-anon/device[1]", "/machine/unattached/device[16]", "/machine/x.flash",
          "/machine/x.flashy", "legacy[0]", "virtio-backend", "/machine/peripheral/legacy[0]"}) {
        CHECK_MESSAGE(attachment_from_path(path) == attachment{}, path);
    }
}

TEST_CASE("the walk asks for types upwards, then for the bus") {
    attachment_walk path("/machine/peripheral/stick/stick.0/legacy[0]");
    const auto expect = [&](const char* where, const char* property, std::optional<std::string> answer) {
        REQUIRE(path.next() != nullptr);
        CHECK(path.next()->path == where);
        CHECK(path.next()->property == property);
        path.answer(std::move(answer));
    };
    CHECK(path.result() == attachment{});
    expect("/machine/peripheral/stick/stick.0/legacy[0]", "type", "scsi-cd");
    CHECK(path.result() == attachment{"scsi-cd", ""});
    expect("/machine/peripheral/stick/stick.0", "type", "SCSI");
    expect("/machine/peripheral/stick", "type", "usb-storage");
    CHECK(path.result() == attachment{"usb-storage", ""});
    expect("/machine/peripheral/stick", "parent_bus", "/machine/peripheral/xhci/xhci.0");
    expect("/machine/peripheral/xhci", "type", "qemu-xhci");
    CHECK(path.next() == nullptr);
    CHECK(path.result() == attachment{"usb-storage", "qemu-xhci"});
    path.answer("late");
    CHECK(path.result() == attachment{"usb-storage", "qemu-xhci"});
}

TEST_CASE("an id is a device below /machine/peripheral") {
    attachment_walk path("uashd");
    REQUIRE(path.next() != nullptr);
    CHECK(path.next()->path == "/machine/peripheral/uashd");
    path.answer("scsi-hd");
    REQUIRE(path.next() != nullptr);
    CHECK(path.next()->path == "/machine/peripheral/uashd");
    CHECK(path.next()->property == "parent_bus");
}

TEST_CASE("refusals leave empty what they would have told") {
    CHECK(walk("/machine/peripheral/stick/stick.0/legacy[0]", {}).attachment == attachment{});
    CHECK(walk("/machine/peripheral/stick/stick.0/legacy[0]", {}).questions == 1);
    CHECK(walk("", {}).questions == 0);
    CHECK(walk("d", {{"/machine/peripheral/d type", "nvme"}}).attachment == attachment{"nvme", ""});
    CHECK(
        walk("d", {{"/machine/peripheral/d type", "nvme"}, {"/machine/peripheral/d parent_bus", "/machine/q35/pcie.0"}})
            .attachment == attachment{"nvme", ""});
    // The bus in between is refused, the owner is not.
    CHECK(walk("/machine/peripheral/s/s.0/legacy[0]",
               {{"/machine/peripheral/s/s.0/legacy[0] type", "scsi-hd"}, {"/machine/peripheral/s type", "usb-storage"}})
              .attachment == attachment{"usb-storage", ""});
    CHECK(walk("d", {{"/machine/peripheral/d type", "nvme"}, {"/machine/peripheral/d parent_bus", "nonsense"}})
              .attachment == attachment{"nvme", ""});
}

TEST_CASE("the walk ends, however deep the path and whatever is answered") {
    std::string deep = "/machine";
    for (int level = 0; level < 100; ++level) deep += "/x";
    for (const char* answer : {"SCSI", "container", "/machine/a/b", "", "usb-storage"}) {
        attachment_walk path(deep);
        int questions = 0;
        while (path.next() != nullptr) {
            path.answer(answer);
            ++questions;
        }
        CHECK(questions <= 12);
    }
    for (const char* qdev : {"/", "//", "/machine", "/machine/", "relative/path", "////////"}) {
        attachment_walk path(qdev);
        int questions = 0;
        while (path.next() != nullptr) {
            path.answer("x");
            ++questions;
        }
        CHECK(questions <= 12);
    }
}

TEST_CASE("a disk of a SCSI controller is not taken for the controller") {
    const object_model model{{"/machine/peripheral/lsi/lsi.0/legacy[0] type", "scsi-hd"},
                             {"/machine/peripheral/lsi/lsi.0 type", "SCSI"},
                             {"/machine/peripheral/lsi type", "lsi53c895a"},
                             {"/machine/peripheral/lsi/lsi.0/legacy[0] parent_bus", "/machine/peripheral/lsi/lsi.0"},
                             {"/machine/peripheral/lsi parent_bus", "/machine/i440fx/pci.0"}};
    CHECK(walk("/machine/peripheral/lsi/lsi.0/legacy[0]", model).attachment == attachment{"scsi-hd", "lsi53c895a"});
}

TEST_CASE("the captured conversations") {
    // They hold the types, not the buses.
    const auto first = transcript("qom_mapping_vm1.txt");
    CHECK(walk("/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", first).attachment ==
          attachment{"usb-storage", ""});
    CHECK(walk("/machine/peripheral-anon/device[1]", first).attachment == attachment{"nvme", ""});
    CHECK(walk("/machine/peripheral/usbvirtio/usbvirtio.0/legacy[0]", first).attachment ==
          attachment{"usb-storage", ""});
    CHECK(walk("/machine/peripheral/vblk0/virtio-backend", first).attachment == attachment{"virtio-blk", ""});
    CHECK(walk("/machine/peripheral-anon/device[2]", first).attachment == attachment{"ide-cd", ""});

    const auto second = transcript("qom_mapping_vm2.txt");
    CHECK(walk("/machine/peripheral-anon/device[3]/virtio-backend", second).attachment == attachment{"virtio-blk", ""});
    CHECK(walk("/machine/peripheral-anon/device[2]", second).attachment == attachment{"scsi-cd", ""});
    CHECK(walk("/machine/unattached/device[16]", second).attachment == attachment{"ide-cd", ""});
    CHECK(walk("/machine/peripheral/vtst/virtio-backend", second).attachment == attachment{"virtio-blk", ""});
    CHECK(walk("uashd", second).attachment == attachment{"scsi-hd", ""});
    CHECK(walk("/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", second).attachment ==
          attachment{"usb-storage", ""});
    CHECK(walk("/machine/peripheral-anon/device[1]", second).attachment == attachment{"nvme-ns", ""});

    const auto arm = transcript("aarch64_virt_session.txt");
    CHECK(walk("/machine/peripheral-anon/device[3]/scsi.0/legacy[0]", arm).attachment == attachment{"usb-storage", ""});
    CHECK(walk("/machine/peripheral-anon/device[4]", arm).attachment == attachment{"nvme", ""});
    CHECK(walk("/machine/peripheral-anon/device[6]/scsi.2/legacy[0]", arm).attachment == attachment{"usb-storage", ""});
}

TEST_CASE("a q35 machine with every kind of drive") {
    const auto found = walk_all(recorded("q35"));
    const std::map<std::string, attachment> expected{{"install_media", {"usb-storage", "qemu-xhci"}},
                                                     {"system", {"nvme", "pci"}},
                                                     {"ns1", {"nvme-ns", "nvme"}},
                                                     {"vd", {"virtio-blk", "pci"}},
                                                     {"scd", {"scsi-cd", "virtio-scsi"}},
                                                     {"cd0", {"ide-cd", "ich9-ahci"}},
                                                     {"uasd", {"scsi-hd", "usb-uas"}},
                                                     {"virtio0", {"virtio-blk", "pci"}},
                                                     {"pflash0", {"pflash", ""}},
                                                     {"g-file", {"usb-storage", "qemu-xhci"}},
                                                     {"sd0", {}},
                                                     {"", {"scsi-cd", "virtio-scsi"}}};
    CHECK(found == expected);

    // `info qtree` knows no drive in a device without a medium and a name, and none outside of devices.
    auto in_tree = expected;
    in_tree.erase("sd0");
    in_tree.erase("");
    CHECK(qtree("qtree_q35.txt") == in_tree);
}

TEST_CASE("a pc machine with unnamed drives") {
    const auto found = walk_all(recorded("pc_blockdev"));
    const std::map<std::string, attachment> expected{{"media", {"usb-storage", "piix3-usb-uhci"}},
                                                     {"data", {"virtio-blk", "pci"}},
                                                     {"idedisk", {"ide-hd", "piix3-ide"}},
                                                     {"ide1-cd0", {"ide-cd", "piix3-ide"}},
                                                     {"d-file", {"scsi-hd", "virtio-scsi"}},
                                                     {"e-file", {"scsi-hd", "lsi53c895a"}},
                                                     {"h-file", {"sd-card", "sdhci-pci"}},
                                                     {"floppy0", {"floppy", "isa-fdc"}},
                                                     {"orphan", {}}};
    CHECK(found == expected);
    auto in_tree = expected;
    in_tree.erase("orphan");
    CHECK(qtree("qtree_pc_blockdev.txt") == in_tree);
}

TEST_CASE("the device tree of an arm machine in a captured conversation") {
    std::string tree;
    for (const std::string& line : fixture_lines("captures/aarch64_virt_session.txt")) {
        const auto message = base::parse_json(line.substr(std::min(line.find('{'), line.size())));
        if (!message.is_object() || !message.contains("return") || !message["return"].is_string()) continue;
        const auto text = message["return"].get<std::string>();
        if (text.starts_with("bus: ")) tree = text;
    }
    REQUIRE_FALSE(tree.empty());
    std::map<std::string, attachment> found;
    for (const qtree_drive& drive : decode_hmp_qtree(tree)) found[drive.drive] = drive.attachment;
    const std::map<std::string, attachment> expected{{"install_media", {"usb-storage", "qemu-xhci"}},
                                                     {"virtio_iso", {"usb-storage", "qemu-xhci"}},
                                                     {"seed", {"usb-storage", "qemu-xhci"}},
                                                     {"system", {"nvme", "pci"}}};
    CHECK(found == expected);
}

TEST_CASE("device trees that are cut or strange") {
    CHECK(decode_hmp_qtree("").empty());
    CHECK(decode_hmp_qtree("unknown command: 'info qtree'\r\n").empty());
    CHECK(decode_hmp_qtree("drive = \"x\"\n").empty());
    CHECK(decode_hmp_qtree("dev: nvme, id \"\"\ndrive = \"x\"\n").empty());
    CHECK(decode_hmp_qtree(
              "dev: nvme, id \"\"\n  drive = \"\"\n  drive = \"\n  drive = \"x\n  drive = x\n  drive2 = \"x\"\n")
              .empty());

    const auto drives = decode_hmp_qtree("dev: nvme\n  drive = \"a \\\"b\\\" = c\"");
    REQUIRE(drives.size() == 1);
    CHECK(drives[0].drive == "a \\\"b\\\" = c");
    CHECK(drives[0].attachment == attachment{"nvme", ""});

    // A property of the outer device after an inner one belongs to the outer one.
    const auto outer = decode_hmp_qtree("dev: host\n  dev: nvme\n    bus: b\n      dev: nvme-ns\n    drive = \"x\"\n");
    REQUIRE(outer.size() == 1);
    CHECK(outer[0].attachment == attachment{"nvme", "host"});
}
