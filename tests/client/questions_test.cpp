#include "client/questions.hpp"

#include "base/json.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace qmpwatch;
using nlohmann::json;

namespace {

sample::drive_info drive(const char* device, const char* qdev, const char* node) {
    sample::drive_info one;
    one.identity = {device, qdev, node};
    return one;
}

}  // namespace

TEST_CASE("arguments are JSON, whatever QEMU calls its objects") {
    CHECK(client::qom_list_arguments("/machine") == R"({"path":"/machine"})");
    for (const char* path : {"/machine/peripheral/a", "a\"b", "a\\b", "\x01\n\t", "\xc3\xbc", ""}) {
        CAPTURE(path);
        CHECK(base::parse_json(client::qom_list_arguments(path)) == json{{"path", path}});
        CHECK(base::parse_json(client::qom_get_arguments(path, "type")) == json{{"path", path}, {"property", "type"}});
    }
}

TEST_CASE("a drive is found again by its name, else by its device, else by its node") {
    const sample::inventory drives{drive("a", "/q/1", "n1"), drive("", "/q/2", "n2"), drive("", "", "n3")};
    CHECK(client::find_drive(drives, {"a", "/other", "other"}) == &drives[0]);
    CHECK(client::find_drive(drives, {"", "/q/2", "changed"}) == &drives[1]);
    CHECK(client::find_drive(drives, {"", "", "n3"}) == &drives[2]);
    CHECK(client::find_drive(drives, {"b", "/q/1", "n1"}) == nullptr);
    CHECK(client::find_drive({}, {"a", "", ""}) == nullptr);
}

TEST_CASE("the device tree says how drives are attached; where it does not, the path does") {
    sample::inventory drives{drive("a", "/machine/peripheral/s/s.0/legacy[0]", ""), drive("", "", "node"),
                             drive("c", "/machine/peripheral/v/virtio-backend", "")};
    sample::qtree_drive first, second;
    first.drive = "a";
    first.attachment = {"usb-storage", "nec-usb-xhci"};
    second.drive = "node";
    second.attachment = {"nvme", "pci"};
    client::attach_by_tree(drives, {first, second});
    CHECK(drives[0].attachment == first.attachment);
    CHECK(drives[1].attachment == second.attachment);
    CHECK(drives[2].attachment == sample::attachment_from_path(drives[2].identity.qdev));
}
