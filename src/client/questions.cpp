#include "client/questions.hpp"

#include <fmt/format.h>

namespace qmpwatch::client {

namespace {

/// A JSON string, for names from QEMU that go back to it.
std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            result += c;
        }
    }
    result += '"';
    return result;
}

}  // namespace

std::string qom_get_arguments(std::string_view path, std::string_view property) {
    return fmt::format(R"({{"path":{},"property":{}}})", json_string(path), json_string(property));
}

std::string qom_list_arguments(std::string_view path) { return fmt::format(R"({{"path":{}}})", json_string(path)); }

const sample::drive_info* find_drive(const sample::inventory& drives, const sample::drive_identity& wanted) {
    for (const sample::drive_info& one : drives) {
        const sample::drive_identity& its = one.identity;
        const bool same = !wanted.device.empty() ? its.device == wanted.device
                          : !wanted.qdev.empty() ? its.qdev == wanted.qdev
                                                 : its.node_name == wanted.node_name;
        if (same) return &one;
    }
    return nullptr;
}

void attach_by_tree(sample::inventory& drives, const std::vector<sample::qtree_drive>& tree) {
    for (sample::drive_info& drive : drives) {
        drive.attachment = sample::attachment_from_path(drive.identity.qdev);
        for (const sample::qtree_drive& one : tree) {
            if (one.drive == drive.identity.device || one.drive == drive.identity.node_name) {
                drive.attachment = one.attachment;
            }
        }
    }
}

}  // namespace qmpwatch::client
