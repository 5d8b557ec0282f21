#include "client/watchdog.hpp"

#include <doctest/doctest.h>

#include <sys/socket.h>

using namespace qmpwatch;
using base::milliseconds;
using client::watchdog;
using std::chrono::steady_clock;

namespace {

/// One end of a pair; the other stays silent until the test writes.
struct pair_of_sockets {
    asio::io_context context;
    watchdog::socket one{context};
    watchdog::socket other{context};

    pair_of_sockets() {
        int handles[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, handles) == 0);
        const asio::generic::stream_protocol kind{asio::local::stream_protocol()};
        one.assign(kind, handles[0]);
        other.assign(kind, handles[1]);
    }
    /// Waits for bytes; true when some came, false when the wait was cancelled.
    bool wait() {
        bool is_readable = false;
        one.async_wait(asio::socket_base::wait_read, [&](error_code failure) {
            is_readable = !failure;
            context.stop();
        });
        context.restart();
        context.run_for(std::chrono::seconds(5));
        return is_readable;
    }
};

}  // namespace

TEST_CASE("a wait ends at the deadline, once") {
    pair_of_sockets sockets;
    watchdog guard(sockets.one);
    const auto begun = steady_clock::now();
    guard.arm(begun + milliseconds(50));
    CHECK_FALSE(sockets.wait());
    CHECK(steady_clock::now() - begun >= milliseconds(50));
    CHECK(guard.take_fired());
    CHECK_FALSE(guard.take_fired());
}

TEST_CASE("a deadline that was moved back does not end the wait early") {
    pair_of_sockets sockets;
    watchdog guard(sockets.one);
    const auto begun = steady_clock::now();
    guard.arm(begun + milliseconds(20));
    guard.disarm();
    guard.arm(begun + milliseconds(120));
    CHECK_FALSE(sockets.wait());
    CHECK(steady_clock::now() - begun >= milliseconds(120));
}

TEST_CASE("a deadline that was moved forward ends it early") {
    pair_of_sockets sockets;
    watchdog guard(sockets.one);
    const auto begun = steady_clock::now();
    guard.arm(begun + milliseconds(4000));
    guard.arm(begun + milliseconds(30));
    CHECK_FALSE(sockets.wait());
    CHECK(steady_clock::now() - begun < milliseconds(2000));
    CHECK(guard.take_fired());
}

TEST_CASE("disarmed, it never bites") {
    pair_of_sockets sockets;
    watchdog guard(sockets.one);
    guard.arm(steady_clock::now() + milliseconds(20));
    guard.disarm();
    asio::steady_timer later(sockets.context, milliseconds(80));
    later.async_wait([&](error_code) { sockets.other.write_some(asio::buffer("x", 1)); });
    CHECK(sockets.wait());
    CHECK_FALSE(guard.take_fired());
}

TEST_CASE("it can go away before its timer does") {
    pair_of_sockets sockets;
    {
        watchdog guard(sockets.one);
        guard.arm(steady_clock::now() + milliseconds(10));
    }
    sockets.context.run_for(milliseconds(50));
    sockets.other.write_some(asio::buffer("x", 1));
    CHECK(sockets.wait());
}
