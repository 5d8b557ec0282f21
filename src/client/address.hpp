// Where a monitor is: what the user writes after --socket.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::client {

struct address {
    enum class kind { unix_socket, tcp };
    kind type = kind::unix_socket;
    std::string path;  ///< of the UNIX socket
    std::string host;  ///< of tcp
    std::uint16_t port = 0;

    /// As the user would write it: the path, or tcp:HOST:PORT.
    std::string text() const;

    friend bool operator==(const address&, const address&) = default;
};

/// One --socket: an address, or a pattern that stands for many.
struct target {
    std::string name;  ///< NAME= in front of it; empty when there was none
    address where;
    bool is_pattern = false;  ///< the path holds *, ? or [: it stands for every socket that it matches

    friend bool operator==(const target&, const target&) = default;
};

/// Reads [NAME=]PATH, [NAME=]unix:PATH or [NAME=]tcp:HOST:PORT. NAME is made of letters, digits, '.', '_' and '-'.
/// Options of QEMU's that were copied along (",server=on,wait=off") are dropped. `usage` with a sentence when it is
/// none of these, or when the path is too long for a UNIX socket.
base::result<target> parse_target(std::string_view text);

/// The UNIX sockets that a pattern matches now, sorted (glob(7)). Files that are no sockets are left out.
std::vector<std::string> matching_sockets(const std::string& pattern);

/// The name of a VM without a better one: the file name of its socket without a trailing ".sock" or ".socket", or
/// HOST:PORT.
std::string name_from_address(const address& where);

}  // namespace qmpwatch::client
