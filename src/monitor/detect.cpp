#include "monitor/detect.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace qmpwatch::monitor {

std::string_view name(protocol kind) { return kind == protocol::qmp ? "qmp" : "hmp"; }

detection detect(std::string_view first_bytes) {
    constexpr std::string_view banner = "QEMU ";
    constexpr char interpret_as_command = '\xff';  // telnet's IAC: with WILL, WONT, DO or DONT it takes three bytes
    detection result;
    std::string_view rest = first_bytes;
    while (!rest.empty()) {
        if (rest.front() == interpret_as_command) {
            if (rest.size() < 3) return result;
            rest.remove_prefix(3);
        } else if (rest.front() == ' ' || rest.front() == '\r' || rest.front() == '\n' || rest.front() == '\t') {
            rest.remove_prefix(1);
        } else {
            break;
        }
    }
    result.skip = first_bytes.size() - rest.size();
    if (rest.empty()) return result;
    if (rest.front() == '{') {
        result.decided = detection::verdict::qmp;
    } else if (rest.starts_with(banner)) {
        result.decided = detection::verdict::hmp;
    } else if (!banner.starts_with(rest)) {
        result.decided = detection::verdict::stranger;
    }
    return result;
}

std::string describe_stranger(std::string_view first_bytes) {
    return fmt::format("this is not a QEMU monitor: it says '{}'; give the socket of -qmp or -monitor "
                       "(a serial port, a muxed monitor or another program's socket cannot be watched)",
                       base::shorten(base::printable(first_bytes.substr(0, 200)), 40));
}

}  // namespace qmpwatch::monitor
