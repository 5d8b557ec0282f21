#include "app/watch.hpp"

#include "app/console.hpp"
#include "app/exit_code.hpp"
#include "app/watched_vms.hpp"
#include "base/asio.hpp"
#include "base/log.hpp"
#include "report/once.hpp"
#include "view/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>

namespace qmpwatch::app {

namespace {

/// Measures one interval of all VMs, prints it, and ends.
class one_look {
public:
    explicit one_look(const watch_options& options)
        : options_(options),
          vms_(
              context_, options, [this](watched_vm& vm, const pipeline::notice&) { give_up_if_unreachable(vm); },
              [this] { look_whether_it_is_done(); }),
          limit_timer_(context_),
          signals_(context_, SIGINT, SIGTERM) {}

    int run() {
        signals_.async_wait([this](error_code failure, int) {
            if (!failure) end(exit_could_not);
        });
        vms_.look_for_vms();
        if (vms_.all().empty()) {
            base::log::error(fmt::format("no socket matches '{}' yet", options_.targets.front().where.path));
            return exit_could_not;
        }
        limit();
        context_.run();
        return exit_code_;
    }

private:
    static constexpr base::seconds patience{10};  ///< beyond the interval itself

    void give_up_if_unreachable(const watched_vm& vm) {
        using sample::monitor_state;
        const monitor_state state = vm.pipeline.monitor();
        if (is_ending_ || (state != monitor_state::absent && state != monitor_state::busy)) return;
        base::log::error(vm.detail);
        end(exit_could_not);
    }

    void look_whether_it_is_done() {
        const auto& all = vms_.all();
        const bool is_done =
            std::all_of(all.begin(), all.end(), [](const auto& one) { return one->pipeline.has_complete_interval(); });
        if (is_ending_ || !is_done) return;
        is_ending_ = true;
        // After the whole sample has been taken in, not in its middle.
        asio::post(context_, [this] { print(); });
    }

    void print() {
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

    void limit() {
        limit_timer_.expires_after(options_.interval + patience);
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

    void end(int code) {
        is_ending_ = true;
        exit_code_ = code;
        context_.stop();
    }

    const watch_options& options_;
    asio::io_context context_{1};
    watched_vms vms_;
    asio::steady_timer limit_timer_;
    asio::signal_set signals_;
    bool is_ending_ = false;
    int exit_code_ = exit_done;
};

}  // namespace

int watch(const watch_options& options) {
    std::signal(SIGPIPE, SIG_IGN);
    if (options.once) return one_look(options).run();
    asio::io_context context{1};
    live running(context, options, {});
    asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait([&](error_code failure, int) {
        if (!failure) running.end(exit_done);
    });
    if (const base::result<void> begun = running.begin(); begun.has_error()) {
        base::log::error(begun.error().message);
        return exit_could_not;
    }
    context.run();
    return running.finish();
}

}  // namespace qmpwatch::app
