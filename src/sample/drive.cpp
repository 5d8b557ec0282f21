#include "sample/drive.hpp"

namespace qmpwatch::sample {

std::string drive_name(const drive_identity& identity) {
    if (!identity.device.empty()) return identity.device;
    return identity.qdev.empty() ? identity.node_name : identity.qdev;
}

}  // namespace qmpwatch::sample
