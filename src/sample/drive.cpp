#include "sample/drive.hpp"

namespace qmpwatch::sample {

std::string drive_name(const drive_identity& identity) {
    if (!identity.device.empty()) return identity.device;
    return identity.qdev.empty() ? identity.node_name : identity.qdev;
}

std::string_view name(cache_mode mode) {
    if (mode.no_flush) return "unsafe";
    if (mode.direct) return mode.writeback ? "none" : "directsync";
    return mode.writeback ? "writeback" : "writethrough";
}

}  // namespace qmpwatch::sample
