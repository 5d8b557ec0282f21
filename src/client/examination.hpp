// One look at a VM for advice: questions about its drives, its accelerator and its interrupt controller, over QMP or
// HMP.
#pragma once

#include "base/asio.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/address.hpp"
#include "client/link.hpp"
#include "sample/vm_facts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::client {

class examination {
public:
    /// Both must outlive it; `connection` must be ready.
    examination(link& connection, const address& where);

    /// Asks until all is known or the deadline has come. What QEMU refuses to tell stays unknown; `timed_out` when it
    /// does not answer a question, other errors when the connection ends.
    asio::awaitable<base::result<sample::vm_facts>> look(base::steady_time deadline);

    /// QEMU's command line, as look() has found it; empty when it cannot be read on this host.
    const std::vector<std::string>& command_line() const { return command_line_; }

private:
    bool speaks_qmp() const { return connection_.session().speaks() == monitor::protocol::qmp; }

    /// One question; none when QEMU refused it.
    asio::awaitable<base::result<std::optional<std::string>>> ask(std::string_view command,
                                                                  std::string_view arguments = {});
    asio::awaitable<base::result<std::string>> ask_text(std::string_view command, std::string_view arguments = {});
    /// A property that is a string; empty when it is none or QEMU refused.
    asio::awaitable<base::result<std::string>> property(std::string_view path, std::string_view name);

    asio::awaitable<base::result<void>> look_qmp();
    asio::awaitable<base::result<void>> look_hmp();
    asio::awaitable<base::result<void>> read_accelerator();
    asio::awaitable<base::result<void>> read_accelerator_hmp();
    asio::awaitable<base::result<void>> read_drives();
    asio::awaitable<base::result<void>> read_controller();
    asio::awaitable<base::result<void>> read_arm_controller();
    asio::awaitable<base::result<void>> read_x86_controller();
    void take_drives(sample::inventory drives, std::vector<sample::drive_settings> settings);

    link& connection_;
    const address& where_;
    base::steady_time deadline_{};
    sample::vm_facts found_;
    std::string first_processor_;  ///< its QOM path, over QMP
    std::vector<std::string> command_line_;
};

}  // namespace qmpwatch::client
