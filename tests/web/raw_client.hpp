// A client that can misbehave: a TCP socket on 127.0.0.1 that sends what it is told and shows what comes back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace qmpwatch::web {

class raw_client {
public:
    /// Connects. `receive_buffer` of 0 leaves the size to the system.
    explicit raw_client(std::uint16_t port, int receive_buffer = 0);
    ~raw_client();
    raw_client(const raw_client&) = delete;
    raw_client& operator=(const raw_client&) = delete;

    /// False when the other side has closed.
    bool send(std::string_view text);

    /// One response: header and body, as its Content-Length says; without a body for HEAD. Empty when none came.
    std::string response(bool without_body = false);

    /// Everything until the other side closes.
    std::string rest();

    /// True when there is something to read in time; does not read it.
    bool hears_within(std::chrono::milliseconds patience);

    /// True when the other side closes in time, whatever it sends before.
    bool closes_within(std::chrono::milliseconds patience);

private:
    bool receive();  ///< more into pending_; false at the end or after 10 s

    int socket_;
    std::string pending_;
};

}  // namespace qmpwatch::web
