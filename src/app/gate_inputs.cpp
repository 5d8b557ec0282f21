#include "app/gate_inputs.hpp"

#include "app/baseline_folder.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "run/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace qmpwatch::app {

namespace {

using base::printable;

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

base::result<gate::input> read_run(const std::string& path) {
    if (path == "-") {
        return base::fail(base::errc::usage, "the gate takes run files, not standard input: it tells their SHA-256");
    }
    base::result<std::string> sum = base::sha256_of_file(path);
    if (sum.has_error()) return sum.error();
    base::result<run::digest> digest = run::read_digest(path);
    if (digest.has_error()) return digest.error();
    return gate::input{std::move(*digest), std::move(*sum)};
}

base::result<void> add_runs(std::vector<gate::input>& to, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        base::result<gate::input> one = read_run(path);
        if (one.has_error()) return one.error();
        to.push_back(std::move(*one));
    }
    return {};
}

base::result<void> add_accepted(std::vector<gate::input>& to, const std::string& folder,
                                const std::vector<gate::accepted_run>& accepted) {
    std::vector<std::string> paths;
    for (const gate::accepted_run& each : accepted) {
        if (const auto good = check_file(folder, each); good.has_error()) return good.error();
        paths.push_back(path_in(folder, each.file));
    }
    return add_runs(to, paths);
}

/// What a folder has instead, for a sentence.
std::string kinds_of(const gate::baseline_index& index) {
    constexpr std::size_t most = 3;
    std::vector<std::string> texts;
    for (const gate::accepted_run& each : index) {
        if (each.retired.empty() && std::find(texts.begin(), texts.end(), each.fingerprint_text) == texts.end()) {
            texts.push_back(each.fingerprint_text);
        }
    }
    if (texts.empty()) return "it has none that counts";
    std::string made = "it has those of ";
    for (std::size_t i = 0; i < texts.size() && i < most; ++i) {
        made += fmt::format("{}({})", i == 0 ? "" : ", ", printable(texts[i]));
    }
    if (texts.size() > most) made += fmt::format(" and {} more kinds", texts.size() - most);
    return made;
}

/// The runs of a folder that keeps baselines, for the kind of a candidate.
base::result<std::vector<gate::accepted_run>> choose(const gate::baseline_index& index, const std::string& folder,
                                                     const gate::input& candidate, const gate_request& what,
                                                     std::vector<std::string>& notes) {
    const gate::fingerprint of = gate::fingerprint_of_run(candidate.digest, what.medium);
    std::vector<gate::accepted_run> chosen = gate::current_baselines(index, of.hash, what.last);
    if (!chosen.empty()) return chosen;
    const gate::accepted_run* const latest = gate::latest_baseline(index);
    if (what.has_allowed_mismatch && latest != nullptr) {
        notes.push_back(fmt::format("{} has no run of the candidates' kind: compared with those of ({})",
                                    printable(folder), printable(latest->fingerprint_text)));
        return gate::current_baselines(index, latest->fingerprint, what.last);
    }
    return base::fail(base::errc::data,
                      fmt::format("{} has no accepted run of the kind of {} ({}); {}. Accept one with: qmpwatch "
                                  "baseline accept {} RUN...",
                                  printable(folder), printable(candidate.path()), printable(of.text), kinds_of(index),
                                  printable(folder)));
}

base::result<void> add_candidates(gate_inputs& to, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        std::vector<std::string> runs{path};
        if (is_folder(path)) {
            const base::result<std::optional<gate::baseline_index>> index = read_index(path);
            if (index.has_error()) return index.error();
            if (*index) {
                return base::fail(
                    base::errc::usage,
                    fmt::format("{} is a folder of accepted baselines: name the candidates' files", printable(path)));
            }
            base::result<std::vector<std::string>> all = runs_in(path);
            if (all.has_error()) return all.error();
            runs = std::move(*all);
        }
        if (const auto good = add_runs(to.candidates, runs); good.has_error()) return good.error();
    }
    return {};
}

base::result<void> add_baselines(gate_inputs& to, const gate_request& what) {
    for (const std::string& path : what.baselines) {
        if (!is_folder(path)) {
            if (const auto good = add_runs(to.baselines, {path}); good.has_error()) return good.error();
            continue;
        }
        const base::result<std::optional<gate::baseline_index>> index = read_index(path);
        if (index.has_error()) return index.error();
        if (!*index) {
            const base::result<std::vector<std::string>> all = runs_in(path);
            if (all.has_error()) return all.error();
            if (const auto good = add_runs(to.baselines, *all); good.has_error()) return good.error();
            continue;
        }
        const auto chosen = choose(**index, path, to.candidates.front(), what, to.notes);
        if (chosen.has_error()) return chosen.error();
        if (const auto good = add_accepted(to.baselines, path, *chosen); good.has_error()) return good.error();
    }
    return {};
}

}  // namespace

base::result<gate_inputs> read_gate_inputs(const gate_request& what) {
    gate_inputs made;
    if (const auto good = add_candidates(made, what.candidates); good.has_error()) return good.error();
    if (made.candidates.empty()) return base::fail(base::errc::usage, "there is no candidate run");
    if (const auto good = add_baselines(made, what); good.has_error()) return good.error();
    return made;
}

base::result<gate_inputs> read_calibration(const std::string& folder) {
    gate_inputs made;
    const base::result<std::optional<gate::baseline_index>> index = read_index(folder);
    if (index.has_error()) return index.error();
    if (!*index) {
        const base::result<std::vector<std::string>> all = runs_in(folder);
        if (all.has_error()) return all.error();
        if (const auto good = add_runs(made.baselines, *all); good.has_error()) return good.error();
        return made;
    }
    const gate::accepted_run* const latest = gate::latest_baseline(**index);
    if (latest == nullptr) {
        return base::fail(base::errc::data,
                          fmt::format("{} has no run that counts: all were retired", printable(folder)));
    }
    const auto all = gate::current_baselines(**index, latest->fingerprint, std::numeric_limits<std::size_t>::max());
    if (const auto good = add_accepted(made.baselines, folder, all); good.has_error()) return good.error();
    const auto counts = std::count_if((*index)->begin(), (*index)->end(),
                                      [](const gate::accepted_run& each) { return each.retired.empty(); });
    if (static_cast<std::size_t>(counts) > all.size()) {
        made.notes.push_back(fmt::format("only the {} runs of the kind that was accepted last ({})", all.size(),
                                         printable(latest->fingerprint_text)));
    }
    return made;
}

}  // namespace qmpwatch::app
