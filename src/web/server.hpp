// The web server: one thread that answers HTTP requests from the latest snapshot and never waits for a VM.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "metrics/own_health.hpp"
#include "pipeline/snapshot.hpp"
#include "web/listen_address.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace qmpwatch::web {

/// What one client may cost.
struct limits {
    std::size_t header_bytes = 8 * 1024;
    std::size_t body_bytes = 2048;             ///< of a request; only a marker needs one
    std::size_t connections = 64;              ///< at one time; further ones are closed at once
    base::nanoseconds reading = base::seconds(10);  ///< for a whole request to arrive, and to sit idle before it
    base::nanoseconds writing = base::seconds(30);  ///< for a whole response to leave
};

struct settings {
    std::string host;        ///< a name or an address; empty for all addresses of this machine
    std::uint16_t port = 0;  ///< 0: the system chooses
    web::limits limits{};
    /// Takes the text of a marker for the recording: printable, not empty. Called on the server's thread, so it must be
    /// safe to call there and must not wait for long. Its error becomes the answer. Empty: nothing is being recorded.
    std::function<base::result<void>(std::string)> mark{};
};

class server {
public:
    /// Both functions are called on the server's thread and must be safe to call there. `latest` may return null.
    server(settings how, std::function<std::shared_ptr<const pipeline::snapshot>()> latest,
           std::function<metrics::own_health()> self);
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    /// Listens, starts the thread and returns the address that it got. To be called once. Fails with `usage` when there
    /// is no such host, `not_permitted`, or `io` (most often: the port is in use).
    base::result<listen_address> start();

    /// Closes all connections and joins the thread; a response that is being made is finished first. Does nothing when
    /// the server does not run.
    void stop();

private:
    class worker;

    settings how_;
    std::function<std::shared_ptr<const pipeline::snapshot>()> latest_;
    std::function<metrics::own_health()> self_;
    std::unique_ptr<worker> worker_;
};

}  // namespace qmpwatch::web
