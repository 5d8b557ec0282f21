// A conversation driven through every step, with every failure at every step: a scripted peer on a socket pair's other
// end says the first N bytes of a good conversation, then misbehaves.
#include "client/link.hpp"
#include "support/files.hpp"
#include "support/run_coroutine.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <thread>

using namespace qmpwatch;
using base::errc;
using base::milliseconds;
using std::chrono::steady_clock;
using support::run_coroutine;

namespace {

constexpr std::string_view qmp_hello = "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 22, \"minor\": 2, \"major\": "
                                       "7}, \"package\": \"\"}, \"capabilities\": [\"oob\"]}}\r\n";
constexpr std::string_view qmp_agreed = "{\"return\": {}, \"id\": 0}\r\n";
constexpr std::string_view qmp_answer = "{\"return\": {\"status\": \"running\"}, \"id\": 1}\r\n";

enum class ending { silence, close, garbage };

/// A server thread that takes one client and plays QMP: each part of the conversation after the client's line before
/// it. After `limit` bytes in all it ends as told.
struct scripted_peer {
    support::temporary_folder folder;
    client::address where;
    int handle = -1;
    int client = -1;
    std::thread thread;

    scripted_peer(std::size_t limit, ending how) {
        where.path = (folder.path() / "s").string();
        handle = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::strncpy(name.sun_path, where.path.c_str(), sizeof name.sun_path - 1);
        REQUIRE(bind(handle, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
        REQUIRE(listen(handle, 1) == 0);
        thread = std::thread([this, limit, how] { play(limit, how); });
    }
    ~scripted_peer() {
        thread.join();
        if (client >= 0) close(client);
        close(handle);
    }
    void play(std::size_t limit, ending how) {
        client = accept(handle, nullptr, nullptr);
        for (std::string_view part : {qmp_hello, qmp_agreed, qmp_answer}) {
            part = part.substr(0, limit);
            limit -= part.size();
            say(part);
            if (limit == 0) break;
            if (part != qmp_answer) hear_line();
        }
        if (how == ending::garbage) say("\x01garbage!{]");
        if (how == ending::close) shutdown(client, SHUT_RDWR);
    }
    void say(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t taken = send(client, text.data(), text.size(), MSG_NOSIGNAL);
            if (taken <= 0) return;  // the client has given up, as some of these tests want
            text.remove_prefix(static_cast<std::size_t>(taken));
        }
    }
    void hear_line() const {
        char byte = 0;
        while (byte != '\n' && read(client, &byte, 1) == 1) {
        }
    }
};

/// The whole way: connect, become ready, ask, hear. Gives the first error's code, or none and the answer.
struct outcome {
    std::optional<errc> failed;
    std::string answer;
};

asio::awaitable<outcome> converse(client::link& line, client::address where, milliseconds patience) {
    outcome result;
    const auto deadline = [patience] { return steady_clock::now() + patience; };
    const base::result<void> connected = co_await line.connect(where, deadline());
    if (connected.has_error()) {
        result.failed = connected.error().code;
        co_return result;
    }
    const base::result<void> ready = co_await line.become_ready(deadline());
    if (ready.has_error()) {
        result.failed = ready.error().code;
        co_return result;
    }
    const base::result<monitor::ticket> question = co_await line.ask_qmp("query-status", "", deadline());
    if (question.has_error()) {
        result.failed = question.error().code;
        co_return result;
    }
    const base::result<std::string> text = co_await line.answer_to(*question, deadline());
    if (text.has_error()) {
        result.failed = text.error().code;
        co_return result;
    }
    result.answer = *text;
    co_return result;
}

constexpr std::size_t whole = qmp_hello.size() + qmp_agreed.size() + qmp_answer.size();

/// For what comes at once, however slow the machine; and for what never comes.
constexpr milliseconds patient{5000};
constexpr milliseconds impatient{60};

outcome try_conversation(std::size_t limit, ending how, milliseconds patience = patient) {
    scripted_peer peer(limit, how);
    asio::io_context context;
    client::link line(context.get_executor());
    return run_coroutine(context, converse(line, peer.where, patience));
}

}  // namespace

TEST_CASE("a good conversation") {
    const outcome good = try_conversation(whole, ending::silence);
    CHECK_FALSE(good.failed.has_value());
    CHECK(good.answer == R"({"status": "running"})");
}

TEST_CASE("every failure at every step of it") {
    const std::size_t complete = whole - 2;  // the line end is not waited for
    // All the places where a step ends, and places inside each.
    for (const std::size_t said : {std::size_t{0}, std::size_t{1}, qmp_hello.size() / 2, qmp_hello.size() - 3,
                                   qmp_hello.size(), qmp_hello.size() + 5, qmp_hello.size() + qmp_agreed.size() - 3,
                                   qmp_hello.size() + qmp_agreed.size(), complete - 1}) {
        CAPTURE(said);
        CHECK(try_conversation(said, ending::silence, impatient).failed == errc::timed_out);
        CHECK(try_conversation(said, ending::close).failed == errc::closed);
        // Garbage inside a string or an object is only noticed when the object never ends; between objects at once.
        const bool is_between = said == 0 || said == qmp_hello.size() || said == qmp_hello.size() + qmp_agreed.size();
        const auto code = try_conversation(said, ending::garbage, is_between ? patient : impatient).failed;
        const bool is_noticed = code == errc::protocol || code == errc::not_a_monitor || code == errc::timed_out;
        CHECK(is_noticed);
        if (is_between) CHECK(code != errc::timed_out);
    }
}

TEST_CASE("an answer that comes late is still the answer") {
    scripted_peer peer(qmp_hello.size() + qmp_agreed.size(), ending::silence);
    asio::io_context context;
    client::link line(context.get_executor());
    CHECK(run_coroutine(context, converse(line, peer.where, milliseconds(500))).failed == errc::timed_out);
    peer.say(qmp_answer);
    const auto text = run_coroutine(context, line.answer_to(1, steady_clock::now() + patient));
    REQUIRE(text.has_value());
    CHECK(*text == R"({"status": "running"})");
}

TEST_CASE("while nothing is asked, events are taken in and the end is noticed") {
    scripted_peer peer(whole, ending::silence);
    asio::io_context context;
    client::link line(context.get_executor());
    REQUIRE_FALSE(run_coroutine(context, converse(line, peer.where, patient)).failed.has_value());
    CHECK(run_coroutine(context, line.listen(steady_clock::now() + milliseconds(20))).has_value());

    const std::string_view stop = "{\"timestamp\": {\"seconds\": 1, \"microseconds\": 2}, \"event\": \"STOP\"}\r\n";
    peer.say(stop);
    CHECK(run_coroutine(context, line.listen(steady_clock::now() + patient)).has_value());
    monitor::announcement event;
    REQUIRE(line.take_event(event));
    CHECK(event.event == "STOP");

    shutdown(peer.client, SHUT_RDWR);
    CHECK(run_coroutine(context, line.listen(steady_clock::now() + patient)).error().code == errc::closed);
}
