#include "app/watch.hpp"

#include "app/console.hpp"
#include "app/exit_code.hpp"
#include "app/on_stall.hpp"
#include "app/watched_vms.hpp"
#include "base/asio.hpp"
#include "base/cadence.hpp"
#include "base/log.hpp"
#include "metrics/own_health.hpp"
#include "report/once.hpp"
#include "view/table.hpp"
#include "web/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace qmpwatch::app {

namespace {

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

class watch_program {
public:
    explicit watch_program(const watch_options& options)
        : options_(options),
          vms_(
              context_, options, [this](watched_vm& vm, const pipeline::notice& said) { hear(vm, said); },
              [this] {
                  if (options_.once) look_whether_once_is_done();
              }),
          refresh_timer_(context_),
          look_timer_(context_),
          limit_timer_(context_),
          signals_(context_, SIGINT, SIGTERM),
          resized_(context_, SIGWINCH) {}

    int run() {
        if (!options_.once) {
            if (const base::result<void> serving = serve(); serving.has_error()) {
                base::log::error(serving.error().message);
                return exit_could_not;
            }
            console_.emplace(console::style_for_standard_output(options_.json_lines), metrics_address_);
        }
        if (!options_.on_stall.empty()) on_stall_.emplace(context_, options_.on_stall);
        signals_.async_wait([this](error_code failure, int) {
            if (!failure) end(options_.once ? exit_could_not : exit_done);
        });
        vms_.look_for_vms();
        if (vms_.all().empty()) {
            const std::string& pattern = options_.targets.front().where.path;
            const std::string sentence = fmt::format("no socket matches '{}' yet", pattern);
            if (options_.once) {
                base::log::error(sentence);
                return exit_could_not;
            }
            base::log::info(sentence);
        }
        beat_ = base::cadence(std::chrono::steady_clock::now() + options_.poll,
                              std::max<base::nanoseconds>(options_.poll, shortest_refresh));
        if (options_.once) {
            limit_once();
        } else {
            look_again();
            watch_size();
            refresh();
        }
        context_.run();
        if (!options_.once) say_goodbye();
        if (server_) server_->stop();
        return exit_code_;
    }

private:
    static constexpr base::milliseconds shortest_refresh{250};
    static constexpr base::seconds look_every{5};
    static constexpr base::seconds patience_of_once{10};  ///< beyond the interval itself

    base::result<void> serve() {
        if (!options_.listen.enabled) return {};
        web::settings how;
        how.host = options_.listen.host;
        how.port = options_.listen.port;
        server_.emplace(how, [this] { return published_.get(); }, [] { return metrics::read_own_health(); });
        const base::result<web::listen_address> bound = server_->start();
        if (bound.has_error()) {
            server_.reset();
            return bound.error();
        }
        metrics_address_ = fmt::format("http://{}/metrics", web::to_string(*bound));
        base::log::debug(fmt::format("serving {}", metrics_address_));
        return {};
    }

    void hear(watched_vm& vm, const pipeline::notice& said) {
        if (options_.once) {
            give_up_once_if_unreachable(vm);
            return;
        }
        if (refuse_hopeless(vm)) return;
        if (on_stall_) on_stall_->hear(said, vm.pipeline.identity());
        give_up_if(console_->say(said));
        // A terminal shows what happened at once, not with the next beat; a fixed beat is enough for the numbers.
        if (!std::holds_alternative<pipeline::rate_notice>(said.what)) draw_soon();
    }

    /// With one VM asked for, what cannot be watched ends the program with a sentence; with many, it is a notice and
    /// the others go on.
    bool refuse_hopeless(const watched_vm& vm) {
        if (!fatal_.empty()) return true;
        const bool is_hopeless = vm.problem == base::errc::not_a_monitor || vm.problem == base::errc::not_permitted ||
                                 vm.problem == base::errc::usage;
        const bool is_only_one = options_.targets.size() == 1 && !options_.targets.front().is_pattern;
        if (!is_hopeless || vm.was_ready || !is_only_one) return false;
        fatal_ = vm.detail;
        end(exit_could_not);
        return true;
    }

    // ---- once

    void give_up_once_if_unreachable(const watched_vm& vm) {
        using sample::monitor_state;
        const monitor_state state = vm.pipeline.monitor();
        if (is_ending_ || (state != monitor_state::absent && state != monitor_state::busy)) return;
        base::log::error(vm.detail);
        end(exit_could_not);
    }

    void look_whether_once_is_done() {
        const auto& all = vms_.all();
        const bool is_done =
            std::all_of(all.begin(), all.end(), [](const auto& one) { return one->pipeline.has_complete_interval(); });
        if (is_ending_ || !is_done) return;
        is_ending_ = true;
        // After the whole sample has been taken in, not in its middle.
        asio::post(context_, [this] { print_once(); });
    }

    void print_once() {
        const base::instant now = base::now();
        const auto state = vms_.snapshot(now);
        std::string text;
        switch (options_.format) {
            case once_format::json: text = report::once_json(*state); break;
            case once_format::csv: text = report::once_csv(*state); break;
            case once_format::table:
                for (const std::string& line : view::table(*state, settings_for_standard_output(), now))
                    text += line + '\n';
                break;
        }
        const base::result<void> written = write_to_standard_output(text);
        if (written.has_error()) base::log::error(written.error().message);
        end(written.has_error() ? exit_could_not : exit_done);
    }

    void limit_once() {
        limit_timer_.expires_after(options_.interval + patience_of_once);
        limit_timer_.async_wait([this](error_code failure) {
            if (failure || is_ending_) return;
            for (const auto& vm : vms_.all()) {
                if (vm->pipeline.has_complete_interval()) continue;
                base::log::error(vm->detail.empty()
                                     ? fmt::format("{} gave no counters in time", vm->watcher.where().text())
                                     : vm->detail);
            }
            end(exit_could_not);
        });
    }

    // ---- beats

    void refresh() {
        const base::instant now = base::now();
        const auto state = vms_.snapshot(now);
        published_.set(state);
        give_up_if(console_->refresh(*state, now));
        refresh_timer_.expires_at(beat_->next_after(now.steady));
        refresh_timer_.async_wait([this](error_code failure) {
            if (!failure) refresh();
        });
    }

    void draw_soon() {
        if (drawing_soon_) return;
        drawing_soon_ = true;
        asio::post(context_, [this] {
            drawing_soon_ = false;
            const base::instant now = base::now();
            const auto state = vms_.snapshot(now);
            published_.set(state);
            give_up_if(console_->refresh(*state, now));
        });
    }

    void look_again() {
        look_timer_.expires_after(look_every);
        look_timer_.async_wait([this](error_code failure) {
            if (failure) return;
            vms_.look_for_vms();
            look_again();
        });
    }

    void watch_size() {
        resized_.async_wait([this](error_code failure, int) {
            if (failure) return;
            draw_soon();
            watch_size();
        });
    }

    // ---- the end

    void give_up_if(const base::result<void>& written) {
        if (written.has_value() || is_ending_) return;
        // A reader that has had enough (| head) is no failure.
        const bool is_closed = written.error().code == base::errc::closed;
        if (!is_closed) base::log::error(written.error().message);
        output_is_gone_ = true;
        end(is_closed ? exit_done : exit_could_not);
    }

    void end(int code) {
        is_ending_ = true;
        exit_code_ = code;
        context_.stop();
    }

    void say_goodbye() {
        if (!output_is_gone_) {
            base::result<void> written = console_->refresh(*vms_.snapshot(base::now()), base::now());
            if (written.has_value()) written = console_->close();
            for (const auto& vm : vms_.all()) {
                const std::optional<pipeline::notice> last = vm->pipeline.summary();
                if (last && written.has_value()) written = console_->say(*last);
            }
        }
        if (!fatal_.empty()) base::log::error(fatal_);
    }

    const watch_options& options_;
    asio::io_context context_{1};
    watched_vms vms_;
    published_snapshot published_;
    std::optional<web::server> server_;
    std::string metrics_address_;
    std::optional<console> console_;
    std::optional<on_stall> on_stall_;
    std::optional<base::cadence> beat_;
    asio::steady_timer refresh_timer_;
    asio::steady_timer look_timer_;
    asio::steady_timer limit_timer_;
    asio::signal_set signals_;
    asio::signal_set resized_;
    std::string fatal_;
    bool drawing_soon_ = false;
    bool is_ending_ = false;
    bool output_is_gone_ = false;
    int exit_code_ = exit_done;
};

}  // namespace

int watch(const watch_options& options) {
    std::signal(SIGPIPE, SIG_IGN);
    return watch_program(options).run();
}

}  // namespace qmpwatch::app
