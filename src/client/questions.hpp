// What the poll loop and an examination share: arguments of questions, and which drive an answer is about. No I/O.
#pragma once

#include "sample/attachment.hpp"
#include "sample/drive.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::client {

/// The arguments of qom-get: a path and a property as they came from QEMU.
std::string qom_get_arguments(std::string_view path, std::string_view property);

/// The arguments of qom-list.
std::string qom_list_arguments(std::string_view path);

/// The drive in the list that is this one: by its device name, else its qdev, else its node name. Null when it is not
/// there.
const sample::drive_info* find_drive(const sample::inventory& drives, const sample::drive_identity& wanted);

/// Says of each drive how it is attached, by HMP's device tree, else by the shape of its path.
void attach_by_tree(sample::inventory& drives, const std::vector<sample::qtree_drive>& tree);

}  // namespace qmpwatch::client
