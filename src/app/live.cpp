#include "app/live.hpp"

#include "base/log.hpp"
#include "metrics/own_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

namespace qmpwatch::app {

namespace {

constexpr base::milliseconds shortest_refresh{250};
constexpr base::seconds look_every{5};

}  // namespace

live::live(asio::io_context& context, const live_options& options, hooks added)
    : context_(context),
      options_(options),
      hooks_(std::move(added)),
      vms_(
          context, options, [this](watched_vm& vm, const pipeline::notice& said) { hear(vm, said); }, [] {},
          hooks_.tap),
      refresh_timer_(context),
      look_timer_(context),
      resized_(context, SIGWINCH) {}

base::result<void> live::begin() {
    if (const base::result<void> serving = serve(); serving.has_error()) return serving;
    console_.emplace(console::style_for_standard_output(options_.json_lines), metrics_address_);
    if (!options_.on_stall.empty()) on_stall_.emplace(context_, options_.on_stall);
    vms_.look_for_vms();
    if (vms_.all().empty()) {
        base::log::info(fmt::format("no socket matches '{}' yet", options_.targets.front().where.path));
    }
    beat_ = base::cadence(std::chrono::steady_clock::now() + options_.poll,
                          std::max<base::nanoseconds>(options_.poll, shortest_refresh));
    look_again();
    watch_size();
    refresh();
    return {};
}

base::result<void> live::serve() {
    if (!options_.listen.enabled) return {};
    web::settings how;
    how.host = options_.listen.host;
    how.port = options_.listen.port;
    how.mark = hooks_.marker;
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

void live::hear(watched_vm& vm, const pipeline::notice& said) {
    if (refuse_hopeless(vm)) return;
    if (on_stall_) on_stall_->hear(said, vm.pipeline.identity());
    give_up_if(console_->say(said));
    if (hooks_.heard) hooks_.heard(vm, said);
    // A terminal shows what happened at once, not with the next beat; a fixed beat is enough for the numbers.
    if (!std::holds_alternative<pipeline::rate_notice>(said.what)) draw_soon();
}

/// With one VM asked for, what cannot be watched ends the program with a sentence; with many, it is a notice and the
/// others go on.
bool live::refuse_hopeless(const watched_vm& vm) {
    if (!fatal_.empty()) return true;
    const bool is_hopeless = vm.problem == base::errc::not_a_monitor || vm.problem == base::errc::not_permitted ||
                             vm.problem == base::errc::usage;
    const bool is_only_one = options_.targets.size() == 1 && !options_.targets.front().is_pattern;
    if (!is_hopeless || vm.was_ready || !is_only_one) return false;
    fatal_ = vm.detail;
    end(exit_could_not);
    return true;
}

void live::print(std::string_view line) { give_up_if(console_->print(line)); }

void live::draw() {
    const base::instant now = base::now();
    const auto state = vms_.snapshot(now);
    published_.set(state);
    std::vector<std::string> below;
    if (hooks_.footer && has_table()) below = hooks_.footer(now, console_->columns());
    give_up_if(console_->refresh(*state, now, std::move(below)));
}

void live::refresh() {
    draw();
    refresh_timer_.expires_at(beat_->next_after(std::chrono::steady_clock::now()));
    refresh_timer_.async_wait([this](error_code failure) {
        if (!failure) refresh();
    });
}

void live::draw_soon() {
    if (std::exchange(drawing_soon_, true)) return;
    asio::post(context_, [this] {
        drawing_soon_ = false;
        draw();
    });
}

void live::look_again() {
    look_timer_.expires_after(look_every);
    look_timer_.async_wait([this](error_code failure) {
        if (failure) return;
        vms_.look_for_vms();
        look_again();
    });
}

void live::watch_size() {
    resized_.async_wait([this](error_code failure, int) {
        if (failure) return;
        draw_soon();
        watch_size();
    });
}

void live::give_up_if(const base::result<void>& written) {
    if (written.has_value() || is_ending_) return;
    // A reader that has had enough (| head) is no failure.
    const bool is_closed = written.error().code == base::errc::closed;
    if (!is_closed) base::log::error(written.error().message);
    output_is_gone_ = true;
    end(is_closed ? exit_done : exit_could_not);
}

void live::end(int code) {
    is_ending_ = true;
    exit_code_ = code;
    context_.stop();
}

int live::finish() {
    if (!output_is_gone_ && console_) {
        draw();
        base::result<void> written = console_->close();
        for (const auto& vm : vms_.all()) {
            const std::optional<pipeline::notice> last = vm->pipeline.summary();
            if (last && written.has_value()) written = console_->say(*last);
        }
    }
    if (!fatal_.empty()) base::log::error(fatal_);
    if (server_) server_->stop();
    return exit_code_;
}

}  // namespace qmpwatch::app
