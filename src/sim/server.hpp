// A simulated VM on a socket: serves its monitor like QEMU, or misbehaves as told, on the caller's event loop.
#pragma once

#include "base/asio.hpp"
#include "base/clock.hpp"
#include "sim/scenario.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::sim {

/// Serves one client at a time, as QEMU does: the next one is connected but hears nothing until the first has left.
/// Costs two coroutines while a client is connected. Not thread-safe: to be used on the executor's thread.
class simulated_monitor {
public:
    /// `start` is time zero of loads and script. The executor must outlive the object.
    simulated_monitor(asio::any_io_executor executor, scenario what,
                      base::steady_time start = std::chrono::steady_clock::now());
    /// As stop().
    ~simulated_monitor();
    simulated_monitor(simulated_monitor&&) noexcept = default;
    simulated_monitor& operator=(simulated_monitor&&) = delete;

    /// Listens on a UNIX socket. A stale socket file is replaced; `usage` when the path is anything else, is too long,
    /// or is served by somebody; `io` when the system refuses. To be called once.
    base::result<void> listen(const std::string& path);

    /// Listens on a numeric address or `localhost`; port 0 takes a free one. Returns the port.
    base::result<std::uint16_t> listen_tcp(const std::string& host, std::uint16_t port);

    /// Closes everything and removes the socket file.
    void stop();
    /// QEMU's orderly end: the SHUTDOWN event with that reason (host-signal, guest-shutdown, ...), then as stop().
    void shut_down(std::string_view reason, bool by_guest);
    /// As SIGKILL: the connection ends and the socket file stays.
    void kill();
    /// Closes the client's connection; the next client is served.
    void drop_client();

    /// The misbehaviour from now on; also for the client that is connected.
    void set_misbehaviour(const misbehaviour& fault);
    const misbehaviour& current_misbehaviour() const;

    /// Sends an event to a client that has negotiated; lost otherwise, as in QEMU. `data` is JSON text or empty.
    void emit_event(std::string_view name, std::string_view data = {});
    /// Changes the run state; with STOP or RESUME where the VM stops or starts running.
    void set_status(std::string_view status, bool with_events = true);
    void add_drive(drive_spec drive);
    /// False when no drive has that name (its qdev where it has no name); the same for the next two.
    bool remove_drive(std::string_view device);
    /// An empty `file` takes the medium out. The counters go on.
    bool change_medium(std::string_view device, std::string file);
    /// Counts a failed operation and sends BLOCK_IO_ERROR.
    bool fail_operation(std::string_view device, bool write);
    /// A new QEMU process: the client is dropped, counters start at zero.
    void restart();

    bool has_client() const;
    /// Clients served so far, the present one included.
    std::size_t connections() const;
    /// Every byte received so far, over all connections; the first MiB of them.
    const std::string& received() const;
    /// The names of the QMP commands and the HMP lines received so far, the first 4096 of them.
    const std::vector<std::string>& commands() const;

private:
    class hub;
    std::shared_ptr<hub> hub_;
};

}  // namespace qmpwatch::sim
