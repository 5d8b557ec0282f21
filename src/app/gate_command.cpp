// The flags of `gate`, and what it does: run files in, a verdict and its reports out.
#include "app/baseline_folder.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/console.hpp"
#include "app/gate_inputs.hpp"
#include "app/gate_outputs.hpp"
#include "base/size.hpp"
#include "base/text.hpp"
#include "gate/baseline.hpp"
#include "gate/calibrate.hpp"
#include "gate/gate.hpp"
#include "report/gate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::app {

namespace {

/// As they were typed.
struct gate_flags {
    std::vector<std::string> baselines, candidates, metrics, informational, causes, allowed;
    std::string calibrate, margin = "20%", min_throughput, inconclusive = "3", format = "text";
    std::optional<double> max_stall_seconds;
    std::optional<std::uint64_t> max_stalls;
    std::uint64_t last = gate::default_baselines;
    gate::settings how;
    gate_files files;
};

base::result<double> parse_share(std::string_view text) {
    const bool is_percent = text.ends_with('%');
    std::string number(is_percent ? text.substr(0, text.size() - 1) : text);
    while (!number.empty() && number.back() == ' ') number.pop_back();
    std::size_t read = 0;
    double value = 0;
    try {
        value = std::stod(number, &read);
    } catch (const std::exception&) {
        read = 0;
    }
    if (is_percent) value /= 100;
    if (read != number.size() || !(value > 0 && value < 1)) {
        return base::fail(base::errc::usage, fmt::format("--margin is a share of the throughput such as 20% or 0.2, "
                                                         "above 0 and below 1, not '{}'",
                                                         base::printable(text)));
    }
    return value;
}

base::result<double> parse_throughput(std::string_view text) {
    std::string_view size = text;
    if (size.ends_with("/s")) size.remove_suffix(2);
    const base::result<std::uint64_t> bytes = base::parse_size(size);
    if (bytes.has_error() || *bytes == 0 || size.size() == text.size()) {
        return base::fail(base::errc::usage,
                          fmt::format("--min-throughput is a rate such as 50MB/s, not '{}'", base::printable(text)));
    }
    return static_cast<double>(*bytes);
}

base::result<std::vector<stall::cause>> parse_causes(const std::vector<std::string>& texts) {
    std::vector<stall::cause> made;
    for (const std::string& text : texts) {
        const auto found = std::find_if(stall::causes.begin(), stall::causes.end(),
                                        [&](stall::cause each) { return stall::name(each) == text; });
        if (found == stall::causes.end()) {
            std::string known;
            for (const stall::cause each : stall::causes) {
                known += (known.empty() ? "" : ", ") + std::string(stall::name(each));
            }
            return base::fail(base::errc::usage,
                              fmt::format("--no-cause is one of {}, not '{}'", known, base::printable(text)));
        }
        if (std::find(made.begin(), made.end(), *found) == made.end()) made.push_back(*found);
    }
    return made;
}

base::result<std::vector<gate::metric>> parse_metrics(const std::vector<std::string>& texts, std::string_view flag) {
    std::vector<gate::metric> made;
    for (const std::string& text : texts) {
        const base::result<gate::metric> one = gate::parse_metric(text);
        if (one.has_error()) {
            return base::fail(base::errc::usage,
                              fmt::format("{}: {}, not '{}'", flag, one.error().message, base::printable(text)));
        }
        if (std::find(made.begin(), made.end(), *one) == made.end()) made.push_back(*one);
    }
    return made;
}

base::result<void> check_allowed(const std::vector<std::string>& keys) {
    std::string known = "bytes";
    for (const std::string_view each : gate::refusing_keys()) known += ", " + std::string(each);
    for (const std::string& key : keys) {
        const auto refusing = gate::refusing_keys();
        if (key == "bytes" || std::find(refusing.begin(), refusing.end(), key) != refusing.end()) continue;
        return base::fail(base::errc::usage,
                          fmt::format("--allow-mismatch is one of {}, not '{}'", known, base::printable(key)));
    }
    return {};
}

base::result<void> check_evidence(const gate::estimate_settings& evidence) {
    using base::errc;
    if (!(evidence.alpha > 0 && evidence.alpha < 0.5)) {
        return base::fail(errc::usage, "--alpha is a probability above 0 and below 0.5");
    }
    if (!(evidence.noise_floor >= 0 && evidence.noise_floor <= 1)) {
        return base::fail(errc::usage, "--noise-floor is between 0 and 1: the spread that runs have at least");
    }
    if (!(evidence.declared_factor > 1 && evidence.declared_factor <= 1000)) {
        return base::fail(errc::usage, "--factor is above 1, and at most 1000");
    }
    return {};
}

/// From what was typed to what it means; `usage` when it means nothing.
base::result<void> understand(gate_flags& flags, const command_line& command) {
    gate::settings& how = flags.how;
    const auto metrics = parse_metrics(flags.metrics, "--metric");
    if (metrics.has_error()) return metrics.error();
    if (!metrics->empty()) how.metrics = *metrics;
    const auto informational = parse_metrics(flags.informational, "--inform");
    if (informational.has_error()) return informational.error();
    for (const gate::metric& each : *informational) {
        if (std::find(how.metrics.begin(), how.metrics.end(), each) == how.metrics.end()) {
            how.informational.push_back(each);
        }
    }
    const base::result<double> margin = parse_share(flags.margin);
    if (margin.has_error()) return margin.error();
    how.tolerance.margin = *margin;
    if (const auto good = check_evidence(how.evidence); good.has_error()) return good.error();
    if (const auto good = check_allowed(flags.allowed); good.has_error()) return good.error();
    how.allowed_mismatches = flags.allowed;
    const auto causes = parse_causes(flags.causes);
    if (causes.has_error()) return causes.error();
    how.limits.no_cause = *causes;
    how.limits.max_stalls = flags.max_stalls;
    if (flags.max_stall_seconds) {
        constexpr double a_year = 366.0 * 86400;
        if (!(*flags.max_stall_seconds >= 0 && *flags.max_stall_seconds <= a_year)) {
            return base::fail(base::errc::usage, "--max-stall-seconds is 0 or more, and less than a year");
        }
        how.limits.max_stalled = base::nanoseconds(std::llround(*flags.max_stall_seconds * 1e9));
    }
    if (command.has("--min-throughput")) {
        const base::result<double> rate = parse_throughput(flags.min_throughput);
        if (rate.has_error()) return rate.error();
        how.limits.min_bytes_per_second = *rate;
    }
    if (flags.last == 0) return base::fail(base::errc::usage, "--last is at least 1");
    constexpr std::array<std::string_view, 4> codes{"0", "1", "3", "77"};
    if (std::find(codes.begin(), codes.end(), flags.inconclusive) == codes.end()) {
        return base::fail(base::errc::usage, fmt::format("--inconclusive is the exit code 3, 0, 1 or 77, not '{}'",
                                                         base::printable(flags.inconclusive)));
    }
    return {};
}

base::result<void> check_words(const gate_flags& flags) {
    using base::errc;
    if (!flags.calibrate.empty()) {
        if (!flags.candidates.empty() || !flags.baselines.empty()) {
            return base::fail(errc::usage,
                              "--calibrate takes its runs from its folder, without --candidate and --baseline");
        }
        if (flags.format != "text" && flags.format != "json") {
            return base::fail(errc::usage,
                              fmt::format("a calibration is text or json, not '{}'", base::printable(flags.format)));
        }
        return {};
    }
    if (flags.candidates.empty()) {
        return base::fail(errc::usage,
                          "which runs are to be judged? gate --baseline OLD.run... --candidate NEW.run...");
    }
    if (flags.baselines.empty() && !flags.how.limits.has_any()) {
        return base::fail(errc::usage, "compared with what? gate --baseline OLD.run... --candidate NEW.run..., or a "
                                       "limit such as --max-stalls 0");
    }
    if (!is_gate_format(flags.format)) {
        return base::fail(errc::usage,
                          fmt::format("--format is {}, not '{}'", gate_format_names(), base::printable(flags.format)));
    }
    return {};
}

void declare(command_line& command, gate_flags& flags) {
    gate::settings& how = flags.how;
    command.lists("--baseline", flags.baselines, "RUN",
                  "Runs to hold the candidates against: run files, or a folder of them. Of a folder that `baseline` "
                  "keeps, the accepted runs of the same kind");
    command.lists("--candidate", flags.candidates, "RUN", "Runs to be judged: run files, or a folder of them");
    command.texts("--metric", flags.metrics, "METRIC",
                  "What is compared: copy (the install medium's reads), run (from begin to end), DRIVE:read or "
                  "DRIVE:write. Repeat it for more. Without it copy");
    command.texts("--inform", flags.informational, "METRIC", "The same, but only shown. Repeat it for more");
    command.text("--margin", flags.margin, "SHARE", "The loss of throughput that is tolerated, such as 20% or 0.2");
    command.number("--alpha", how.evidence.alpha, "P", "The risk of a wrong PASS, and of a wrong FAIL");
    command.number("--noise-floor", how.evidence.noise_floor, "X",
                   "Few runs are never taken to spread less than this (standard deviation of logarithms)");
    command.number("--factor", how.evidence.declared_factor, "X",
                   "One run against one tells only differences beyond this factor");
    command.flag("--strict-fail", how.tolerance.is_strict,
                 "FAIL only if the loss is surely more than the margin, not only surely there");
    command.number("--max-stalls", flags.max_stalls, "N", "A candidate with more stalls fails");
    command.number("--max-stall-seconds", flags.max_stall_seconds, "S",
                   "A candidate that stood still for longer in all fails");
    command.texts("--no-cause", flags.causes, "CAUSE",
                  "A candidate with a stall of this cause fails, such as lost_completion. Repeat it for more");
    command.text("--min-throughput", flags.min_throughput, "RATE",
                 "A candidate whose first metric is slower fails, such as 50MB/s");
    command.text("--media", how.medium, "DRIVE",
                 "The drive that the system is installed from, where the gate picks another");
    command.texts("--allow-mismatch", flags.allowed, "KEY",
                  "Compare runs that differ in media, bus, cache, vcpus, memory, accelerator, guest or bytes all the "
                  "same. Repeat it for more");
    command.duration("--max-age", how.max_age, std::chrono::seconds(1), "Baselines that are older are warned of");
    command.number("--last", flags.last, "N", "So many runs of a baseline folder: those that were accepted last");
    command.text("--inconclusive", flags.inconclusive, "CODE", "The exit code where there is no answer: 3, 0, 1 or 77");
    command.text("--format", flags.format, "FORMAT", "What standard output gets: " + gate_format_names());
    for (const gate_file& each : flags.files.all()) {
        command.text(std::string(each.flag), *each.path, "FILE", fmt::format("Write {} as well", each.what));
    }
    command.text("--calibrate", flags.calibrate, "DIR",
                 "Hold the runs of a folder against each other: what noise this setup has, and how many runs a margin "
                 "needs");
    command.footer(
        "Exit code: 0 pass, 1 slower, 2 the runs cannot be judged or the command line is wrong, 3 inconclusive.\n"
        "On GitHub the summary, the outputs (verdict, ratio, lower, upper) and annotations are written too.\n"
        "Do not call it through make, which turns 1 into 2, nor in a pipe without pipefail.\n\n"
        "  qmpwatch gate --baseline old-1.run old-2.run old-3.run --candidate new-1.run new-2.run new-3.run\n"
        "  qmpwatch gate --baseline baselines/ --candidate new-*.run --junit gate.xml\n"
        "  qmpwatch gate --candidate new.run --no-cause lost_completion");
}

/// What is wrong with runs or with files has the same code: 1 is said of slower runs only.
int fail_with(const base::error& problem) {
    fmt::print(stderr, "qmpwatch gate: {}\n", problem.message);
    return exit_usage;
}

int calibrate(const gate_flags& flags) {
    const base::result<gate_inputs> runs = read_calibration(flags.calibrate);
    if (runs.has_error()) return fail_with(runs.error());
    const auto speeds = gate::speeds_to_calibrate(runs->baselines, flags.how);
    if (speeds.has_error()) return fail_with(speeds.error());
    for (const auto* sentences : {&runs->notes, &speeds->warnings}) {
        for (const std::string& each : *sentences) fmt::print(stderr, "qmpwatch gate: {}\n", each);
    }
    gate::estimate_settings evidence = flags.how.evidence;
    evidence.resolution = speeds->at.resolution;
    const gate::calibration its = gate::calibrate(speeds->logs, evidence, flags.how.tolerance);
    const auto written = write_to_standard_output(
        flags.format == "json" ? report::calibration_json(its, flags.how)
                               : report::calibration_text(its, flags.how, settings_for_standard_output().columns));
    if (written.has_error() && written.error().code != base::errc::closed) return fail_with(written.error());
    return exit_done;
}

int exit_code_of(const report::gate_report& of, int inconclusive) {
    if (!of.outcome) return exit_usage;
    switch (of.outcome->its) {
        case gate::verdict::pass: return exit_done;
        case gate::verdict::fail: return exit_regression;
        case gate::verdict::inconclusive: break;
    }
    return inconclusive;
}

int judge(const gate_flags& flags, const words& arguments, base::wall_time now) {
    report::gate_report told;
    told.how = flags.how;
    told.arguments = arguments;
    told.arguments.insert(told.arguments.begin(), "gate");
    base::result<gate_inputs> runs = read_gate_inputs({flags.candidates, flags.baselines, flags.how.medium,
                                                       !flags.allowed.empty(), static_cast<std::size_t>(flags.last)});
    if (runs.has_value()) {
        if (const auto kept = keep_runs(*runs, flags.files); kept.has_error()) return fail_with(kept.error());
    }
    if (runs.has_error()) {
        told.problem = runs.error().message;
    } else {
        auto outcome = gate::decide(runs->candidates, runs->baselines, flags.how, now);
        if (outcome.has_error()) {
            told.problem = outcome.error().message;
        } else {
            told.outcome = std::move(*outcome);
            told.outcome->warnings.insert(told.outcome->warnings.begin(), runs->notes.begin(), runs->notes.end());
        }
    }
    told.exit_code = exit_code_of(told, std::stoi(flags.inconclusive));
    const gate_inputs none;
    const auto written = write_gate_reports(told, runs.has_error() ? none : *runs, flags.files, flags.format);
    if (written.has_error()) return fail_with(written.error());
    return told.exit_code;
}

}  // namespace

int gate_command(const words& arguments) {
    gate_flags flags;
    command_line command{"qmpwatch gate",
                         "Decides whether an installation got slower, from runs that `record` wrote: PASS, FAIL, or "
                         "INCONCLUSIVE with what would settle it."};
    declare(command, flags);
    if (const std::optional<int> end = command.parse(arguments)) return *end;
    if (const auto good = understand(flags, command); good.has_error()) return command.refuse(good.error().message);
    if (const auto good = check_words(flags); good.has_error()) return command.refuse(good.error().message);
    const base::wall_time now = std::chrono::system_clock::now();
    try {
        return flags.calibrate.empty() ? judge(flags, arguments, now) : calibrate(flags);
    } catch (const std::exception& problem) {
        // Elsewhere that is 1, which here says that the candidates are slower.
        return fail_with({base::errc::io, problem.what()});
    }
}

}  // namespace qmpwatch::app
