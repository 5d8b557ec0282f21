// Makes QEMU log what its USB mass storage does, and puts everything back. The only part of qmpwatch that changes a VM.
#pragma once

#include "base/asio.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/link.hpp"
#include "monitor/proving.hpp"

#include <string>
#include <vector>

namespace qmpwatch::client {

/// What has been changed, and so has to be put back.
class proof {
public:
    /// Sends QEMU's log to the file at `log_path`, then switches the trace events on. `connection` must be a QMP
    /// monitor that is ready. After an error, what was changed so far still has to be put back. `refused` with a
    /// sentence when this QEMU cannot do it.
    asio::awaitable<base::result<void>> begin(link& connection, std::string log_path);

    /// Switches off what begin() has switched on and sends the log to `old_log` again. May be called again, with
    /// another connection, after an error; does nothing when there is nothing left to do.
    asio::awaitable<base::result<void>> put_back(link& connection, std::string old_log);

    bool is_changed() const { return is_log_moved_ || !switched_on_.empty(); }

    /// What a user can type into the human monitor to put back the rest.
    std::vector<std::string> left_to_do(const std::string& old_log) const;

private:
    asio::awaitable<base::result<std::string>> send(link& connection, const monitor::proving_command& command);
    asio::awaitable<base::result<void>> move_log(link& connection, std::string path);

    bool is_log_moved_ = false;
    std::vector<std::string> switched_on_;  ///< events that were off before
};

}  // namespace qmpwatch::client
