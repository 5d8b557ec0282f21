#include "web/routes.hpp"

#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

namespace qmpwatch::web {

namespace {

using namespace std::chrono_literals;

const std::function<metrics::own_health()> self = [] {
    return metrics::own_health{.version = "1.2.3", .compiler = "c", .process = {}, .open_fds = {}, .max_fds = {}};
};

pipeline::snapshot one_vm() {
    auto vm = std::make_shared<pipeline::vm_snapshot>();
    vm->identity.vm = "win11";
    pipeline::snapshot state;
    state.at.steady = base::steady_time(1000s);
    state.interval = 15s;
    state.vms = {vm};
    return state;
}

response ask(std::string_view method, std::string_view target, const pipeline::snapshot* state,
             base::nanoseconds later = 1s) {
    base::instant now;
    now.steady = base::steady_time(1000s) + later;
    return respond({.method = method, .target = target, .host = {}, .origin = {}, .content_type = {}, .body = {}},
                   {.state = state, .self = self, .now = now});
}

/// What becomes of a POST to /api/v1/marker.
struct marking {
    std::string marked;  ///< the text that reached the recording
    response answer;
};

marking mark(request_view request, std::string_view listen_host = "", base::result<void> outcome = {}) {
    marking done;
    const std::function<base::result<void>(std::string)> take = [&](std::string text) {
        done.marked = std::move(text);
        return outcome;
    };
    request.method = "POST";
    request.target = "/api/v1/marker";
    done.answer =
        respond(request, {.state = nullptr, .self = self, .now = {}, .mark = &take, .listen_host = listen_host});
    return done;
}

std::string_view header(const response& answer, std::string_view name) {
    const auto found =
        std::find_if(answer.headers.begin(), answer.headers.end(), [&](const auto& one) { return one.first == name; });
    return found == answer.headers.end() ? std::string_view() : found->second;
}

using support::has;

}  // namespace

TEST_CASE("/metrics is the exposition text") {
    const auto state = one_vm();
    const response answer = ask("GET", "/metrics", &state);
    CHECK(answer.status == 200);
    CHECK(answer.content_type == "text/plain; version=0.0.4; charset=utf-8");
    CHECK(has(answer.body, "qemu_up{vm=\"win11\"} 0\n"));
    CHECK(has(answer.body, "qmpwatch_build_info{version=\"1.2.3\",compiler=\"c\"} 1\n"));
    CHECK(ask("GET", "/metrics?name=qemu_up", &state).status == 200);
    CHECK(ask("HEAD", "/metrics", &state).body == answer.body);
    CHECK(has(ask("GET", "/metrics", nullptr).body, "qmpwatch_build_info"));
}

TEST_CASE("/healthz says whether polling goes on") {
    const auto state = one_vm();
    CHECK(ask("GET", "/healthz", &state).status == 200);
    CHECK(ask("GET", "/healthz", &state).body == "ok\n");
    CHECK(ask("GET", "/healthz", &state, 45s).status == 200);  // three intervals
    const response late = ask("GET", "/healthz", &state, 46s);
    CHECK(late.status == 503);
    CHECK(late.body == "the polling loop stands still: the latest snapshot is 46 s old\n");
    const response early = ask("GET", "/healthz", nullptr);
    CHECK(early.status == 503);
    CHECK(has(early.body, "starting"));
}

TEST_CASE("a snapshot is stale after three intervals, but never before 30 s") {
    auto state = one_vm();
    const auto stale = [&](base::nanoseconds age) { return is_stale(state, state.at.steady + age); };
    state.interval = 1s;
    CHECK_FALSE(stale(30s));
    CHECK(stale(30s + 3ns));
    CHECK_FALSE(stale(-5s));  // the snapshot was taken after the clock was read
    state.interval = 60s;
    CHECK_FALSE(stale(180s));
    CHECK(stale(181s));
    state.interval = base::nanoseconds::max();
    CHECK_FALSE(stale(24h));
}

TEST_CASE("/ is the live page and locked down") {
    const auto state = one_vm();
    const response answer = ask("GET", "/", &state);
    CHECK(answer.status == 200);
    CHECK(answer.content_type == "text/html; charset=utf-8");
    CHECK(has(answer.body, "win11"));
    const std::string_view policy = header(answer, "Content-Security-Policy");
    CHECK(has(policy, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
    CHECK(has(policy, "connect-src 'self'"));
    CHECK_FALSE(has(policy, "script-src 'unsafe-inline'"));
    CHECK(ask("GET", "/?", &state).status == 200);
    CHECK(ask("GET", "/", nullptr).status == 200);
}

TEST_CASE("anything else is not found, whatever the method, and the answer says what there is") {
    const auto state = one_vm();
    for (const char* target :
         {"", "*", "/metric", "/metrics/", "/metrics/x", "//", "/../etc/passwd", "/healthz\xff", "metrics", "?",
          "/METRICS", "/api", "/api/v1", "/api/v1/snapshot/", "/api/v2/snapshot"}) {
        CAPTURE(target);
        for (const char* method : {"GET", "POST"}) {
            const response answer = ask(method, target, &state);
            CHECK(answer.status == 404);
            CHECK(answer.content_type == "text/plain; charset=utf-8");
            for (const char* path : {"/metrics ", "/healthz ", "/  ", "/api/v1/snapshot ", "/api/v1/marker "}) {
                CHECK(has(answer.body, path));
            }
        }
    }
}

TEST_CASE("only GET and HEAD are allowed") {
    const auto state = one_vm();
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", "", "BREW"}) {
        const response answer = ask(method, "/metrics", &state);
        CHECK(answer.status == 405);
        CHECK(header(answer, "Allow") == "GET, HEAD");
    }
}

TEST_CASE("nothing is to be cached or guessed") {
    const auto state = one_vm();
    for (const char* target : {"/", "/metrics", "/healthz", "/api/v1/snapshot", "/api/v1/snapshot?format=html",
                               "/api/v1/marker", "/nothing"}) {
        const response answer = ask("GET", target, &state);
        CHECK(header(answer, "Cache-Control") == "no-store");
        CHECK(header(answer, "X-Content-Type-Options") == "nosniff");
    }
}

TEST_CASE("/api/v1/snapshot is the state as JSON") {
    const auto state = one_vm();
    const response answer = ask("GET", "/api/v1/snapshot", &state);
    CHECK(answer.status == 200);
    CHECK(answer.content_type == "application/json");
    CHECK(answer.body.starts_with("{\"schema\":{\"name\":\"qmpwatch-snapshot\",\"version\":1},\"time\":\""));
    CHECK(has(answer.body, "\"vms\":[{\"vm\":\"win11\","));
    CHECK(ask("GET", "/api/v1/snapshot?", &state).body == answer.body);
    CHECK(ask("GET", "/api/v1/snapshot", nullptr).status == 503);
    CHECK(ask("POST", "/api/v1/snapshot", &state).status == 405);
}

TEST_CASE("and as the fragment that the live page shows") {
    const auto state = one_vm();
    const response answer = ask("GET", "/api/v1/snapshot?format=html", &state);
    CHECK(answer.status == 200);
    CHECK(answer.content_type == "text/html; charset=utf-8");
    CHECK(header(answer, "Content-Security-Policy") == "default-src 'none'");
    CHECK(has(ask("GET", "/", &state).body, answer.body));
    CHECK_FALSE(has(answer.body, "<script"));
    CHECK(has(ask("GET", "/api/v1/snapshot?format=html", nullptr).body, "No VM is watched yet"));
}

TEST_CASE("a marker reaches the recording") {
    CHECK(mark({.body = "copy begins"}).marked == "copy begins");
    CHECK(mark({.body = "copy begins"}).answer.status == 204);
    CHECK(mark({.body = "copy begins"}).answer.body == "");
    CHECK(mark({.body = "a\nb \r\n"}).marked == "a b");
    CHECK(mark({.body = "\x1b[2J\xff"}).marked == "?[2J?");
    CHECK(mark({.body = "{\"text\": \"a \\u00fc b\"}"}).marked == "a \u00fc b");
    CHECK(mark({.content_type = "application/json", .body = "{\"text\":\"a\",\"more\":1}"}).marked == "a");
    // What only looks like JSON is a text, unless it says that it is JSON.
    for (const char* text : {"{\"text\": 1}", "{", "[1]", "\"a\"", "null"}) {
        CAPTURE(text);
        CHECK(mark({.body = text}).marked == text);
        const marking strict = mark({.content_type = "application/json; charset=utf-8", .body = text});
        CHECK(strict.answer.status == 400);
        CHECK(strict.marked == "");
    }
}

TEST_CASE("a marker that cannot be taken is refused with a sentence") {
    for (const char* nothing : {"", " ", "\n", "{\"text\": \"\"}"}) {
        CAPTURE(nothing);
        CHECK(mark({.body = nothing}).answer.status == 400);
    }
    const std::string longest(longest_marker, 'a'), longer(longest_marker + 1, 'a');
    CHECK(mark({.body = longest}).answer.status == 204);
    CHECK(mark({.body = longer}).answer.status == 413);
    const marking full = mark({.body = "a"}, "", base::fail(base::errc::io, "the disk is full"));
    CHECK(full.answer.status == 500);
    CHECK(full.answer.body == "the disk is full\n");

    const std::function<base::result<void>(std::string)> nobody;
    for (const auto* none : {static_cast<decltype(&nobody)>(nullptr), &nobody}) {
        const response answer = respond(
            {.method = "POST", .target = "/api/v1/marker", .host = {}, .origin = {}, .content_type = {}, .body = "a"},
            {.state = nullptr, .self = self, .now = {}, .mark = none});
        CHECK(answer.status == 409);
        CHECK(answer.body == "nothing is being recorded: use qmpwatch record\n");
    }
    const auto state = one_vm();
    const response read = ask("GET", "/api/v1/marker", &state);
    CHECK(read.status == 405);
    CHECK(header(read, "Allow") == "POST");
}

TEST_CASE("only scripts and our own page may set markers") {
    const auto status = [](std::string_view host, std::string_view origin, std::string_view listen_host = "") {
        return mark({.host = host, .origin = origin, .body = "a"}, listen_host).answer.status;
    };
    CHECK(status("build-host:10977", "") == 204);  // no browser
    CHECK(status("", "") == 204);
    CHECK(status("127.0.0.1:10977", "http://127.0.0.1:10977") == 204);
    CHECK(status("localhost:10977", "http://localhost:10977") == 204);
    CHECK(status("[::1]:10977", "http://[::1]:10977") == 204);
    CHECK(status("192.168.1.7:10977", "http://192.168.1.7:10977") == 204);
    CHECK(status("build-host:10977", "http://build-host:10977", "build-host") == 204);
    // Another site, a sandboxed page, another port of this machine, a name that was made to point here.
    CHECK(status("127.0.0.1:10977", "http://evil.example") == 403);
    CHECK(status("127.0.0.1:10977", "null") == 403);
    CHECK(status("127.0.0.1:10977", "http://127.0.0.1:8080") == 403);
    CHECK(status("evil.example:10977", "http://evil.example:10977") == 403);
    CHECK(status("1.2.3.4.evil.example:10977", "http://1.2.3.4.evil.example:10977") == 403);
    CHECK(status("", "http://") == 403);
    CHECK(mark({.host = "evil.example", .origin = "http://evil.example", .body = "a"}).marked == "");
}

}  // namespace qmpwatch::web
