#include "raw_client.hpp"

#include <array>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace qmpwatch::web {

namespace {

constexpr int patience_ms = 10'000;

/// True when there is something to read, or the end.
bool readable(int socket, int milliseconds) {
    pollfd wanted{socket, POLLIN, 0};
    return poll(&wanted, 1, milliseconds) == 1;
}

}  // namespace

raw_client::raw_client(std::uint16_t port, int receive_buffer) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (socket_ < 0) throw std::runtime_error("no socket");
    std::signal(SIGPIPE, SIG_IGN);  // a server that has closed is an answer too
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
        close(socket_);
        throw std::runtime_error("nobody listens");
    }
}

raw_client::~raw_client() { close(socket_); }

bool raw_client::send(std::string_view text) {
    while (!text.empty()) {
        const auto sent = ::send(socket_, text.data(), text.size(), 0);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool raw_client::receive() {
    std::array<char, 65536> piece;
    if (!readable(socket_, patience_ms)) return false;
    const auto received = recv(socket_, piece.data(), piece.size(), 0);
    if (received <= 0) return false;
    pending_.append(piece.data(), static_cast<std::size_t>(received));
    return true;
}

std::string raw_client::response(bool without_body) {
    std::size_t end = 0;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) return {};
    }
    std::size_t size = end + 4;
    const std::size_t length = pending_.find("Content-Length: ");
    if (length < end && !without_body) size += std::stoul(pending_.substr(length + 16));
    while (pending_.size() < size) {
        if (!receive()) return {};
    }
    std::string whole = pending_.substr(0, size);
    pending_.erase(0, size);
    return whole;
}

std::string raw_client::rest() {
    while (receive()) {
    }
    return std::move(pending_);
}

bool raw_client::hears_within(std::chrono::milliseconds patience) {
    return readable(socket_, static_cast<int>(patience.count()));
}

bool raw_client::closes_within(std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    std::array<char, 65536> piece;
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0 || !readable(socket_, static_cast<int>(left.count()))) return false;
        if (recv(socket_, piece.data(), piece.size(), 0) <= 0) return true;
    }
}

}  // namespace qmpwatch::web
