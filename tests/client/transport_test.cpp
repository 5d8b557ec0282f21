#include "client/transport.hpp"
#include "support/files.hpp"
#include "support/run_coroutine.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

using namespace qmpwatch;
using base::errc;
using base::milliseconds;
using client::address;
using client::transport;
using std::chrono::steady_clock;
using support::run_coroutine;

namespace {

/// A UNIX socket that listens, by hand.
struct listener {
    support::temporary_folder folder;
    std::string path = (folder.path() / "s").string();
    int handle = -1;

    explicit listener(int backlog = 1, int kind = SOCK_STREAM) {
        handle = socket(AF_UNIX, kind, 0);
        sockaddr_un where{};
        where.sun_family = AF_UNIX;
        std::strncpy(where.sun_path, path.c_str(), sizeof where.sun_path - 1);
        REQUIRE(bind(handle, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0);
        if (kind == SOCK_STREAM) REQUIRE(listen(handle, backlog) == 0);
    }
    ~listener() {
        if (handle >= 0) close(handle);
    }
    address where() const {
        address result;
        result.path = path;
        return result;
    }
};

address at_path(std::string path) {
    address result;
    result.path = std::move(path);
    return result;
}

base::result<void> connect_to(const address& where) {
    asio::io_context context;
    transport line(context.get_executor());
    return run_coroutine(context, line.connect(where, steady_clock::now() + milliseconds(5000)));
}

}  // namespace

TEST_CASE("each way not to connect has its own error and a sentence") {
    const support::temporary_folder folder;
    const std::string inside = folder.path().string();

    SUBCASE("no socket yet") {
        const auto failed = connect_to(at_path(inside + "/none.sock"));
        CHECK(failed.error().code == errc::absent);
        CHECK(failed.error().message.find("-qmp unix:") != std::string::npos);
    }
    SUBCASE("no folder") {
        const auto failed = connect_to(at_path(inside + "/nowhere/none.sock"));
        CHECK(failed.error().code == errc::absent);
        CHECK(failed.error().message.find("no folder") != std::string::npos);
    }
    SUBCASE("a file") {
        std::ofstream(folder.path() / "file") << "x";
        const auto failed = connect_to(at_path(inside + "/file"));
        CHECK(failed.error().code == errc::usage);
        CHECK(failed.error().message.find("not a socket") != std::string::npos);
    }
    SUBCASE("a folder") { CHECK(connect_to(at_path(inside)).error().code == errc::usage); }
    SUBCASE("a socket that was left behind") {
        listener gone;
        close(gone.handle);
        gone.handle = -1;
        const auto failed = connect_to(gone.where());
        CHECK(failed.error().code == errc::absent);
        CHECK(failed.error().message.find("nobody listens") != std::string::npos);
    }
    SUBCASE("a datagram socket") {
        const listener datagram(0, SOCK_DGRAM);
        CHECK(connect_to(datagram.where()).error().code == errc::usage);
    }
    SUBCASE("tcp: nobody there") {
        address where;
        where.type = address::kind::tcp;
        where.host = "127.0.0.1";
        where.port = 1;
        CHECK(connect_to(where).error().code == errc::absent);
    }
}

TEST_CASE("a full backlog means busy, never a connection that is none") {
    const listener full(0);
    asio::io_context context;
    std::vector<std::unique_ptr<transport>> lines;
    errc code{};
    for (int i = 0; i < 10 && code == errc{}; ++i) {
        lines.push_back(std::make_unique<transport>(context.get_executor()));
        const auto connected =
            run_coroutine(context, lines.back()->connect(full.where(), steady_clock::now() + milliseconds(200)));
        if (connected.has_error()) code = connected.error().code;
    }
    CHECK(code == errc::busy);
    CHECK(lines.size() >= 2);
}

TEST_CASE("bytes, silence, and the end") {
    const listener server;
    asio::io_context context;
    transport line(context.get_executor());
    REQUIRE(run_coroutine(context, line.connect(server.where(), steady_clock::now() + milliseconds(5000))).has_value());
    CHECK(line.peer_process() == getpid());
    const int peer = accept(server.handle, nullptr, nullptr);

    // A read that times out leaves the connection as it was.
    CHECK(run_coroutine(context, line.read(steady_clock::now() + milliseconds(30))).error().code == errc::timed_out);
    CHECK(run_coroutine(context, line.read(steady_clock::now() - milliseconds(30))).error().code == errc::timed_out);
    REQUIRE(write(peer, "hello", 5) == 5);
    CHECK(*run_coroutine(context, line.read(steady_clock::now() + milliseconds(5000))) == "hello");

    REQUIRE(run_coroutine(context, line.write("world", steady_clock::now() + milliseconds(5000))).has_value());
    char heard[5];
    REQUIRE(read(peer, heard, 5) == 5);
    CHECK(std::string_view(heard, 5) == "world");

    close(peer);
    CHECK(run_coroutine(context, line.read(steady_clock::now() + milliseconds(5000))).error().code == errc::closed);
    CHECK(run_coroutine(context, line.write("x", steady_clock::now() + milliseconds(5000))).error().code ==
          errc::closed);
}

TEST_CASE("a peer that takes no bytes does not hold us up") {
    const listener server;
    asio::io_context context;
    transport line(context.get_executor());
    REQUIRE(run_coroutine(context, line.connect(server.where(), steady_clock::now() + milliseconds(5000))).has_value());
    const std::string flood(8 << 20, 'x');
    CHECK(run_coroutine(context, line.write(flood, steady_clock::now() + milliseconds(100))).error().code ==
          errc::closed);
}
