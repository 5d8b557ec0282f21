#include "web/routes.hpp"

#include "metrics/families.hpp"
#include "web/page.hpp"

#include <fmt/format.h>

namespace qmpwatch::web {

namespace {

constexpr std::string_view paths = "/metrics  the metrics, for Prometheus\n"
                                   "/healthz  whether qmpwatch is alive\n"
                                   "/         the live page\n";

response make(unsigned status, std::string_view type, std::string body) {
    response answer;
    answer.status = status;
    answer.content_type = type;
    answer.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
    answer.body = std::move(body);
    return answer;
}

response metrics_page(const content& what) {
    static const pipeline::snapshot nothing{};
    return make(200, "text/plain; version=0.0.4; charset=utf-8",
                metrics::exposition(what.state != nullptr ? *what.state : nothing, what.self()));
}

response health(const content& what) {
    if (what.state == nullptr) return plain_text(503, "qmpwatch is starting: there is no snapshot yet\n");
    if (is_stale(*what.state, what.now.steady)) {
        return plain_text(503, fmt::format("the polling loop stands still: the latest snapshot is {:.0f} s old\n",
                                           base::in_seconds(what.now.steady - what.state->at.steady)));
    }
    return plain_text(200, "ok\n");
}

response live_page(const content& what) {
    response answer = make(200, "text/html; charset=utf-8", page(what.state, what.self().version, what.now));
    answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; "
                                                           "base-uri 'none'; form-action 'none'; "
                                                           "frame-ancestors 'none'");
    answer.headers.emplace_back("Referrer-Policy", "no-referrer");
    return answer;
}

}  // namespace

response plain_text(unsigned status, std::string body) {
    return make(status, "text/plain; charset=utf-8", std::move(body));
}

bool is_stale(const pipeline::snapshot& state, base::steady_time now) {
    const base::nanoseconds age = now - state.at.steady;
    return age > base::seconds(30) && age / 3 > state.interval;
}

response respond(const request_view& request, const content& what) {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    response (*route)(const content&) = nullptr;
    if (path == "/metrics")
        route = metrics_page;
    else if (path == "/healthz")
        route = health;
    else if (path == "/")
        route = live_page;

    if (route == nullptr) return plain_text(404, fmt::format("There is nothing here. Try one of these:\n\n{}", paths));
    if (request.method != "GET" && request.method != "HEAD") {
        response answer = plain_text(405, "qmpwatch only answers: use GET or HEAD\n");
        answer.headers.emplace_back("Allow", "GET, HEAD");
        return answer;
    }
    return route(what);
}

}  // namespace qmpwatch::web
