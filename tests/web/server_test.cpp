// The server over real sockets, with clients that behave and clients that do not.
#include "web/server.hpp"

#include "base/log.hpp"
#include "raw_client.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <ctime>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace qmpwatch::web {

namespace {

using namespace std::chrono_literals;

std::shared_ptr<const pipeline::snapshot> state_with(std::size_t vms) {
    auto state = std::make_shared<pipeline::snapshot>();
    state->at = base::now();
    state->interval = 15s;
    for (std::size_t number = 0; number < vms; ++number) {
        auto vm = std::make_shared<pipeline::vm_snapshot>();
        vm->identity.vm = "vm" + std::to_string(number);
        vm->run_state = "running";
        state->vms.push_back(vm);
    }
    return state;
}

metrics::own_health own_health_now() {
    return {.version = "1.2.3", .compiler = "c", .process = {}, .open_fds = {}, .max_fds = {}};
}

/// A server on a port of its own, already started.
struct started {
    explicit started(limits how = {}, std::size_t vms = 2)
        : one(
              {.host = "127.0.0.1", .port = 0, .limits = how}, [state = state_with(vms)] { return state; },
              own_health_now) {
        const auto bound = one.start();
        REQUIRE_MESSAGE(bound.has_value(), bound.error().message);
        CHECK(bound->host == "127.0.0.1");
        port = bound->port;
        REQUIRE(port != 0);
    }

    server one;
    std::uint16_t port = 0;
};

limits impatient() {
    limits how;
    how.reading = 200ms;
    how.writing = 200ms;
    return how;
}

using support::has;

std::string body_of(const std::string& response) {
    const std::size_t end = response.find("\r\n\r\n");
    return end == std::string::npos ? "" : response.substr(end + 4);
}

std::string length_of(const std::string& response) {
    const std::size_t begin = response.find("Content-Length: ");
    return begin == std::string::npos ? "" : response.substr(begin + 16, response.find('\r', begin) - begin - 16);
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST_CASE("requests are answered") {
    const started server;
    raw_client client(server.port);
    SUBCASE("metrics") {
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string answer = client.response();
        CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
        CHECK(has(answer, "Server: qmpwatch\r\n"));
        CHECK(has(answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
        CHECK(has(answer, "Cache-Control: no-store\r\n"));
        CHECK(has(body_of(answer), "qemu_up{vm=\"vm1\"} 0\n"));
    }
    SUBCASE("the live page") {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string answer = client.response();
        CHECK(has(answer, "Content-Security-Policy: default-src 'none'"));
        CHECK(answer.ends_with("</html>\n"));
    }
    SUBCASE("HEAD has the length of GET and no body") {
        client.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string head = client.response(true);
        const std::string get = client.response();
        CHECK(head.starts_with("HTTP/1.1 200 OK\r\n"));
        CHECK(body_of(head) == "");
        CHECK(length_of(head) == "3");
        CHECK(body_of(get) == "ok\n");
    }
    SUBCASE("404 and 405 keep the connection") {
        client.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.response().starts_with("HTTP/1.1 404 "));
        client.send("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
        const std::string answer = client.response();
        CHECK(answer.starts_with("HTTP/1.1 405 "));
        CHECK(has(answer, "Allow: GET, HEAD\r\n"));
        client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.response().starts_with("HTTP/1.1 200 "));
    }
    SUBCASE("the snapshot as JSON") {
        client.send("GET /api/v1/snapshot HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string answer = client.response();
        CHECK(has(answer, "Content-Type: application/json\r\n"));
        CHECK(has(body_of(answer), "\"vm\":\"vm1\""));
    }
    SUBCASE("a marker, while nothing is recorded") {
        client.send("POST /api/v1/marker HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
        const std::string answer = client.response();
        CHECK(answer.starts_with("HTTP/1.1 409 "));
        CHECK(body_of(answer) == "nothing is being recorded: use qmpwatch record\n");
    }
    SUBCASE("many requests at once, some in pieces") {
        std::string text;
        for (int number = 0; number < 100; ++number) text += "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
        client.send(text.substr(0, 1234));
        std::this_thread::sleep_for(20ms);
        client.send(text.substr(1234));
        for (int number = 0; number < 100; ++number) CHECK(body_of(client.response()) == "ok\n");
    }
    SUBCASE("HTTP/1.0 closes unless asked to keep") {
        client.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        const std::string kept = client.response();
        CHECK(kept.starts_with("HTTP/1.0 200 OK\r\n"));
        CHECK(has(kept, "Connection: keep-alive\r\n"));
        client.send("GET /healthz HTTP/1.0\r\n\r\n");
        CHECK(body_of(client.rest()) == "ok\n");
    }
    SUBCASE("Connection: close") {
        client.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        const std::string answer = client.rest();
        CHECK(has(answer, "Connection: close\r\n"));
        CHECK(body_of(answer) == "ok\n");
    }
}

TEST_CASE("what is no request is told so, and the connection closed") {
    const started server;
    raw_client client(server.port);
    SUBCASE("garbage") {
        client.send("\x16\x03\x01\x02garbage\r\n\r\n");
        CHECK(client.rest().starts_with("HTTP/1.1 400 "));
    }
    SUBCASE("an unknown version") {
        client.send("GET / HTTP/9.9\r\n\r\n");
        CHECK(client.rest().starts_with("HTTP/1.1 400 "));
    }
    SUBCASE("an endless request line") {
        client.send("GET /" + std::string(100'000, 'a'));
        CHECK(client.rest().starts_with("HTTP/1.1 431 "));
    }
    SUBCASE("a header of many fields") {
        std::string text = "GET / HTTP/1.1\r\n";
        for (int number = 0; number < 1000; ++number) text += "X-Field: 0123456789\r\n";
        client.send(text + "\r\n");
        CHECK(client.rest().starts_with("HTTP/1.1 431 "));
    }
    SUBCASE("a body that is too long by its header") {
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
        CHECK(client.rest().starts_with("HTTP/1.1 413 "));
    }
    SUBCASE("a body that is too long in pieces") {
        std::string text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (int number = 0; number < 50; ++number) text += "40\r\n" + std::string(64, 'x') + "\r\n";
        client.send(text + "0\r\n\r\n");
        CHECK(client.rest().starts_with("HTTP/1.1 413 "));
    }
    SUBCASE("half a request") { client.send("GET / HT"); }
    raw_client other(server.port);
    other.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(body_of(other.response()) == "ok\n");
}

TEST_CASE("markers reach whoever records, on the server's thread") {
    std::mutex guard;
    std::vector<std::string> marked;
    std::thread::id who;
    server one(
        {.host = "127.0.0.1",
         .port = 0,
         .mark = [&](std::string text) -> base::result<void> {
             const std::lock_guard lock(guard);
             marked.push_back(std::move(text));
             who = std::this_thread::get_id();
             return {};
         }},
        [] { return nullptr; }, own_health_now);
    const auto bound = one.start();
    REQUIRE(bound.has_value());
    raw_client client(bound->port);
    client.send(
        "POST /api/v1/marker HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        "POST /api/v1/marker HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
        "{\"text\":\"more\"}"
        "POST /api/v1/marker HTTP/1.1\r\nHost: a\r\nOrigin: http://b\r\nContent-Length: 4\r\n\r\nevil"
        "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    for (int number = 0; number < 2; ++number) {
        const std::string answer = client.response(true);  // has no body, and no length
        CHECK(answer.starts_with("HTTP/1.1 204 No Content\r\n"));
        CHECK_FALSE(has(answer, "\r\nContent-Length:"));
        CHECK_FALSE(has(answer, "\r\nContent-Type:"));
    }
    CHECK(client.response().starts_with("HTTP/1.1 403 "));
    CHECK(client.response().starts_with("HTTP/1.1 503 "));
    const std::lock_guard lock(guard);
    CHECK(marked == std::vector<std::string>{"hello", "more"});
    CHECK(who != std::this_thread::get_id());
}

TEST_CASE("the page has charts of what was seen before it was opened") {
    std::atomic<std::uint64_t> bytes{0};
    const auto latest = [&]() -> std::shared_ptr<const pipeline::snapshot> {
        auto vm = std::make_shared<pipeline::vm_snapshot>();
        vm->identity.vm = "vm";
        vm->monitor = sample::monitor_state::ready;
        vm->last_sample = base::now();
        vm->drives.resize(1);
        vm->drives[0].drive = "system";
        auto& read = vm->drives[0].counters[sample::operation::read];
        read.bytes = bytes += 1'000'000;
        read.completed = read.bytes / 65'536;
        auto state = std::make_shared<pipeline::snapshot>();
        state->at = *vm->last_sample;
        state->vms = {vm};
        return state;
    };
    server one({.host = "127.0.0.1", .port = 0}, latest, own_health_now);
    const auto bound = one.start();
    REQUIRE(bound.has_value());
    std::this_thread::sleep_for(1500ms);
    raw_client client(bound->port);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(has(client.response(), "<figcaption>system: MB/s, reads</figcaption>"));
}

TEST_CASE("a header of nearly 8 KB is fine") {
    const started server;
    raw_client client(server.port);
    client.send("GET /healthz?" + std::string(7900, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.response().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("slow clients are dropped") {
    const started server(impatient(), 8000);
    const auto begin = std::chrono::steady_clock::now();
    SUBCASE("one that says nothing") {
        raw_client client(server.port);
        CHECK(client.closes_within(3s));
        CHECK(std::chrono::steady_clock::now() - begin >= 150ms);
    }
    SUBCASE("one that says a letter now and then") {
        raw_client client(server.port);
        client.send("GET / HTTP/1.1\r\nX: ");
        bool closed = false;
        while (!closed && std::chrono::steady_clock::now() - begin < 5s) {
            client.send("a");
            closed = client.closes_within(50ms);
        }
        CHECK(closed);
    }
    SUBCASE("one that is idle after a request") {
        raw_client client(server.port);
        client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.response().starts_with("HTTP/1.1 200 "));
        CHECK(client.closes_within(3s));
    }
    SUBCASE("one that does not read its answer") {
        raw_client client(server.port, 4096);
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        REQUIRE(client.hears_within(30s));
        std::this_thread::sleep_for(1s);  // five times what the server allows
        const std::string heard = client.rest();
        CHECK(heard.starts_with("HTTP/1.1 200 "));
        CHECK(heard.size() < std::stoul(length_of(heard)));
    }
}

TEST_CASE("a large answer arrives whole") {
    const started server({}, 5000);
    raw_client client(server.port);
    for (int turn = 0; turn < 2; ++turn) {
        client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        const std::string answer = client.response();
        CHECK(answer.size() > 5'000'000);
        CHECK(length_of(answer) == std::to_string(body_of(answer).size()));
        CHECK(has(answer, "qemu_up{vm=\"vm4999\"} 0\n"));
    }
}

TEST_CASE("connections above the limit are closed, and there is room again when one leaves") {
    limits how;
    how.connections = 4;
    const started server(how);
    const auto alive = [](raw_client& client) {
        client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        return body_of(client.response()) == "ok\n";
    };
    std::vector<std::unique_ptr<raw_client>> seated;
    for (int number = 0; number < 4; ++number) {
        seated.push_back(std::make_unique<raw_client>(server.port));
        CHECK(alive(*seated.back()));
    }
    for (int number = 0; number < 20; ++number) {
        raw_client refused(server.port);
        CHECK(refused.closes_within(5s));
    }
    for (auto& client : seated) CHECK(alive(*client));
    seated.pop_back();
    bool found_room = false;
    for (int turn = 0; turn < 100 && !found_room; ++turn) {
        raw_client next(server.port);
        found_room = alive(next);
        if (!found_room) std::this_thread::sleep_for(20ms);
    }
    CHECK(found_room);
}

TEST_CASE("two hundred clients, one after the other and at once") {
    const started server;
    std::atomic<int> answered = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 25; ++turn) {
                raw_client client(server.port);
                client.send("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                if (client.rest().starts_with("HTTP/1.1 200 ")) ++answered;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    CHECK(answered == 200);
}

TEST_CASE("the snapshot is exchanged while clients read it") {
    std::mutex mutex;
    auto current = state_with(1);
    server one(
        {.host = "127.0.0.1", .port = 0},
        [&] {
            const std::lock_guard lock(mutex);
            return current;
        },
        metrics::read_own_health);
    const auto bound = one.start();
    REQUIRE(bound.has_value());
    std::atomic<bool> over = false;
    std::thread writer([&] {
        for (std::size_t vms = 0; !over; ++vms) {
            auto next = state_with(vms % 10);
            const std::lock_guard lock(mutex);
            current = std::move(next);
        }
    });
    raw_client client(bound->port);
    int good = 0;
    for (int turn = 0; turn < 100; ++turn) {
        client.send(turn % 2 == 0 ? "GET / HTTP/1.1\r\nHost: a\r\n\r\n" : "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        if (client.response().starts_with("HTTP/1.1 200 ")) ++good;
    }
    over = true;
    writer.join();
    CHECK(good == 100);
}

TEST_CASE("stop ends at once, whatever the clients do, and frees the port") {
    std::optional<started> server;
    server.emplace(limits{}, 1000);
    raw_client silent(server->port);
    raw_client halfway(server->port);
    halfway.send("GET / HT");
    raw_client stuffed(server->port, 4096);
    stuffed.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
    std::atomic<bool> over = false;
    std::thread busy([&, port = server->port] {
        while (!over) {
            try {
                raw_client client(port);
                client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
                client.response();
            } catch (const std::runtime_error&) {
                break;
            }
        }
    });
    std::this_thread::sleep_for(100ms);
    const auto begin = std::chrono::steady_clock::now();
    server->one.stop();
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
    server->one.stop();  // does nothing
    over = true;
    busy.join();
    CHECK(silent.closes_within(1s));
    CHECK(halfway.closes_within(1s));
    class server next({.host = "127.0.0.1", .port = server->port}, [] { return nullptr; }, own_health_now);
    CHECK(next.start().has_value());
}

TEST_CASE("a server that was never started can be stopped") {
    server one({.host = "127.0.0.1", .port = 0}, [] { return nullptr; }, own_health_now);
    one.stop();
}

TEST_CASE("where it cannot listen it says why and what to do") {
    const auto start = [](std::string host, std::uint16_t port) {
        server one({.host = std::move(host), .port = port}, [] { return nullptr; }, own_health_now);
        return one.start();
    };
    SUBCASE("the port is in use") {
        const started first;
        const auto second = start("127.0.0.1", first.port);
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().code == base::errc::io);
        CHECK(second.error().message == "127.0.0.1:" + std::to_string(first.port) +
                                            " is already in use, perhaps by another qmpwatch: choose another with "
                                            "--web.listen-address HOST:PORT, or 'off'");
        CHECK_FALSE(start("", first.port).has_value());
    }
    SUBCASE("no such host") {
        const auto bound = start("no-such-host.invalid", 0);
        REQUIRE_FALSE(bound.has_value());
        CHECK(bound.error().code == base::errc::usage);
        CHECK(has(bound.error().message, "no-such-host.invalid"));
    }
    SUBCASE("the address of another machine") {
        const auto bound = start("192.0.2.1", 0);
        REQUIRE_FALSE(bound.has_value());
        CHECK(bound.error().code == base::errc::usage);
    }
    SUBCASE("a port of the system") {
        if (geteuid() == 0) return;
        const auto bound = start("127.0.0.1", 1);
        REQUIRE_FALSE(bound.has_value());
        CHECK(bound.error().code == base::errc::not_permitted);
    }
}

TEST_CASE("all addresses, and localhost") {
    for (const char* host : {"", "localhost"}) {
        CAPTURE(host);
        server one({.host = host, .port = 0}, [] { return nullptr; }, own_health_now);
        const auto bound = one.start();
        REQUIRE(bound.has_value());
        raw_client client(bound->port);
        client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.response().starts_with("HTTP/1.1 503 "));
    }
}

TEST_CASE("without file descriptors the server waits instead of spinning") {
    // The undefined behavior sanitizer needs file descriptors when it meets a class for the first time, so the log's
    // classes have to be met before; and its complaint is no news here.
    base::log::configure(base::log::level::error, base::log::format::text);
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit few = before;
    few.rlim_cur = 128;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
    {
        const started server;
        std::vector<int> filling;
        for (int file = open("/dev/null", O_RDONLY); file >= 0; file = open("/dev/null", O_RDONLY))
            filling.push_back(file);
        REQUIRE_FALSE(filling.empty());
        close(filling.back());
        filling.pop_back();
        raw_client client(server.port);  // takes the last one
        client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        const double begin = cpu_seconds();
        std::this_thread::sleep_for(600ms);
        CHECK(cpu_seconds() - begin < 0.3);
        for (const int file : filling) close(file);
        CHECK(body_of(client.response()) == "ok\n");
    }
    setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace qmpwatch::web
