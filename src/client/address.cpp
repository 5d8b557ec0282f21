#include "client/address.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>

namespace qmpwatch::client {

namespace {

constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    });
}

/// QEMU's options behind an address: server=on, server, wait=off, nowait, reconnect=1, ...
std::string_view without_qemu_options(std::string_view text) {
    for (const std::string_view option : {",server", ",wait", ",nowait", ",reconnect", ",id="}) {
        text = text.substr(0, text.find(option));
    }
    return text;
}

base::result<address> parse_tcp(std::string_view text) {
    const auto usage = [&] {
        return base::fail(base::errc::usage,
                          fmt::format("'tcp:{}' is no address: write tcp:HOST:PORT with a port from 1 to 65535", text));
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return usage();
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    address where;
    where.type = address::kind::tcp;
    const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), where.port);
    if (problem != std::errc() || end != port.data() + port.size() || where.port == 0) return usage();
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty()) return usage();
    where.host = host;
    return where;
}

}  // namespace

std::string address::text() const {
    if (type == kind::unix_socket) return path;
    return host.find(':') == std::string::npos ? fmt::format("tcp:{}:{}", host, port)
                                               : fmt::format("tcp:[{}]:{}", host, port);
}

base::result<target> parse_target(std::string_view text) {
    target result;
    std::string_view rest = text;
    if (const std::size_t equals = rest.find('=');
        equals != std::string_view::npos && is_name(rest.substr(0, equals))) {
        result.name = rest.substr(0, equals);
        rest.remove_prefix(equals + 1);
    }
    rest = without_qemu_options(rest);
    if (rest.starts_with("unix:")) rest.remove_prefix(5);
    if (rest.empty()) {
        return base::fail(base::errc::usage,
                          "--socket needs the path of QEMU's monitor socket, for example --socket qemu-monitor.sock");
    }
    if (rest.starts_with("tcp:") || rest.starts_with("telnet:")) {
        const auto where = parse_tcp(rest.substr(rest.find(':') + 1));
        if (where.has_error()) return where.error();
        result.where = *where;
        return result;
    }
    result.where.path = rest;
    result.is_pattern = rest.find_first_of("*?[") != std::string_view::npos;
    if (!result.is_pattern && rest.size() > longest_path) {
        return base::fail(base::errc::usage,
                          fmt::format("the socket path is {} bytes long and a UNIX socket can have at most {}: "
                                      "start qmpwatch in its folder and give the short relative path",
                                      rest.size(), longest_path));
    }
    return result;
}

std::vector<std::string> matching_sockets(const std::string& pattern) {
    std::vector<std::string> result;
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
            const std::string path = found.gl_pathv[i];
            struct stat about{};
            if (path.size() <= longest_path && stat(path.c_str(), &about) == 0 && S_ISSOCK(about.st_mode)) {
                result.push_back(path);
            }
        }
    }
    globfree(&found);
    return result;
}

std::string name_from_address(const address& where) {
    if (where.type == address::kind::tcp) return fmt::format("{}:{}", where.host, where.port);
    std::string name = where.path.substr(where.path.rfind('/') + 1);
    for (const std::string_view ending : {".sock", ".socket"}) {
        if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
    }
    return name;
}

}  // namespace qmpwatch::client
