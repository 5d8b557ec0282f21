// Pushes the summary of a run to a Prometheus Pushgateway.
#pragma once

#include "base/error.hpp"
#include "run/digest.hpp"
#include "run/summary.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::metrics {

struct gateway_address {
    std::string host;  ///< with http:// or https://
    std::string port;

    friend bool operator==(const gateway_address&, const gateway_address&) = default;
};

/// Reads http://HOST[:PORT] or https://HOST[:PORT], or HOST:PORT; the port is 9091 for http, 443 for https. A path is
/// `usage`: the library that pushes adds its own.
base::result<gateway_address> parse_gateway(std::string_view url);

/// Replaces what was pushed before for the job qmpwatch and this VM. Waits for the answer. `io` when the gateway is not
/// there or refuses; the sentence names it.
base::result<void> push_run(const gateway_address& to, const run::digest& of, const run::summary& summary);

}  // namespace qmpwatch::metrics
