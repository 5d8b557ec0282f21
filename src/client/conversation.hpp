// What is asked of a monitor that is ready: who the VM is, which drives it has, and their counters, beat after beat.
#pragma once

#include "base/asio.hpp"
#include "base/cadence.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/announcer.hpp"
#include "client/link.hpp"
#include "client/observer.hpp"
#include "client/settings.hpp"
#include "sample/drive.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::client {

class conversation {
public:
    /// All references must outlive it; `connection` must be ready.
    conversation(link& connection, const address& where, const watch_settings& settings, announcer& states,
                 observer& out);

    /// Asks until the connection ends, and says why it did. A monitor that does not answer does not end it: the state
    /// is announced (blocked, stopped) and the answer is waited for.
    asio::awaitable<base::error> hold();

private:
    struct exchange {
        base::result<std::string> text{std::string()};
        base::steady_time sent{};
        base::steady_time heard{};
        bool late = false;  ///< came after its deadline
    };

    bool speaks_qmp() const { return connection_.session().speaks() == monitor::protocol::qmp; }

    /// One question and its answer, however long that takes. The result's text holds `refused` when QEMU refused; an
    /// error of any other kind means that the connection is over.
    asio::awaitable<exchange> ask(std::string_view command, std::string_view arguments = {});
    asio::awaitable<void> look_why_silent();

    asio::awaitable<base::result<void>> identify();
    asio::awaitable<base::result<void>> identify_qmp(sample::vm_identity& vm);
    asio::awaitable<base::result<void>> identify_hmp(sample::vm_identity& vm);
    asio::awaitable<base::result<std::string>> accelerator_qmp();
    asio::awaitable<base::result<void>> read_run_state();
    asio::awaitable<base::result<void>> read_inventory();
    asio::awaitable<base::result<void>> read_inventory_qmp(sample::inventory& drives);
    asio::awaitable<base::result<void>> read_inventory_hmp(sample::inventory& drives);
    asio::awaitable<base::result<sample::attachment>> walk(std::string qdev);
    asio::awaitable<base::result<void>> poll(base::steady_time due);
    asio::awaitable<base::result<bool>> read_counters(const exchange& answered);
    asio::awaitable<base::result<void>> rest_until(base::steady_time tick);

    void hear_events();
    bool drives_changed() const;
    void read_process();

    link& connection_;
    const address& where_;
    const watch_settings& settings_;
    announcer& states_;
    observer& out_;

    sample::sample sample_;  ///< used again for every poll, so that polling does not allocate
    std::vector<sample::drive_identity> known_drives_;
    sample::inventory inventory_;
    bool inventory_read_ = false;
    base::steady_time inventory_due_{};
    std::optional<int> process_;
    base::steady_time process_due_{};
    base::steady_time run_state_due_{};
    bool shut_down_ = false;
    std::optional<monitor::ticket> ping_;
};

}  // namespace qmpwatch::client
