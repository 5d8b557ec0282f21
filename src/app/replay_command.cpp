// The flags of `replay`, and what it does: a run through the same pipeline again.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/console.hpp"
#include "app/replay_monitor.hpp"
#include "base/text.hpp"
#include "report/notice_lines.hpp"
#include "run/replay.hpp"
#include "run/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace qmpwatch::app {

namespace {

struct replay_options {
    std::string path;
    run::replay_settings how;
    std::optional<double> speed;
    bool json_lines = false;
};

/// Replays into standard output, at once or in the run's own time.
class printed_replay {
public:
    explicit printed_replay(const replay_options& options) : options_(options) {}

    base::result<run::run_info> run() {
        return run::read_run(
            options_.path,
            [this](const run::header& about) {
                has_wall_clock_ = about.has_wall_clock;
                replay_.emplace(about, options_.how);
            },
            [this](const run::happening& one) {
                if (!written_.has_error()) hear(one);
            });
    }
    void finish() {
        if (written_.has_error()) return;
        if (const std::optional<pipeline::notice> last = replay_->summary()) say(*last);
    }
    const base::result<void>& written() const { return written_; }

private:
    void hear(const run::happening& one) {
        if (const std::optional<base::instant> at = run::time_of(one); at && options_.speed) wait_for(at->steady);
        std::vector<pipeline::notice> said;
        replay_->hear(one, said);
        for (const pipeline::notice& each : said) say(each);
    }

    void wait_for(base::steady_time at) {
        if (!first_) {
            first_ = at;
            begun_ = std::chrono::steady_clock::now();
        }
        const std::chrono::duration<double> since = at - *first_;
        std::this_thread::sleep_until(begun_ + std::chrono::duration_cast<base::nanoseconds>(since / *options_.speed));
    }

    void say(const pipeline::notice& each) {
        if (written_.has_error()) return;
        const auto style = has_wall_clock_ ? report::time_style::full : report::time_style::elapsed;
        std::string line =
            options_.json_lines ? report::json_line(each, has_wall_clock_) : report::text_line(each, style);
        line += '\n';
        written_ = write_to_standard_output(line);
    }

    const replay_options& options_;
    std::optional<run::replay> replay_;
    bool has_wall_clock_ = true;
    std::optional<base::steady_time> first_;
    base::steady_time begun_{};
    base::result<void> written_;
};

int print_replay(const command_line& command, const replay_options& options) {
    std::signal(SIGPIPE, SIG_IGN);
    printed_replay replayed(options);
    const base::result<run::run_info> info = replayed.run();
    if (info.has_error()) {
        fmt::print(stderr, "{}: {}\n", command.name(), info.error().message);
        return info.error().code == base::errc::io ? exit_could_not : exit_usage;
    }
    replayed.finish();
    for (const std::string& note : info->notes) {
        fmt::print(stderr, "{}: {}: {}\n", command.name(), base::printable(options.path), base::printable(note));
    }
    if (replayed.written().has_error() && replayed.written().error().code != base::errc::closed) {
        fmt::print(stderr, "{}: {}\n", command.name(), replayed.written().error().message);
        return exit_could_not;
    }
    return exit_done;
}

}  // namespace

int replay_command(const words& arguments) {
    replay_options options;
    std::string format = "text", monitor;
    bool loop = false;
    command_line command{
        "qmpwatch replay",
        "Says of a run what watch said, or would have said with other settings; or serves it as a monitor.\n"
        "A run is a file that `record` wrote, a log of HMP's info blockstats with times, or JSON Lines of "
        "query-blockstats replies."};
    command.word("RUN", options.path, "FILE", "The run; - is standard input");
    command.text("--format", format, "FORMAT", "text, or json for one JSON object a line");
    command.number("--speed", options.speed, "FACTOR",
                   "In the run's own time, so many times as fast; without it at once");
    command.duration("--poll", options.how.poll, base::milliseconds(10),
                     "Leave out samples that are closer together than this");
    command.duration("--interval", options.how.interval, base::milliseconds(100),
                     "The window of rates; without it as it was recorded");
    command.text("--as-monitor", monitor, "PATH", "Serve the run as the QMP monitor of a VM on this UNIX socket");
    command.flag("--loop", loop, "With --as-monitor: begin again at the end");
    command.config_file();
    if (const std::optional<int> end = command.parse(arguments)) return *end;

    if (options.path.empty()) return command.refuse("which run? qmpwatch replay FILE, with a file that `record` wrote");
    if (format != "text" && format != "json") {
        return command.refuse(fmt::format("--format is text or json, not '{}'", base::printable(format)));
    }
    const double speed = options.speed.value_or(1);
    if (!std::isfinite(speed) || speed <= 0 || speed > 1e6) {
        return command.refuse("--speed is a number above 0, such as 1 or 10");
    }
    if (!monitor.empty()) {
        for (const char* other : {"--format", "--poll", "--interval"}) {
            if (command.has(other)) {
                return command.refuse(fmt::format("{} is for what is printed, and --as-monitor prints nothing", other));
            }
        }
        return serve_as_monitor(options.path, monitor, speed, loop);
    }
    if (loop) return command.refuse("--loop is for --as-monitor");
    if (options.how.interval && options.how.poll && *options.how.poll > *options.how.interval) {
        return command.refuse("--poll cannot be longer than --interval");
    }
    options.json_lines = format == "json";
    return print_replay(command, options);
}

}  // namespace qmpwatch::app
