// The flags of `baseline`, and what it does: list, accept and retire the runs of a folder.
#include "app/baseline_folder.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/console.hpp"
#include "base/text.hpp"
#include "gate/baseline.hpp"
#include "report/baseline_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::app {

namespace {

int fail_with(const base::error& problem) {
    fmt::print(stderr, "qmpwatch baseline: {}\n", problem.message);
    return problem.code == base::errc::io ? exit_could_not : exit_usage;
}

int print(const std::string& text) {
    const base::result<void> written = write_to_standard_output(text);
    if (written.has_error() && written.error().code != base::errc::closed) return fail_with(written.error());
    return exit_done;
}

std::vector<report::listed_baseline> look(const gate::baseline_index& index, const std::string& folder,
                                          std::size_t last) {
    using report::baseline_state;
    std::vector<report::listed_baseline> made;
    for (const gate::accepted_run& each : index) {
        baseline_state state = baseline_state::counts;
        const auto current = gate::current_baselines(index, each.fingerprint, last);
        if (!each.retired.empty()) {
            state = baseline_state::retired;
        } else if (const auto file = check_file(folder, each); file.has_error()) {
            state = file.error().code == base::errc::data ? baseline_state::changed : baseline_state::missing;
        } else if (std::find(current.begin(), current.end(), each) == current.end()) {
            state = baseline_state::older;
        }
        made.push_back({each, state});
    }
    return made;
}

struct baseline_words {
    std::string folder;
    std::vector<std::string> runs;
};

int list(const words& arguments) {
    baseline_words given;
    std::string format = "table";
    std::uint64_t last = gate::default_baselines;
    command_line command{"qmpwatch baseline list",
                         "Shows the accepted runs of a folder, by kind: those that count, those that `gate --last` "
                         "leaves out (older), those that were retired, and those whose files are missing or changed."};
    command.word("DIR", given.folder, "DIR", "The folder");
    command.number("--last", last, "N", "So many of a kind count: those that were accepted last");
    command.text("--format", format, "FORMAT", "table or json");
    if (const std::optional<int> end = command.parse(arguments)) return *end;
    if (given.folder.empty()) return command.refuse("which folder? qmpwatch baseline list DIR");
    if (last == 0) return command.refuse("--last is at least 1");
    if (format != "table" && format != "json") {
        return command.refuse(fmt::format("--format is table or json, not '{}'", base::printable(format)));
    }
    const base::result<gate::baseline_index> index = read_needed_index(given.folder);
    if (index.has_error()) return fail_with(index.error());
    const auto runs = look(*index, given.folder, static_cast<std::size_t>(last));
    return print(format == "json"
                     ? report::baseline_list_json(runs)
                     : report::baseline_list_text(runs, given.folder, settings_for_standard_output().columns));
}

int accept(const words& arguments, base::wall_time now) {
    baseline_words given;
    acceptance how;
    command_line command{"qmpwatch baseline accept",
                         "Copies runs into a folder and notes them in its baselines.json: all of them or none. The "
                         "folder is made where there is none."};
    command.word("DIR", given.folder, "DIR", "The folder");
    command.words("RUN", given.runs, "RUN", "Run files that `record` wrote");
    command.text("--note", how.note, "TEXT", "Why, for `baseline list`");
    command.text("--media", how.medium, "DRIVE",
                 "The drive that the system is installed from, where the gate picks another");
    command.flag("--allow-incomplete", how.allow_incomplete, "Accept runs that did not come to their own end as well");
    if (const std::optional<int> end = command.parse(arguments)) return *end;
    if (given.folder.empty() || given.runs.empty()) {
        return command.refuse("which runs, into which folder? qmpwatch baseline accept DIR RUN...");
    }
    const auto accepted = accept_runs(given.folder, given.runs, how, now);
    if (accepted.has_error()) return fail_with(accepted.error());
    std::string text;
    for (const gate::accepted_run& each : *accepted) {
        text += fmt::format("accepted {} (kind {})\n", base::printable(path_in(given.folder, each.file)),
                            base::printable(each.fingerprint));
    }
    return print(text);
}

int retire(const words& arguments, base::wall_time now) {
    baseline_words given;
    bool remove = false;
    command_line command{"qmpwatch baseline retire",
                         "Takes runs out: they stay in the folder's index and are no longer compared with."};
    command.word("DIR", given.folder, "DIR", "The folder");
    command.words("RUN", given.runs, "RUN", "The names of their files, or the first characters of their ids");
    command.flag("--delete", remove, "Delete their files, too");
    if (const std::optional<int> end = command.parse(arguments)) return *end;
    if (given.folder.empty() || given.runs.empty()) {
        return command.refuse("which runs of which folder? qmpwatch baseline retire DIR RUN...");
    }
    const auto retired = retire_runs(given.folder, given.runs, remove, now);
    if (retired.has_error()) return fail_with(retired.error());
    std::string text;
    for (const gate::accepted_run& each : *retired) {
        text += fmt::format("retired {}{}\n", base::printable(path_in(given.folder, each.file)),
                            remove ? ", its file is deleted" : "");
    }
    return print(text);
}

struct verb {
    std::string_view name, summary;
};
constexpr std::array verbs{
    verb{"list", "which runs count"},
    verb{"accept", "add runs"},
    verb{"retire", "take runs out"},
};

void print_help() {
    fmt::print("qmpwatch baseline keeps the runs that `qmpwatch gate` holds candidates against, in a folder that can "
               "live in Git or in a CI cache. Nothing is ever accepted by itself.\n\n"
               "Usage: qmpwatch baseline VERB DIR [RUN...] [flags]\n\nVerbs:\n");
    for (const verb& each : verbs) fmt::print("  {:<10}{}\n", each.name, each.summary);
    fmt::print("\nqmpwatch baseline VERB --help lists the flags.\n\n"
               "  qmpwatch baseline accept baselines/ new-1.run new-2.run new-3.run --note 'QEMU 11.1'\n"
               "  qmpwatch baseline list baselines/\n"
               "  qmpwatch gate --baseline baselines/ --candidate newer-*.run\n");
}

}  // namespace

int baseline_command(const words& arguments) {
    const std::string first = arguments.empty() ? std::string() : arguments.front();
    if (first == "--help" || first == "-h") {
        print_help();
        return exit_done;
    }
    const words rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
    const base::wall_time now = std::chrono::system_clock::now();
    try {
        if (first == "list") return list(rest);
        if (first == "accept") return accept(rest, now);
        if (first == "retire") return retire(rest, now);
    } catch (const std::exception& problem) {
        return fail_with({base::errc::io, problem.what()});
    }
    fmt::print(stderr, "qmpwatch baseline: {}: list, accept or retire? (see qmpwatch baseline --help)\n",
               first.empty() ? "what is to be done" : fmt::format("there is no '{}'", base::printable(first)));
    return exit_usage;
}

}  // namespace qmpwatch::app
