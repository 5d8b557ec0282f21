#include "web/listen_address.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace qmpwatch::web {

namespace {

constexpr std::size_t longest_host = 253;  // of a name in the DNS

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_host(std::string_view text) {
    return text.size() <= longest_host && std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
           });
}

bool is_ipv6(std::string_view text) {
    // The digits, and the zone of a link-local address: fe80::1%eth0. Whether it is one, the system says.
    return text.size() <= longest_host && text.find(':') != text.npos &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) || c == ':' || c == '.' || c == '%' || c == '-' || c == '_';
           });
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return port;
}

base::error wrong(std::string_view text, std::string_view why) {
    return base::fail(base::errc::usage,
                      fmt::format("'{}' is no listen address: {}; write HOST:PORT, for example 127.0.0.1:10977, "
                                  "or 'off'",
                                  base::printable(text.substr(0, longest_host)), why));
}

}  // namespace

base::result<listen_address> parse_listen_address(std::string_view text) {
    if (text == "off" || text == "none") return listen_address{.enabled = false, .host = {}, .port = 0};

    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) return wrong(text, "the port is missing");
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
        if (!is_ipv6(host)) return wrong(text, "an IPv6 address belongs between the brackets");
    } else if (host.find(':') != host.npos || host.starts_with('[')) {
        return wrong(text, "an IPv6 address needs brackets, as in [::1]:10977");
    } else if (!is_host(host)) {
        return wrong(text, "the host is neither a name nor an address");
    }
    const auto port = parse_port(text.substr(colon + 1));
    if (!port) return wrong(text, "the port has to be a number from 0 to 65535");
    return listen_address{.enabled = true, .host = std::string(host), .port = *port};
}

std::string to_string(const listen_address& address) {
    if (!address.enabled) return "off";
    const bool ipv6 = address.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", ipv6 ? "[" : "", address.host, ipv6 ? "]" : "", address.port);
}

}  // namespace qmpwatch::web
