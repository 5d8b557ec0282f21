#include "web/routes.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "metrics/families.hpp"
#include "report/once.hpp"
#include "web/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace qmpwatch::web {

namespace {

using json = nlohmann::json;

constexpr std::string_view paths = "/metrics          the metrics, for Prometheus\n"
                                   "/healthz          whether qmpwatch is alive\n"
                                   "/                 the live page\n"
                                   "/api/v1/snapshot  the same as JSON\n"
                                   "/api/v1/marker    takes a marker for the recording (POST)\n";

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

page_view view_of(const content& what, std::string_view version) {
    return {.state = what.state, .past = what.past, .version = version, .now = what.now};
}

response live_page(const content& what) {
    const metrics::own_health self = what.self();
    response answer = make(200, "text/html; charset=utf-8", page(view_of(what, self.version)));
    static const std::string policy =
        fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src {}; connect-src 'self'; img-src data:; "
                    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                    page_script_source());
    answer.headers.emplace_back("Content-Security-Policy", policy);
    answer.headers.emplace_back("Referrer-Policy", "no-referrer");
    return answer;
}

response snapshot_as_json(const content& what) {
    if (what.state == nullptr) return plain_text(503, "qmpwatch is starting: there is no snapshot yet\n");
    return make(200, "application/json", report::snapshot_json(*what.state));
}

response snapshot_as_html(const content& what) {
    response answer = make(200, "text/html; charset=utf-8", page_content(view_of(what, "")));
    answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'");  // it is no page of its own
    return answer;
}

/// The text of a marker: what is in {"text": "..."}, else the body itself. None when it is said to be JSON and is no
/// such object.
std::optional<std::string> marker_text(const request_view& request) {
    const json body = base::parse_json(request.body);
    if (body.is_object()) {
        const auto text = body.find("text");
        if (text != body.end() && text->is_string()) return text->get<std::string>();
    }
    if (request.content_type.starts_with("application/json")) return std::nullopt;
    return std::string(request.body);
}

std::string_view without_port(std::string_view host) {
    if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
    return host.substr(0, host.find(':'));
}

/// A browser sends Origin with every POST. A page of another site has another one than the host that it asks; a name
/// of its own that it makes point here (DNS rebinding) is none of the names that we know. Addresses cannot be made to
/// point anywhere.
bool comes_from_elsewhere(const request_view& request, std::string_view listen_host) {
    if (request.origin.empty()) return false;
    const std::size_t scheme = request.origin.find("://");
    if (scheme == std::string_view::npos || request.origin.substr(scheme + 3) != request.host) return true;
    const std::string_view name = without_port(request.host);
    const bool is_address = name.starts_with('[') || (name.find_first_not_of("0123456789.") == name.npos);
    return name.empty() || !(is_address || name == "localhost" || name == listen_host);
}

response take_marker(const request_view& request, const content& what) {
    if (comes_from_elsewhere(request, what.listen_host)) {
        return plain_text(403, "a page of another site may not set markers here\n");
    }
    std::optional<std::string> text = marker_text(request);
    if (!text) return plain_text(400, "this is no marker: send {\"text\": \"...\"}, or the text as it is\n");
    std::replace_if(
        text->begin(), text->end(), [](char each) { return each == '\n' || each == '\r' || each == '\t'; }, ' ');
    text->erase(text->find_last_not_of(' ') + 1);
    if (text->empty()) return plain_text(400, "a marker needs a text: send it as the body\n");
    if (text->size() > longest_marker) {
        return plain_text(413, fmt::format("a marker has at most {} bytes\n", longest_marker));
    }
    if (what.mark == nullptr || !*what.mark) {
        return plain_text(409, "nothing is being recorded: use qmpwatch record\n");
    }
    const base::result<void> marked = (*what.mark)(base::printable(*text));
    if (!marked.has_value()) return plain_text(500, marked.error().message + '\n');
    return make(204, "", "");
}

response not_allowed(std::string_view allowed, std::string sentence) {
    response answer = plain_text(405, std::move(sentence));
    answer.headers.emplace_back("Allow", allowed);
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
    const std::size_t end = request.target.find('?');
    const std::string_view path = request.target.substr(0, end);
    const std::string_view query = end == std::string_view::npos ? "" : request.target.substr(end + 1);
    if (path == "/api/v1/marker") {
        if (request.method != "POST") return not_allowed("POST", "a marker is set with POST\n");
        return take_marker(request, what);
    }

    response (*route)(const content&) = nullptr;
    if (path == "/metrics")
        route = metrics_page;
    else if (path == "/healthz")
        route = health;
    else if (path == "/")
        route = live_page;
    else if (path == "/api/v1/snapshot")
        route = query == "format=html" ? snapshot_as_html : snapshot_as_json;

    if (route == nullptr) return plain_text(404, fmt::format("There is nothing here. Try one of these:\n\n{}", paths));
    if (request.method != "GET" && request.method != "HEAD") {
        return not_allowed("GET, HEAD", "qmpwatch only answers: use GET or HEAD\n");
    }
    return route(what);
}

}  // namespace qmpwatch::web
