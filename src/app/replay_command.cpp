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

int print_replay(const CLI::App& command, const replay_options& options) {
    std::signal(SIGPIPE, SIG_IGN);
    printed_replay replayed(options);
    const base::result<run::run_info> info = replayed.run();
    if (info.has_error()) {
        fmt::print(stderr, "{}: {}\n", command.get_name(), info.error().message);
        return info.error().code == base::errc::io ? exit_could_not : exit_usage;
    }
    replayed.finish();
    for (const std::string& note : info->notes) {
        fmt::print(stderr, "{}: {}: {}\n", command.get_name(), base::printable(options.path), base::printable(note));
    }
    if (replayed.written().has_error() && replayed.written().error().code != base::errc::closed) {
        fmt::print(stderr, "{}: {}\n", command.get_name(), replayed.written().error().message);
        return exit_could_not;
    }
    return exit_done;
}

}  // namespace

int replay_command(const words& arguments) {
    replay_options options;
    std::string format = "text", monitor;
    double speed = 1;
    bool loop = false;
    base::nanoseconds interval{}, poll{};
    CLI::App command{
        "Says of a run what watch said, or would have said with other settings; or serves it as a monitor.\n"
        "A run is a file that `record` wrote, a log of HMP's info blockstats with times, or JSON Lines of "
        "query-blockstats replies.",
        "qmpwatch replay"};
    command.add_option("RUN", options.path, "The run; - is standard input")->type_name("FILE");
    command.add_option("--format", format, "text, or json for one JSON object a line")
        ->type_name("FORMAT")
        ->capture_default_str();
    command.add_option("--speed", speed, "In the run's own time, so many times as fast; without it at once")
        ->type_name("FACTOR");
    add_duration(command, "--poll", poll, base::milliseconds(10),
                 "Leave out samples that are closer together than this")
        ->default_str("");
    add_duration(command, "--interval", interval, base::milliseconds(100),
                 "The window of rates; without it as it was recorded")
        ->default_str("");
    command.add_option("--as-monitor", monitor, "Serve the run as the QMP monitor of a VM on this UNIX socket")
        ->type_name("PATH");
    command.add_flag("--loop", loop, "With --as-monitor: begin again at the end");
    add_config(command);
    if (const std::optional<int> end = parse(command, arguments)) return *end;

    if (options.path.empty())
        return refuse(command, "which run? qmpwatch replay FILE, with a file that `record` wrote");
    if (format != "text" && format != "json") {
        return refuse(command, fmt::format("--format is text or json, not '{}'", base::printable(format)));
    }
    if (!std::isfinite(speed) || speed <= 0 || speed > 1e6) {
        return refuse(command, "--speed is a number above 0, such as 1 or 10");
    }
    if (!monitor.empty()) {
        for (const char* other : {"--format", "--poll", "--interval"}) {
            if (command.count(other) > 0) {
                return refuse(command,
                              fmt::format("{} is for what is printed, and --as-monitor prints nothing", other));
            }
        }
        return serve_as_monitor(options.path, monitor, speed, loop);
    }
    if (loop) return refuse(command, "--loop is for --as-monitor");
    if (command.count("--speed") > 0) options.speed = speed;
    if (command.count("--interval") > 0) options.how.interval = interval;
    if (command.count("--poll") > 0) options.how.poll = poll;
    if (options.how.interval && options.how.poll && *options.how.poll > *options.how.interval) {
        return refuse(command, "--poll cannot be longer than --interval");
    }
    options.json_lines = format == "json";
    return print_replay(command, options);
}

}  // namespace qmpwatch::app
