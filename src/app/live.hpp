// What `watch` and `record` have in common: VMs that are watched, shown and served until something ends it.
#pragma once

#include "app/console.hpp"
#include "app/exit_code.hpp"
#include "app/on_stall.hpp"
#include "app/watched_vms.hpp"
#include "base/asio.hpp"
#include "base/cadence.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "client/address.hpp"
#include "pipeline/notice.hpp"
#include "pipeline/snapshot.hpp"
#include "web/listen_address.hpp"
#include "web/server.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::app {

struct live_options : watch_targets {
    web::listen_address listen{true, "127.0.0.1", 10977};
    bool json_lines = false;  ///< --log.format json
    std::string on_stall;     ///< a shell command for stalls; empty for none
};

class live {
public:
    /// What a command adds. All are called on the thread that runs the loop; each may be empty.
    struct hooks {
        watched_vm::happening_sink tap;  ///< everything that happens, before its notices
        std::function<void(const watched_vm&, const pipeline::notice&)> heard;
        std::function<std::vector<std::string>(base::instant, std::size_t columns)> footer;  ///< lines below the table
        std::function<base::result<void>(std::string)> marker;  ///< for the web server, on its thread
    };

    live(asio::io_context& context, const live_options& options, hooks added);

    /// Starts to serve, to watch and to show. Fails when it cannot serve.
    base::result<void> begin();

    /// Stops the loop; the last exit code that was given counts.
    void end(int code);
    bool is_ending() const { return is_ending_; }

    /// After the loop: shows the summaries, stops the server. Returns the exit code.
    int finish();

    /// Writes a line above the table, or to standard output as it is.
    void print(std::string_view line);
    /// Draws again as soon as what happens now is over.
    void draw_soon();

    watched_vms& vms() { return vms_; }
    /// True when standard output is the table.
    bool has_table() const { return console_ && console_->has_table(); }

private:
    /// The latest snapshot, handed from the thread that watches to the thread that serves.
    class published_snapshot {
    public:
        void set(std::shared_ptr<const pipeline::snapshot> next) {
            const std::lock_guard lock(mutex_);
            latest_ = std::move(next);
        }
        std::shared_ptr<const pipeline::snapshot> get() const {
            const std::lock_guard lock(mutex_);
            return latest_;
        }

    private:
        mutable std::mutex mutex_;
        std::shared_ptr<const pipeline::snapshot> latest_;
    };

    base::result<void> serve();
    void hear(watched_vm& vm, const pipeline::notice& said);
    bool refuse_hopeless(const watched_vm& vm);
    void draw();
    void refresh();
    void look_again();
    void watch_size();
    void give_up_if(const base::result<void>& written);

    asio::io_context& context_;
    const live_options& options_;
    hooks hooks_;
    watched_vms vms_;
    published_snapshot published_;
    std::optional<web::server> server_;
    std::string metrics_address_;
    std::optional<console> console_;
    std::optional<on_stall> on_stall_;
    std::optional<base::cadence> beat_;
    asio::steady_timer refresh_timer_;
    asio::steady_timer look_timer_;
    asio::signal_set resized_;
    std::string fatal_;
    bool drawing_soon_ = false;
    bool is_ending_ = false;
    bool output_is_gone_ = false;
    int exit_code_ = exit_done;
};

}  // namespace qmpwatch::app
