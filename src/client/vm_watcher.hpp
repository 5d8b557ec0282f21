// Watches one VM for as long as the program runs: connects, holds the conversation, and comes back when it ends.
#pragma once

#include "base/asio.hpp"
#include "client/address.hpp"
#include "client/announcer.hpp"
#include "client/link.hpp"
#include "client/observer.hpp"
#include "client/settings.hpp"

namespace qmpwatch::client {

class vm_watcher {
public:
    /// `out` must outlive it. Everything runs on `executor`, which must not be concurrent.
    vm_watcher(asio::any_io_executor executor, address where, watch_settings settings, observer& out);

    /// Runs until request_stop; a VM that is not there yet, or not any more, is waited for.
    asio::awaitable<void> run();

    /// Ends run() at its next wait for a connection.
    void request_stop() { stop_requested_ = true; }

    const address& where() const { return where_; }

private:
    /// Connects and listens until the monitor is ready; announces what keeps it from being so.
    asio::awaitable<base::result<void>> reach(link& connection);
    void explain_silence(const link& connection);
    void explain_failure(const base::error& failure);

    asio::any_io_executor executor_;
    address where_;
    watch_settings settings_;
    observer& out_;
    announcer states_;
    bool stop_requested_ = false;
};

}  // namespace qmpwatch::client
