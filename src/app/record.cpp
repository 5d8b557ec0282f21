#include "app/record.hpp"

#include "app/child.hpp"
#include "app/medium_content.hpp"
#include "app/record_progress.hpp"
#include "base/asio.hpp"
#include "base/duration.hpp"
#include "base/log.hpp"
#include "metrics/push.hpp"
#include "run/digest.hpp"
#include "run/host.hpp"
#include "run/phases.hpp"
#include "run/quiet.hpp"
#include "run/recorder.hpp"
#include "run/run.hpp"
#include "run/summary.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

namespace qmpwatch::app {

namespace {

run::header header_for(const record_options& options) {
    run::header about;
    std::random_device random;
    about.id = fmt::format("{:08x}{:08x}", random(), random());
    about.qmpwatch = QMPWATCH_VERSION;
    about.start = base::now();
    about.poll = options.poll;
    about.interval = options.interval;
    about.host = run::read_host();
    about.labels = options.labels;
    about.is_redacted = options.redact;
    run::take_origin(about, [](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name);
        return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
    });
    return about;
}

/// QEMU says of a shutdown whether the guest wanted it: {"guest": true, "reason": "guest-shutdown"}.
bool is_by_guest(const sample::qmp_event& event) {
    return event.name == "SHUTDOWN" && (event.data.find("\"guest\":true") != std::string::npos ||
                                        event.data.find("\"guest\": true") != std::string::npos);
}

class recording {
public:
    recording(const record_options& options, run::recorder to, base::instant start)
        : options_(options),
          recorder_(std::move(to)),
          start_(start),
          live_(context_, options,
                {[this](const watched_vm& vm, const run::happening& one) {
                     // Under which name it is shown until it has told its own.
                     if (!std::exchange(has_name_, true)) hear(vm.pipeline.identity());
                     hear(one);
                 },
                 {},
                 [this](base::instant now, std::size_t columns) {
                     return progress_.lines(now.steady - start_.steady, columns);
                 },
                 [this](std::string text) {
                     // Comes from the server's thread.
                     asio::post(context_, [this, text = std::move(text)]() mutable { mark(std::move(text)); });
                     return base::result<void>();
                 }}),
          signals_(context_, SIGINT, SIGTERM),
          marks_(context_, SIGUSR1),
          limit_timer_(context_),
          linger_timer_(context_),
          progress_(options.output, options.expected_bytes) {}

    int run() {
        wait_for_signal();
        wait_for_mark();
        if (const base::result<void> begun = live_.begin(); begun.has_error()) {
            base::log::error(begun.error().message);
            end_with(run::end_reason::interrupted, exit_could_not);
        } else if (!live_.is_ending() && start_command()) {
            limit();
            context_.run();
        }
        wait_for_command();
        const int code = live_.finish();
        if (!reason_) reason_ = run::end_reason::interrupted;
        return write_the_end(code);
    }

private:
    bool start_command() {
        if (options_.command.empty()) return true;
        command_.emplace(
            context_, [this](int code) { command_ended(code); },
            live_.has_table() ? [this](std::string_view line) { live_.print(line); }
                              : std::function<void(std::string_view)>());
        const base::result<void> started = command_->start(options_.command);
        if (started.has_value()) return true;
        base::log::error(started.error().message);
        end_with(run::end_reason::interrupted, exit_usage);
        return false;
    }

    /// What is recorded of it, where that is more than what was heard.
    std::optional<run::happening> completed(const run::happening& one) {
        if (const auto* vm = std::get_if<sample::vm_identity>(&one)) vm_ = *vm;
        const auto* drives = std::get_if<sample::inventory>(&one);
        if (drives == nullptr) return std::nullopt;
        sample::inventory filled = *drives;
        contents_.fill(filled, vm_);
        return filled;
    }

    void hear(const run::happening& one) {
        if (is_written_) return;
        const std::optional<run::happening> more = completed(one);
        if (const base::result<void> written = recorder_.hear(more ? *more : one); written.has_error()) {
            base::log::error(written.error().message);
            is_written_ = true;
            end_with(run::end_reason::interrupted, exit_could_not);
            return;
        }
        if (const auto* counters = std::get_if<sample::sample>(&one)) {
            ++samples_;
            progress_.add(*counters);
            look_whether_quiet(*counters);
        } else if (const auto* event = std::get_if<sample::qmp_event>(&one)) {
            if (is_by_guest(*event)) guest_shut_down();
        } else if (const auto* state = std::get_if<sample::run_state_change>(&one)) {
            if (state->state == "shutdown") guest_shut_down();  // QEMU runs on, with -no-shutdown
        } else if (const auto* change = std::get_if<sample::monitor_change>(&one)) {
            look_whether_lost(*change);
        }
    }

    // ---- why it ends

    void look_whether_quiet(const sample::sample& counters) {
        if (!options_.until_quiet) return;
        quiet_.add(counters);
        const std::optional<base::nanoseconds> quiet = quiet_.quiet_for(counters.at.steady);
        if (quiet && *quiet >= *options_.until_quiet) end_soon(run::end_reason::quiet);
    }

    /// QEMU ends in a moment, or not at all (-no-shutdown): what it still says is recorded, then it is over.
    void guest_shut_down() {
        if (std::exchange(has_shut_down_, true) || command_) return;
        linger_timer_.expires_after(options_.poll + base::seconds(1));
        linger_timer_.async_wait([this](error_code failure) {
            if (!failure) end_with(run::end_reason::guest_shutdown, exit_done);
        });
    }

    void look_whether_lost(const sample::monitor_change& change) {
        if (change.state == sample::monitor_state::ready) was_ready_ = true;
        const bool is_gone = change.state == sample::monitor_state::absent && was_ready_;
        if (!is_gone || command_) return;  // the command may start another QEMU, and says when it is over
        if (has_shut_down_) {
            end_soon(run::end_reason::guest_shutdown);
        } else {
            end_soon(run::end_reason::monitor_lost, exit_could_not);
        }
    }

    /// When the recording was over before its command: it has been asked to end, and gets some time for it.
    void wait_for_command() {
        const base::steady_time patience = std::chrono::steady_clock::now() + base::seconds(10);
        while (command_ && command_->is_running() && std::chrono::steady_clock::now() < patience) {
            context_.restart();
            context_.run_for(base::milliseconds(50));
        }
    }

    void command_ended(int code) {
        command_code_ = code;
        end_soon(is_interrupted_ ? run::end_reason::interrupted : run::end_reason::command_exit, code);
    }

    void limit() {
        if (!options_.time_limit) return;
        limit_timer_.expires_at(start_.steady + *options_.time_limit);
        limit_timer_.async_wait([this](error_code failure) {
            if (!failure) end_with(run::end_reason::time_limit, exit_done);
        });
    }

    /// The first signal asks the command to end as well and waits for it; the second does not wait.
    void wait_for_signal() {
        signals_.async_wait([this](error_code failure, int which) {
            if (failure) return;
            const bool is_second = std::exchange(is_interrupted_, true);
            if (!command_ || !command_->is_running() || is_second) {
                end_with(run::end_reason::interrupted, command_ && command_->is_running() ? exit_could_not : exit_done);
                return;
            }
            // A terminal has sent Ctrl-C to the command too; a second SIGINT does no harm to most, SIGTERM is meant so.
            command_->signal(which == SIGTERM ? SIGTERM : SIGINT);
            wait_for_signal();
        });
    }

    /// After what is being heard now has been taken in and shown.
    void end_soon(run::end_reason reason, int code = exit_done) {
        if (reason_) return;
        reason_ = reason;
        asio::post(context_, [this, reason, code] {
            reason_.reset();
            end_with(reason, code);
        });
    }

    void end_with(run::end_reason reason, int code) {
        if (live_.is_ending() && reason_) return;
        reason_ = reason;
        if (command_ && command_->is_running() && reason != run::end_reason::command_exit) command_->signal(SIGTERM);
        live_.end(code);
    }

    // ---- markers

    void wait_for_mark() {
        marks_.async_wait([this](error_code failure, int) {
            if (failure) return;
            mark("SIGUSR1");
            wait_for_mark();
        });
    }

    void mark(std::string text) { hear(run::marker{std::move(text), base::now()}); }

    // ---- the end

    int write_the_end(int code) {
        run::end how;
        how.reason = *reason_;
        how.exit_code = command_code_;
        how.at = base::now();
        const base::result<void> finished = recorder_.finish(how);
        if (finished.has_error()) {
            if (!is_written_) base::log::error(finished.error().message);
            return exit_could_not;
        }
        if (code == exit_done && samples_ == 0) {
            base::log::error(
                fmt::format("nothing was recorded: {} gave no counters", options_.targets.front().where.text()));
            return exit_could_not;
        }
        if (how.reason == run::end_reason::monitor_lost) {
            base::log::error(
                "the monitor was lost, and nothing said that the guest has shut down (over HMP nothing can: use a QMP "
                "monitor, --until-quiet, or let record run the command)");
        }
        base::log::info(fmt::format("{}: {} samples; end: {}", options_.output, samples_, name(how.reason)));
        const bool is_pushed = push();
        return code == exit_done && !is_pushed ? exit_could_not : code;
    }

    /// From the file, so that what is pushed is what a report says. True when there is nothing to push, too.
    bool push() {
        if (!options_.push_gateway || samples_ == 0) return true;
        const base::result<run::digest> digest = run::read_digest(options_.output);
        base::result<void> pushed;
        if (digest.has_error()) {
            pushed = digest.error();
        } else if (const base::result<run::phases> parts = run::find_all_phases(*digest); parts.has_error()) {
            pushed = parts.error();
        } else {
            pushed = metrics::push_run(*options_.push_gateway, *digest,
                                       run::summarize(*digest, *parts, digest->windows.interval));
        }
        if (pushed.has_error()) base::log::error(pushed.error().message);
        return pushed.has_value();
    }

    const record_options& options_;
    asio::io_context context_{1};
    run::recorder recorder_;
    base::instant start_;
    live live_;
    asio::signal_set signals_;
    asio::signal_set marks_;
    asio::steady_timer limit_timer_;
    asio::steady_timer linger_timer_;
    std::optional<child> command_;
    std::optional<int> command_code_;
    record_progress progress_;
    run::quiet_watch quiet_;
    sample::vm_identity vm_;  ///< as it has told last
    medium_contents contents_;
    std::optional<run::end_reason> reason_;
    std::uint64_t samples_ = 0;
    bool has_name_ = false;  ///< the VM, in the file
    bool was_ready_ = false;  ///< ever
    bool has_shut_down_ = false;  ///< the guest
    bool is_interrupted_ = false;  ///< by a signal
    bool is_written_ = false;  ///< nothing can be written any more
};

}  // namespace

int record(const record_options& options) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error of write(2), not the end of the program
    const run::header about = header_for(options);
    base::result<run::recorder> to = run::recorder::create(options.output, options.overwrite, about);
    if (to.has_error()) {
        base::log::error(to.error().message);
        return to.error().code == base::errc::usage ? exit_usage : exit_could_not;
    }
    return recording(options, std::move(*to), about.start).run();
}

}  // namespace qmpwatch::app
