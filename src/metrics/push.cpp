#include "metrics/push.hpp"

#include "base/text.hpp"
#include "metrics/run_families.hpp"

#include <fmt/format.h>
#include <prometheus/collectable.h>
#include <prometheus/gateway.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace qmpwatch::metrics {

namespace {

class finished_run : public prometheus::Collectable {
public:
    explicit finished_run(std::vector<prometheus::MetricFamily> families) : families_(std::move(families)) {}
    std::vector<prometheus::MetricFamily> Collect() const override { return families_; }

private:
    std::vector<prometheus::MetricFamily> families_;
};

/// As a part of a URL whatever it holds (RFC 4648, section 5): the Pushgateway takes the value of LABEL@base64 so.
std::string base64_for_urls(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string out;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (count += 8; count >= 6; count -= 6) out += digits[(bits >> (count - 6)) & 63U];
    }
    if (count > 0) out += digits[(bits << (6 - count)) & 63U];
    while (out.size() % 4 != 0) out += '=';
    return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

base::result<gateway_address> parse_gateway(std::string_view url) {
    const auto refuse = [&](std::string_view why) {
        return base::fail(base::errc::usage, fmt::format("'{}' is no address of a Pushgateway: {}; write it as "
                                                         "http://HOST:9091",
                                                         base::printable(url), why));
    };
    std::string_view rest = url, scheme = "http://";
    for (const std::string_view known : {"http://", "https://"}) {
        if (rest.starts_with(known)) {
            scheme = known;
            rest.remove_prefix(known.size());
            break;
        }
    }
    if (rest.find("://") != std::string_view::npos) return refuse("it is neither http nor https");
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.find_first_of("/?#@ ") != std::string_view::npos) return refuse("it can have a host and a port only");
    std::string_view host = rest, port = scheme == "https://" ? "443" : "9091";
    const std::size_t colon = rest.rfind(':');
    const std::size_t bracket = rest.rfind(']');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        host = rest.substr(0, colon);
        port = rest.substr(colon + 1);
    }
    const bool is_number = !port.empty() && port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit);
    if (!is_number) return refuse("its port is no number");
    if (host.empty() || base::printable(host) != host) return refuse("it has no host");
    return gateway_address{fmt::format("{}{}", scheme, host), std::string(port)};
}

base::result<void> push_run(const gateway_address& to, const run::digest& of, const run::summary& summary) {
    const auto finished = std::make_shared<finished_run>(run_families(of, summary));
    prometheus::Gateway gateway(to.host, to.port, "qmpwatch",
                                {{"vm@base64", base64_for_urls(base::printable(of.vm.vm))}});
    gateway.RegisterCollectable(finished);
    const int status = gateway.Push();
    if (status >= 200 && status < 300) return {};
    return base::fail(
        base::errc::io,
        status > 0
            ? fmt::format("the Pushgateway at {}:{} refused the summary with status {}", to.host, to.port, status)
            : fmt::format("the Pushgateway at {}:{} cannot be reached: the summary was not pushed", to.host, to.port));
}

}  // namespace qmpwatch::metrics
