#include "report/gate_document.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

namespace qmpwatch::report {

namespace {

/// GitHub shows less than 1 MiB.
constexpr std::size_t most_markdown = 1'000'000;

std::string loud(std::string_view verdict) {
    std::string text(verdict);
    for (char& each : text) each = static_cast<char>(each - 'a' + 'A');
    return text;
}

std::string percent(double share) { return fmt::format("{:.3g} %", share * 100); }

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string fast_text(const gate::estimate& of) {
    return fmt::format("{} times as fast ({} to {})", ratio_text(of.shift), ratio_text(of.lower), ratio_text(of.upper));
}

/// Under both readings, where there are runs that were cut short.
std::string speed_text(const gate::metric_outcome& of) {
    if (!of.harshest) return fast_text(*of.change);
    return fmt::format("at best {}, at worst {}", fast_text(*of.change), fast_text(*of.harshest));
}

std::string tolerated(const gate::settings& how) { return ratio_text(std::log1p(-how.tolerance.margin)); }

judged judged_metric(const gate::metric_outcome& of, const gate::settings& how) {
    judged made;
    made.name = base::printable(gate::name(of.what));
    made.seen = of.change ? fmt::format("{}, {} is tolerated", speed_text(of), tolerated(how))
                          : "reached no checkpoint on both sides";
    made.its = of.its;
    made.decides = of.decides;
    made.label = loud(gate::name(of.its));
    if (of.why != gate::reason::none) made.label += fmt::format(" ({})", gate::name(of.why));
    if (!of.decides) {
        made.label = of.its == gate::verdict::inconclusive ? "for information" : made.label + ", for information";
    }
    made.why = gate::explain(of, how);
    return made;
}

judged judged_limit(const gate::limit_outcome& of) {
    judged made;
    made.name = of.name;
    made.seen = fmt::format("{}, {}", base::printable(of.seen), of.limit);
    made.its = of.its;
    made.label = loud(gate::name(of.its));
    return made;
}

// --- a metric

std::string margin_text(const gate::settings& how) {
    return fmt::format(
        "{}: passes when surely above {} times as fast, fails when surely below {} and itself at most {}",
        percent(how.tolerance.margin), tolerated(how), how.tolerance.is_strict ? tolerated(how) : "1.00",
        tolerated(how));
}

std::string checkpoint_text(const gate::metric_outcome& of) {
    if (of.what.what == gate::metric::kind::run) return "the whole run";
    if (of.at.share <= 0) return "none was reached on both sides";
    return fmt::format("{}, {} of what baselines moved (median)", base::format_bytes(of.at.bytes),
                       percent(of.at.share));
}

std::string p_text(double p) {
    constexpr double least_shown = 0.0001;
    return fmt::format("{}: how often runs look as slow as these, or slower, when nothing has changed",
                       p < least_shown ? "below 0.0001" : fmt::format("{:.3g}", p));
}

facts facts_of(const gate::metric_outcome& of, const gate::settings& how) {
    facts list;
    if (of.change) {
        list.push_back({"speed", fmt::format("{}; each of the two limits holds in {} of all cases", speed_text(of),
                                             percent(1 - how.evidence.alpha))});
        list.push_back({"method", assumptions(*of.change, how)});
    }
    list.push_back({"margin", margin_text(how)});
    list.push_back({"checkpoint", checkpoint_text(of)});
    list.push_back({"runs", fmt::format("{} against {}", counted(of.candidates.size(), "candidate"),
                                        counted(of.baselines.size(), "baseline"))});
    if (of.change) list.push_back({"p", p_text(of.change->p_slower)});
    if (of.deviation) {
        list.push_back({"spread", fmt::format("runs of one side differ by {} (standard deviation of logarithms)",
                                              percent(*of.deviation))});
    }
    if (of.runs_needed) list.push_back({"runs needed", fmt::format("about {} a side", *of.runs_needed)});
    return list;
}

// --- runs

std::string time_text(const gate::time_of_run& at) {
    const double seconds = base::in_seconds(at.time);
    const std::string text = fmt::format("{:.{}f} s", seconds, seconds < 10 ? 2 : 1);
    return at.is_cut ? fmt::format("> {}, cut short", text) : text;
}

std::string end_text(const gate::run_row& of) {
    const bool is_known = of.is_complete || of.end == run::name(run::end_reason::imported);
    return is_known ? of.end : of.end + ", not complete";
}

/// The rows of all runs; without a metric, of what is known without one.
table runs_table(const gate::outcome& of, const gate::metric_outcome* by) {
    table made{{{"side", true}, {"file", true}}, {}};
    if (by != nullptr) {
        made.columns.insert(made.columns.end(), {{"time"}, {"MB/s", false, 7}, {"bytes", false, 3}});
    }
    made.columns.insert(made.columns.end(), {{"stalls", false, 5}, {"lost", false, 5}, {"end", true, 4}});
    const std::vector<std::string> names = shown_names(of);
    std::size_t place = 0;
    for (const bool is_baseline : {true, false}) {
        const std::vector<gate::run_row>& rows = is_baseline ? of.baselines : of.candidates;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::vector<std::string> cells{is_baseline ? "baseline" : "candidate", names[place++]};
            if (by != nullptr) {
                const gate::measured_run& its = is_baseline ? by->baselines[i] : by->candidates[i];
                cells.push_back(its.at_checkpoint ? time_text(*its.at_checkpoint) : "-");
                cells.push_back(base::format_megabytes(its.bytes_per_second));
                cells.push_back(by->what.what == gate::metric::kind::run
                                    ? "-"
                                    : base::format_bytes(static_cast<double>(its.bytes)));
            }
            cells.push_back(fmt::format("{}", rows[i].stalls));
            cells.push_back(fmt::format("{:.1f} s", base::in_seconds(rows[i].lost)));
            cells.push_back(end_text(rows[i]));
            made.rows.push_back(std::move(cells));
        }
    }
    return made;
}

std::string runs_title(const gate::metric_outcome& of) {
    if (of.at.bytes <= 0) return fmt::format("Runs: {}", gate::name(of.what));
    return fmt::format("Runs: {}, time to {}", gate::name(of.what), base::format_bytes(of.at.bytes));
}

// --- colours, as in the live view

constexpr std::string_view reset = "\x1b[0m";

struct colored {
    std::string_view word, start;
};
constexpr std::array colors{colored{"INCONCLUSIVE", "\x1b[33m"}, colored{"ERROR", "\x1b[31m"},
                            colored{"FAIL", "\x1b[31m"}, colored{"PASS", "\x1b[1m"}};

/// The verdicts in the first paragraph of a text, each line's last one.
std::string paint(const std::string& text) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    std::string out;
    for (std::size_t at = 0; at < end;) {
        const std::size_t line_end = std::min(text.find('\n', at), end);
        std::string line = text.substr(at, line_end - at);
        const colored* last = nullptr;
        std::size_t place = 0;
        for (const colored& each : colors) {
            const std::size_t found = line.rfind(each.word);
            if (found == std::string::npos || (last != nullptr && found < place)) continue;
            last = &each;
            place = found;
        }
        if (last != nullptr) line.insert(place + last->word.size(), reset).insert(place, last->start);
        out += line;
        if (line_end < end) out += '\n';
        at = line_end + 1;
    }
    return out + text.substr(end);
}

}  // namespace

std::string_view gate_report::verdict() const { return outcome ? gate::name(outcome->its) : "error"; }

std::string loud_verdict(const gate_report& of) { return loud(of.verdict()); }

std::string ratio_text(double logarithm) {
    if (logarithm > boundless) return "inf";
    const double ratio = std::exp(logarithm);
    if (ratio > 0 && ratio < 0.1) return fmt::format("{:.3f}", ratio);
    if (ratio < 100) return fmt::format("{:.2f}", ratio);
    return fmt::format("{:.3g}", ratio);
}

std::string assumptions(const gate::estimate& of, const gate::settings& how) {
    switch (of.how) {
        case gate::method::rank: return "exact rank interval, nothing is assumed of the noise";
        case gate::method::pooled_t: return "runs are assumed to spread log-normally and alike on both sides";
        case gate::method::declared: break;
    }
    return fmt::format("one run a side: a factor of {:g} is assumed", how.evidence.declared_factor);
}

std::vector<judged> all_judged(const gate_report& of) {
    std::vector<judged> all;
    if (!of.outcome) return all;
    for (const gate::metric_outcome& each : of.outcome->metrics) all.push_back(judged_metric(each, of.how));
    for (const gate::limit_outcome& each : of.outcome->limits) all.push_back(judged_limit(each));
    return all;
}

std::string line_of(const judged& one) { return fmt::format("{}: {}: {}", one.name, one.seen, one.label); }

std::optional<judged> decisive(const gate_report& of) {
    for (judged& each : all_judged(of)) {
        if (each.decides && each.its == of.outcome->its) return std::move(each);
    }
    return std::nullopt;
}

std::vector<std::string> shown_names(const gate::outcome& of) {
    std::vector<std::string> paths, files;
    for (const auto* side : {&of.baselines, &of.candidates}) {
        for (const gate::run_row& each : *side) {
            paths.push_back(each.path);
            files.push_back(each.path.substr(each.path.rfind('/') + 1));
        }
    }
    const std::set<std::string> different(files.begin(), files.end());
    return different.size() == files.size() ? files : paths;
}

document document_of(const gate_report& of) {
    section head{fmt::format("{} (qmpwatch gate, exit code {})", loud_verdict(of), of.exit_code), {}};
    if (!of.outcome) {
        head.blocks.push_back(paragraph{of.problem});
        return {std::move(head)};
    }
    const gate::outcome& its = *of.outcome;
    bullets lines;
    for (const judged& each : all_judged(of)) lines.push_back(line_of(each));
    head.blocks.push_back(std::move(lines));
    document made{std::move(head)};
    for (const gate::metric_outcome& each : its.metrics) {
        made.push_back({gate::name(each.what) + (each.decides ? "" : " (for information)"),
                        {paragraph{gate::explain(each, of.how)}, facts_of(each, of.how)}});
    }
    if (!its.warnings.empty()) made.push_back({"Warnings", {bullets(its.warnings)}});
    for (const gate::metric_outcome& each : its.metrics) {
        made.push_back({runs_title(each), {runs_table(its, &each)}});
    }
    if (its.metrics.empty()) made.push_back({"Runs", {runs_table(its, nullptr)}});
    if (!its.of.text.empty()) {
        made.push_back(
            {"What was compared", {paragraph{fmt::format("{} (fingerprint {})", its.of.text, its.of.hash)}}});
    }
    return made;
}

document document_of(const gate::calibration& of, const gate::settings& how) {
    section head{fmt::format("{} differ by {} (standard deviation of logarithms)", counted(of.runs, "run"),
                             percent(of.deviation)),
                 {}};
    head.blocks.push_back(
        facts{{"vague", fmt::format("so few runs only tell that it lies between {} and {} (90 %)",
                                    percent(of.deviation_interval.lower), percent(of.deviation_interval.upper))},
              {"against each other",
               fmt::format("of {} at a margin of {}: {} PASS, {} FAIL, {} INCONCLUSIVE; each FAIL is a false alarm",
                           counted(of.splits, "split"), percent(how.tolerance.margin), of.passed, of.failed,
                           of.inconclusive)}});
    table margins{{{"margin"}, {"runs a side"}}, {}};
    for (const gate::calibration::margin_row& each : of.margins) {
        margins.rows.push_back({percent(each.margin), each.runs_needed ? fmt::format("{}", *each.runs_needed)
                                                                       : fmt::format("> {}", gate::most_runs_needed)});
    }
    table sizes{{{"runs a side"}, {"smallest margin"}}, {}};
    for (const gate::calibration::size_row& each : of.sizes) {
        sizes.rows.push_back({fmt::format("{}", each.runs), percent(each.margin)});
    }
    return {std::move(head),
            {"How many runs a margin needs",
             {paragraph{"For PASS in 80 % of all cases when nothing has changed."}, std::move(margins)}},
            {"What margin so many runs allow", {std::move(sizes)}}};
}

std::string gate_text(const gate_report& of, std::size_t width, bool has_color) {
    const std::string text = document_text(document_of(of), width);
    return has_color ? paint(text) : text;
}

std::string gate_markdown(const gate_report& of) {
    std::string text = document_markdown(document_of(of));
    if (text.size() <= most_markdown) return text;
    text.resize(text.rfind('\n', most_markdown) + 1);
    return text + "\nThe rest was left out: GitHub shows less than 1 MiB.\n";
}

std::string calibration_text(const gate::calibration& of, const gate::settings& how, std::size_t width) {
    return document_text(document_of(of, how), width);
}

}  // namespace qmpwatch::report
