// Where the web server listens, as the user says it.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace qmpwatch::web {

struct listen_address {
    bool enabled = true;
    std::string host;        ///< a name or an address without brackets; empty for all addresses of this machine
    std::uint16_t port = 0;  ///< 0: the system chooses

    friend bool operator==(const listen_address&, const listen_address&) = default;
};

/// Reads HOST:PORT, :PORT, [IPV6]:PORT, and `off` or `none` for no server at all. Fails with `usage`. Whether the host
/// exists shows when the server starts.
base::result<listen_address> parse_listen_address(std::string_view text);

/// The same form that parse_listen_address reads.
std::string to_string(const listen_address& address);

}  // namespace qmpwatch::web
