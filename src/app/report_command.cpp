// The flags of `report`, and what it does.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/console.hpp"
#include "app/whole_file.hpp"
#include "base/text.hpp"
#include "report/run_html.hpp"
#include "report/run_report.hpp"
#include "run/digest.hpp"
#include "run/phases.hpp"
#include "run/summary.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace qmpwatch::app {

namespace {

enum class form { text, markdown, csv, json, html };

struct format {
    std::string_view name;
    form what;
    std::array<std::string_view, 2> endings;  ///< of files
};
constexpr std::array formats{
    format{"text", form::text, {".txt", ".text"}}, format{"markdown", form::markdown, {".md", ".markdown"}},
    format{"csv", form::csv, {".csv", ".csv"}},    format{"json", form::json, {".json", ".json"}},
    format{"html", form::html, {".html", ".htm"}},
};

std::optional<form> form_of(std::string_view name) {
    for (const format& each : formats) {
        if (each.name == name) return each.what;
    }
    return std::nullopt;
}

form form_of_file(std::string_view file) {
    for (const format& each : formats) {
        for (const std::string_view ending : each.endings) {
            if (file.ends_with(ending)) return each.what;
        }
    }
    return form::text;
}

struct read_run {
    run::digest digest;
    run::summary summary;
};

base::result<read_run> read(const std::string& path, const run::replay_settings& how, const std::string& medium) {
    base::result<run::digest> digest = run::read_digest(path, how);
    if (digest.has_error()) return digest.error();
    const base::result<run::phases> parts = run::find_all_phases(*digest, medium);
    if (parts.has_error()) {
        return base::fail(parts.error().code, fmt::format("{}: {}", base::printable(path), parts.error().message));
    }
    read_run one;
    one.summary = run::summarize(*digest, *parts, digest->windows.interval);
    one.digest = std::move(*digest);
    return one;
}

/// One run, or two that are compared.
std::string render(const std::vector<read_run>& runs, form what, std::size_t width) {
    const read_run& one = runs.front();
    if (runs.size() == 1) {
        switch (what) {
            case form::text: return report::run_text(one.digest, one.summary, width);
            case form::markdown: return report::run_markdown(one.digest, one.summary);
            case form::csv: return report::run_csv(one.digest);
            case form::json: return report::run_json(one.digest, one.summary);
            case form::html: break;
        }
        return report::run_html(one.digest, one.summary);
    }
    const read_run& two = runs.back();
    switch (what) {
        case form::text: return report::run_text(one.digest, one.summary, two.digest, two.summary, width);
        case form::markdown: return report::run_markdown(one.digest, one.summary, two.digest, two.summary);
        case form::csv: return report::run_csv(one.digest, two.digest);
        case form::json: return report::run_json(one.digest, one.summary, two.digest, two.summary);
        case form::html: break;
    }
    return report::run_html(one.digest, one.summary, two.digest, two.summary);
}

bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code ignored;
    return std::filesystem::equivalent(one, other, ignored);
}

int fail_with(const base::error& problem) {
    fmt::print(stderr, "qmpwatch report: {}\n", problem.message);
    return problem.code == base::errc::io ? exit_could_not : exit_usage;
}

}  // namespace

int report_command(const words& arguments) {
    std::vector<std::string> paths;
    std::string format_name, output, medium;
    run::replay_settings how;
    command_line command{
        "qmpwatch report",
        "Says what happened in a run, or how two runs compare: the first is what the second is held against.\n"
        "A run is a file that `record` wrote, a log of HMP's info blockstats with times, or JSON Lines of "
        "query-blockstats replies."};
    command.words("RUN", paths, "FILE", "One or two runs; - is standard input");
    command.text("--format", format_name, "FORMAT",
                 "text, markdown, csv, json or html. Without it what the name of --output ends in, else text");
    command.text("-o,--output", output, "FILE",
                 "Where to write it, whole or not at all; without it to standard output. An existing file is replaced");
    command.text("--media", medium, "DRIVE",
                 "The drive that the system is installed from, where the report picks another");
    command.duration("--interval", how.interval, base::milliseconds(100),
                     "The window of rates; without it as it was recorded");
    command.duration("--poll", how.poll, base::milliseconds(10),
                     "Leave out samples that are closer together than this");
    if (const std::optional<int> end = command.parse(arguments)) return *end;

    if (paths.empty()) return command.refuse("which run? qmpwatch report FILE, with a file that `record` wrote");
    if (paths.size() > 2) return command.refuse("one run, or two to be compared");
    if (paths.size() == 2 && paths[0] == "-" && paths[1] == "-") {
        return command.refuse("only one of the runs can come from standard input");
    }
    const std::optional<form> what = command.has("--format") ? form_of(format_name) : form_of_file(output);
    if (!what) {
        return command.refuse(
            fmt::format("--format is text, markdown, csv, json or html, not '{}'", base::printable(format_name)));
    }
    for (const std::string& path : paths) {
        if (!output.empty() && is_same_file(path, output)) {
            return command.refuse(
                fmt::format("{} is the run itself: write the report into another file", base::printable(output)));
        }
    }
    if (*what == form::html && output.empty() && ::isatty(STDOUT_FILENO) == 1) {
        return command.refuse("a terminal cannot show HTML: write it into a file with -o report.html");
    }
    if (how.interval && how.poll && *how.poll > *how.interval) {
        return command.refuse("--poll cannot be longer than --interval");
    }

    std::vector<read_run> runs;
    for (const std::string& path : paths) {
        base::result<read_run> one = read(path, how, medium);
        if (one.has_error()) return fail_with(one.error());
        // All other formats have the notes in them.
        if (*what == form::csv) {
            for (const std::string& note : one->digest.info.notes) {
                fmt::print(stderr, "qmpwatch report: {}: {}\n", base::printable(path), base::printable(note));
            }
        }
        runs.push_back(std::move(*one));
    }
    constexpr std::size_t width_of_files = 100;
    const std::size_t width = output.empty() ? settings_for_standard_output().columns : width_of_files;
    const std::string text = render(runs, *what, width);
    const base::result<void> written = output.empty() ? write_to_standard_output(text) : write_whole_file(output, text);
    if (written.has_error() && written.error().code != base::errc::closed) return fail_with(written.error());
    return exit_done;
}

}  // namespace qmpwatch::app
