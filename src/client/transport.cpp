#include "client/transport.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#ifndef MSG_NOSIGNAL  // macOS; the program ignores SIGPIPE anyway
#define MSG_NOSIGNAL 0
#endif

namespace qmpwatch::client {

namespace {

base::error nobody_there(const std::string& path) {
    struct stat about{};
    if (stat(path.c_str(), &about) == 0) {
        if (!S_ISSOCK(about.st_mode)) {
            return base::fail(base::errc::usage, fmt::format("{} is not a socket: give the path of QEMU's monitor "
                                                             "socket (-qmp unix:PATH,server=on,wait=off)",
                                                             path));
        }
        return base::fail(base::errc::absent, fmt::format("nobody listens on {}: QEMU has ended", path));
    }
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    if (stat(folder.c_str(), &about) != 0 && errno == ENOENT) {
        return base::fail(base::errc::absent,
                          fmt::format("there is no {} and no folder {}: is the path right?", path, folder));
    }
    return base::fail(base::errc::absent,
                      fmt::format("there is no {} yet: start QEMU with -qmp unix:{},server=on,wait=off", path, path));
}

base::error connect_failure(int number, const std::string& path) {
    switch (number) {
        case ENOENT:
        case ENOTDIR:
        case ECONNREFUSED: return nobody_there(path);
        case EACCES:
        case EPERM:
            return base::fail(
                base::errc::not_permitted,
                fmt::format("no permission to use {}: run qmpwatch as the user who runs QEMU, or with sudo", path));
        case EAGAIN: return base::fail(base::errc::busy, "another client owns the monitor and others wait for it");
        case EPROTOTYPE:
            return base::fail(base::errc::usage, fmt::format("{} is a socket of another kind (datagram): give the path "
                                                             "of QEMU's monitor socket",
                                                             path));
        default:
            return base::fail(base::errc::io, fmt::format("cannot connect to {}: {}", path, std::strerror(number)));
    }
}

bool means_closed(const error_code& failure) {
    return failure == boost::asio::error::eof || failure == boost::asio::error::connection_reset ||
           failure == boost::asio::error::broken_pipe || failure == boost::asio::error::not_connected;
}

base::error io_failure(const error_code& failure) {
    if (means_closed(failure)) return base::fail(base::errc::closed, "QEMU closed the connection");
    return base::fail(base::errc::io, fmt::format("the connection failed: {}", failure.message()));
}

/// The one place where replies land. Between the moment a socket is readable and the moment its bytes are used nothing
/// else runs on this thread, so a thousand connections share it.
std::array<char, 64 << 10>& scratch() {
    thread_local std::array<char, 64 << 10> bytes;
    return bytes;
}

}  // namespace

transport::transport(asio::any_io_executor executor) : socket_(std::move(executor)), watchdog_(socket_) {}

asio::awaitable<base::result<void>> transport::connect(const address& where, base::steady_time deadline) {
    if (where.type == address::kind::unix_socket) co_return co_await connect_unix(where);
    co_return co_await connect_tcp(where, deadline);
}

asio::awaitable<base::result<void>> transport::connect_unix(const address& where) {
    const asio::local::stream_protocol::endpoint endpoint(where.path);
    error_code failure;
    socket_.open(asio::generic::stream_protocol(asio::local::stream_protocol()), failure);
    if (!failure) socket_.native_non_blocking(true, failure);
    if (failure) {
        co_return base::fail(base::errc::io, fmt::format("cannot open a socket: {}", failure.message()));
    }
    // Asio's connect is not used: on a full backlog the system says EAGAIN, and Asio 1.26 then waits and reports a
    // success that is none (chriskohlhoff/asio#1365). A UNIX connect is over at once anyway.
    if (::connect(socket_.native_handle(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0) {
        co_return connect_failure(errno, where.path);
    }
    co_return base::result<void>{};
}

asio::awaitable<base::result<void>> transport::connect_tcp(const address& where, base::steady_time deadline) {
    asio::ip::tcp::resolver resolver(socket_.get_executor());
    auto [unresolved, endpoints] = co_await resolver.async_resolve(where.host, std::to_string(where.port), as_result);
    if (unresolved) {
        co_return base::fail(base::errc::absent,
                             fmt::format("cannot find the host {}: {}", where.host, unresolved.message()));
    }
    error_code failure = boost::asio::error::host_not_found;
    for (const auto& entry : endpoints) {
        const asio::generic::stream_protocol::endpoint endpoint(entry.endpoint());
        error_code ignored;
        socket_.close(ignored);
        socket_.open(asio::generic::stream_protocol(entry.endpoint().protocol()), failure);
        if (failure) continue;
        watchdog_.arm(deadline);
        auto [connected] = co_await socket_.async_connect(endpoint, as_result);
        watchdog_.disarm();
        if (watchdog_.take_fired()) {
            co_return base::fail(base::errc::timed_out, fmt::format("{} does not answer", where.text()));
        }
        failure = connected;
        if (!failure) {
            socket_.remote_endpoint(failure);
            if (!failure) socket_.native_non_blocking(true, failure);
            if (!failure) co_return base::result<void>{};
        }
    }
    co_return base::fail(base::errc::absent, fmt::format("nobody listens on {}: {}", where.text(), failure.message()));
}

asio::awaitable<base::result<std::string_view>> transport::read(base::steady_time deadline) {
    for (;;) {
        watchdog_.arm(deadline);
        auto [failure] = co_await socket_.async_wait(asio::socket_base::wait_read, as_result);
        watchdog_.disarm();
        const bool too_late = watchdog_.take_fired();
        if (failure) {
            if (too_late) co_return base::fail(base::errc::timed_out, "no answer in time");
            co_return io_failure(failure);
        }
        std::array<char, 64 << 10>& room = scratch();
        const ssize_t count = ::read(socket_.native_handle(), room.data(), room.size());
        if (count > 0) co_return std::string_view(room.data(), static_cast<std::size_t>(count));
        if (count == 0) co_return io_failure(boost::asio::error::eof);
        if (errno == EAGAIN || errno == EINTR) continue;
        co_return io_failure(error_code(errno, boost::system::system_category()));
    }
}

asio::awaitable<base::result<void>> transport::write(std::string_view text, base::steady_time deadline) {
    while (!text.empty()) {
        const ssize_t count = ::send(socket_.native_handle(), text.data(), text.size(), MSG_NOSIGNAL);
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) {
            co_return io_failure(error_code(errno, boost::system::system_category()));
        }
        watchdog_.arm(deadline);
        auto [failure] = co_await socket_.async_wait(asio::socket_base::wait_write, as_result);
        watchdog_.disarm();
        if (watchdog_.take_fired()) co_return base::fail(base::errc::closed, "QEMU takes no more bytes");
        if (failure) co_return io_failure(failure);
    }
    co_return base::result<void>{};
}

std::optional<int> transport::peer_process() const {
#ifdef __linux__
    ucred peer{};
    socklen_t size = sizeof peer;
    const int handle = const_cast<asio::generic::stream_protocol::socket&>(socket_).native_handle();
    if (getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return std::nullopt;
    return static_cast<int>(peer.pid);
#elif defined(LOCAL_PEERPID)
    pid_t peer = 0;
    socklen_t size = sizeof peer;
    const int handle = const_cast<asio::generic::stream_protocol::socket&>(socket_).native_handle();
    if (getsockopt(handle, SOL_LOCAL, LOCAL_PEERPID, &peer, &size) != 0 || peer <= 0) return std::nullopt;
    return static_cast<int>(peer);
#else
    return std::nullopt;
#endif
}

}  // namespace qmpwatch::client
