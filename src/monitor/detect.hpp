// Who is there? Decided from the first bytes that a socket says, before anything is written to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qmpwatch::monitor {

enum class protocol { qmp, hmp };
std::string_view name(protocol kind);

struct detection {
    enum class verdict { more, qmp, hmp, stranger };
    verdict decided = verdict::more;
    std::size_t skip = 0;  ///< bytes before the first one that counts: white space, telnet negotiation
};

/// A JSON object is QMP (an event may come before the greeting), the banner "QEMU x.y.z monitor" is HMP, anything else
/// is a stranger to which nothing must be written: a muxed monitor types what it gets into the guest.
detection detect(std::string_view first_bytes);

/// One sentence for the user about a stranger, from what it said.
std::string describe_stranger(std::string_view first_bytes);

}  // namespace qmpwatch::monitor
