#include "web/routes.hpp"

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
    return respond({method, target}, {state, self, now});
}

std::string_view header(const response& answer, std::string_view name) {
    const auto found =
        std::find_if(answer.headers.begin(), answer.headers.end(), [&](const auto& one) { return one.first == name; });
    return found == answer.headers.end() ? std::string_view() : found->second;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

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
    CHECK(has(header(answer, "Content-Security-Policy"), "default-src 'none'; style-src 'unsafe-inline'"));
    CHECK(ask("GET", "/?", &state).status == 200);
    CHECK(ask("GET", "/", nullptr).status == 200);
}

TEST_CASE("anything else is not found, whatever the method, and the answer says what there is") {
    const auto state = one_vm();
    for (const char* target : {"", "*", "/metric", "/metrics/", "/metrics/x", "//", "/../etc/passwd", "/healthz\xff",
                               "metrics", "?", "/METRICS"}) {
        CAPTURE(target);
        for (const char* method : {"GET", "POST"}) {
            const response answer = ask(method, target, &state);
            CHECK(answer.status == 404);
            CHECK(answer.content_type == "text/plain; charset=utf-8");
            for (const char* path : {"/metrics ", "/healthz ", "/  "}) CHECK(has(answer.body, path));
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
    for (const char* target : {"/", "/metrics", "/healthz", "/nothing"}) {
        const response answer = ask("GET", target, &state);
        CHECK(header(answer, "Cache-Control") == "no-store");
        CHECK(header(answer, "X-Content-Type-Options") == "nosniff");
    }
}

}  // namespace qmpwatch::web
