// Routes: what the web server answers to a request. No sockets, no clock.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "metrics/own_health.hpp"
#include "pipeline/snapshot.hpp"
#include "web/history.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::web {

struct request_view {
    std::string_view method{};
    std::string_view target{};  ///< as it stands in the request line
    // Headers as they came, empty without them, and the body.
    std::string_view host{}, origin{}, content_type{};
    std::string_view body{};
};

/// What there is to tell.
struct content {
    const pipeline::snapshot* state = nullptr;  ///< the latest; null before the first
    const std::function<metrics::own_health()>& self;
    base::instant now;
    const history* past = nullptr;  ///< for the charts of the live page; null: none
    /// Writes a marker down; null or empty when nothing is being recorded.
    const std::function<base::result<void>(std::string)>* mark = nullptr;
    std::string_view listen_host{};   ///< the name or address that the server was told to listen on
};

struct response {
    unsigned status = 200;
    std::string_view content_type;
    std::vector<std::pair<std::string_view, std::string_view>> headers;  ///< besides type and length
    std::string body;  ///< for HEAD too: its length counts, it is not to be sent
};

/// The longest text of a marker, in bytes.
inline constexpr std::size_t longest_marker = 1024;

/// GET and HEAD of /metrics, /healthz, / and /api/v1/snapshot, POST of /api/v1/marker; 404 for any other target, 405
/// for any other method. A browser may set a marker from our own page only: 403 for any other one.
response respond(const request_view& request, const content& what);

/// An answer in plain text, with the headers that all answers have.
response plain_text(unsigned status, std::string body);

/// True when the snapshot is so old that polling must have come to a halt: older than 30 s and than three intervals.
bool is_stale(const pipeline::snapshot& state, base::steady_time now);

}  // namespace qmpwatch::web
