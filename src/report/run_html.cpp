// The page is one string that grows from top to bottom: headline, charts, tables, what helps, where it comes from.
#include "report/run_html.hpp"

#include "base/duration.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "report/html.hpp"
#include "report/run_charts.hpp"
#include "report/summary_tables.hpp"
#include "report/svg_chart.hpp"
#include "report/vm_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::report {

namespace {

using run::direction_summary;
using run::drive_summary;
using run::phase_summary;

// A page with more would help nobody; the CSV has them all.
constexpr std::size_t most_drives_with_charts = 32;
constexpr std::size_t most_listed = 300;

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string join(const std::vector<std::string>& parts, std::string_view between) {
    std::string out;
    for (const std::string& each : parts) {
        if (each.empty()) continue;
        if (!out.empty()) out += between;
        out += each;
    }
    return out;
}

std::string heading_of(const phase_summary& part) {
    if (part.phase.drive.empty()) return "The whole run";
    return "The " + part.phase.name + " from " + part.phase.drive;
}

void add_part(std::string& out, const phase_summary& part, base::nanoseconds window) {
    const run::phase& phase = part.phase;
    const std::string key = phase.name + '.';
    base::append(out, "<section class=\"card long\">\n<h2>{}</h2>\n<p class=\"quiet\">", escape_html(heading_of(part)));
    out += tagged("span", key + "seconds", shown(phase.length()));
    base::append(out, ", from {} to {}", time_label(base::in_seconds(phase.begin)),
                 time_label(base::in_seconds(phase.end)));
    if (part.cpu_percent) {
        out +=
            "; QEMU used " +
            tagged("span", key + "cpu_percent", shown(part.cpu_percent, fmt::format("{:.0f} %", *part.cpu_percent))) +
            " of a core";
    }
    out += "</p>\n";
    out += drive_tables(part, window);
    std::vector<std::string> idle;
    for (const drive_summary& drive : part.drives) {
        if (!did_anything(drive.read) && !did_anything(drive.write)) idle.push_back(escape_html(drive.drive));
    }
    if (!idle.empty()) out += "<p class=\"quiet\">No operation on " + join(idle, ", ") + ".</p>\n";
    out += "</section>\n";
}

// ---- the headline

/// The drive and the part of the run that the headline is about.
struct story {
    const phase_summary* part = nullptr;
    const drive_summary* drive = nullptr;
    run::direction way = run::direction::read;

    const direction_summary& sum() const { return way == run::direction::read ? drive->read : drive->write; }
    std::string key(std::string_view last) const {
        return fmt::format("{}.{}.{}", part->phase.name, drive->drive, last);
    }
};

/// The copy, else what most bytes were moved by; none when nothing was moved.
std::optional<story> story_of(const run::summary& sum) {
    if (const drive_summary* const copied = sum.copied(); copied != nullptr && copied->read.done.bytes > 0) {
        return story{sum.copy(), copied, run::direction::read};
    }
    if (sum.parts.empty()) return std::nullopt;
    std::optional<story> found;
    for (const drive_summary& drive : sum.whole().drives) {
        for (const run::direction way : {run::direction::read, run::direction::write}) {
            const story one{&sum.whole(), &drive, way};
            if (one.sum().done.bytes > (found ? found->sum().done.bytes : 0)) found = one;
        }
    }
    return found;
}

const run::drive_digest* find(const run::digest& of, const std::string& drive) {
    const auto found =
        std::find_if(of.drives.begin(), of.drives.end(), [&](const auto& each) { return each.drive == drive; });
    return found == of.drives.end() ? nullptr : &*found;
}

std::string with_device(const run::digest& of, const std::string& drive) {
    const run::drive_digest* const found = find(of, drive);
    if (found == nullptr || found->info.attachment.device.empty()) return drive;
    return fmt::format("{} ({})", drive, found->info.attachment.device);
}

std::string headline_of(const run::digest& of, const std::optional<story>& about) {
    if (!about) {
        if (of.drives.empty()) return fmt::format("Saw no drive in {}", base::format_length(of.watched()));
        return fmt::format("No drive moved any data in {}", base::format_length(of.watched()));
    }
    const bool is_read = about->way == run::direction::read;
    return fmt::format("{} {} {} {} in {}: {} MB/s", is_read ? "Read" : "Wrote",
                       base::format_bytes(static_cast<double>(about->sum().done.bytes)), is_read ? "from" : "to",
                       with_device(of, about->drive->drive), base::format_length(about->part->phase.length()),
                       base::format_megabytes(about->sum().bytes_per_second));
}

std::string plain_words(stall::cause which) {
    switch (which) {
        case stall::cause::lost_completion: return "lost completions";
        case stall::cause::slow_backend: return "slow storage of the host";
        case stall::cause::vm_paused: return "the VM was paused";
        case stall::cause::monitor_blocked: return "QEMU itself stood still";
        case stall::cause::io_error: return "I/O errors";
        case stall::cause::throttled: return "the drive's own limits";
        case stall::cause::unknown: break;
    }
    return "for an unknown reason";
}

/// What stalls took, in a sentence; the causes that took most come first.
std::string lead_of(const story& about) {
    const drive_summary& drive = *about.drive;
    if (drive.stall_count() == 0) return "No stall was found in it.";
    std::vector<run::cause_summary> causes = drive.stalls;
    std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.lost > b.lost; });
    std::vector<std::string> words;
    for (const run::cause_summary& each : causes) {
        words.push_back(causes.size() == 1
                            ? plain_words(each.cause)
                            : fmt::format("{} ({})", plain_words(each.cause), base::format_length(each.lost)));
    }
    std::string text = fmt::format("{} took {} of it: {}.", plural(drive.stall_count(), "stall"),
                                   base::format_length(drive.lost()), join(words, ", "));
    if (drive.bytes_per_second_without_stalls) {
        text += fmt::format(" Without them it went at {} MB/s.",
                            base::format_megabytes(drive.bytes_per_second_without_stalls));
    }
    return text;
}

std::string_view reason_words(run::end_reason reason) {
    switch (reason) {
        case run::end_reason::guest_shutdown: return "the guest shut down";
        case run::end_reason::command_exit: return "the command ended";
        case run::end_reason::quiet: return "the drives had been quiet";
        case run::end_reason::time_limit: return "the time was up";
        case run::end_reason::interrupted: return "it was interrupted";
        case run::end_reason::monitor_lost: return "the monitor was lost";
        case run::end_reason::imported: break;
    }
    return "imported: the log ended";
}

std::string end_of(const run::digest& of) {
    if (!of.info.ended) return "cut off: the file has no end";
    const run::end& end = *of.info.ended;
    std::string text(reason_words(end.reason));
    if (end.exit_code) text += fmt::format(" with code {}", *end.exit_code);
    return text;
}

std::string vm_line(const run::digest& of) {
    const sample::vm_identity& vm = of.vm;
    return join(
        {vm.vm, vm.version.empty() ? "" : "QEMU " + vm.version, vm.machine, vm.accelerator, size_text(vm),
         of.info.about.has_wall_clock ? base::rfc3339(of.first_sample.wall).substr(0, 16).replace(10, 1, " ") + " UTC"
                                      : ""},
        " · ");
}

void add_tile(std::string& out, std::string_view value, std::string_view unit, std::string_view label) {
    base::append(out, "<div class=\"tile\"><b>{}{}{}{}</b><span>{}</span></div>\n", value,
                 unit.empty() ? "" : " <small>", unit, unit.empty() ? "" : "</small>", label);
}

void add_tiles(std::string& out, const story& about, base::nanoseconds window) {
    const drive_column values(*about.drive, about.way, about.part->phase.name);
    const auto key = [&](std::string_view last) { return fmt::format("{}{}", values.prefix, last); };
    out += "<div class=\"tiles\">\n";
    add_tile(out, values.tagged_value("span", mean_rate), "MB/s", "over all of it");
    if (values.sum().windows) {
        add_tile(out, values.tagged_value("span", median_rate), "MB/s",
                 fmt::format("median of {}", base::format_duration(window)));
    }
    const std::string_view without = "bytes_per_second_without_stalls";
    if (const shown_number rate = values.value(without, base::format_megabytes); rate.value) {
        add_tile(out, tagged("span", key(without), rate), "MB/s", "without the stalls");
    }
    add_tile(out, values.tagged_value("span", mean_iops), "IOPS",
             fmt::format("of {} each", base::format_bytes(values.sum().mean_bytes)));
    add_tile(out, tagged("span", key("stalls"), values.value("stalls", nullptr)), "", "stalls");
    if (about.drive->stall_count() > 0) {
        add_tile(out, tagged("span", key("stall_seconds"), values.value("stall_seconds", format_seconds)), "",
                 "lost to stalls");
    }
    if (about.part->cpu_percent) {
        add_tile(out,
                 tagged("span", about.part->phase.name + ".cpu_percent",
                        shown(about.part->cpu_percent, fmt::format("{:.0f}", *about.part->cpu_percent))),
                 "%", "CPU of QEMU");
    }
    out += "</div>\n";
}

// ---- what helps

std::string_view css_of(stall::severity how_bad) {
    switch (how_bad) {
        case stall::severity::problem: return "bad";
        case stall::severity::warning: return "wait";
        case stall::severity::info: break;
    }
    return "quiet";
}

void add_findings(std::string& out, const std::vector<stall::finding>& findings, std::string_view heading) {
    if (findings.empty()) return;
    base::append(out, "<section class=\"card long\">\n<h2>{}</h2>\n", heading);
    for (const stall::finding& each : findings) {
        const std::string drive = each.drive.empty() ? "" : escape_html(each.drive) + ": ";
        base::append(out,
                     "<div class=\"finding\" data-finding=\"{}\"><div class=\"title\"><h3>{}{}</h3>"
                     "<span class=\"state {}\">{}, {}</span></div>\n",
                     escape_html(each.id), drive, escape_html(each.title), css_of(each.severity), name(each.severity),
                     name(each.certainty));
        if (!each.known.empty()) {
            out += "<ul class=\"quiet\">";
            for (const std::string& fact : each.known) out += "<li>" + escape_html(fact) + "</li>";
            out += "</ul>\n";
        }
        if (!each.remedies.empty()) {
            out += "<ul>";
            for (const stall::remedy& one : each.remedies) {
                out += "<li>" + escape_html(one.what);
                if (!one.option.empty()) out += "<br><code>" + escape_html(one.option) + "</code>";
                out += "</li>";
            }
            out += "</ul>\n";
        }
        if (!each.proof.empty()) out += "<p class=\"quiet\">To make sure: " + escape_html(each.proof) + "</p>\n";
        out += "</div>\n";
    }
    out += "</section>\n";
}

// ---- charts

std::string about_drive(const sample::drive_info& info) {
    const sample::drive_media& media = info.media;
    std::string attached = info.attachment.device;
    if (!attached.empty() && !info.attachment.bus.empty()) attached += " on " + info.attachment.bus;
    return join(
        {attached, media.format, media.size_bytes ? base::format_bytes(static_cast<double>(*media.size_bytes)) : "",
         media.inserted && media.read_only ? "read-only" : "",
         media.cache ? fmt::format("cache {}", sample::name(*media.cache)) : "", media.file},
        " · ");
}

std::uint64_t bytes_moved(const run::drive_digest& drive) {
    if (drive.moved.points().empty()) return 0;
    const run::progress::point& last = drive.moved.points().back();
    return last.read.bytes + last.write.bytes;
}

bool has_charts(const run::digest& of, const run::drive_digest& drive) {
    const auto& points = drive.moved.points();
    return (!points.empty() && points.back().read.operations + points.back().write.operations > 0) ||
           std::any_of(of.stalls.begin(), of.stalls.end(), [&](const auto& each) { return each.drive == drive.drive; });
}

void add_charts(std::string& out, const run::digest& of) {
    std::vector<const run::drive_digest*> busy;
    for (const run::drive_digest& drive : of.drives) {
        if (has_charts(of, drive)) busy.push_back(&drive);
    }
    const std::size_t all = busy.size();
    if (all > most_drives_with_charts) {
        std::stable_sort(busy.begin(), busy.end(),
                         [](const auto* one, const auto* other) { return bytes_moved(*one) > bytes_moved(*other); });
        busy.resize(most_drives_with_charts);
    }
    for (std::size_t i = 0; i < busy.size(); ++i) {
        const std::string about = about_drive(busy[i]->info);
        base::append(out, "<section class=\"card\">\n<h2>{}</h2>\n<p class=\"quiet\">{}</p>\n{}",
                     escape_html(busy[i]->drive), escape_html(about),
                     drive_charts(of, *busy[i], fmt::format("drive{}", i), busy.size()));
        out += "</section>\n";
    }
    if (all > busy.size()) {
        base::append(out,
                     "<p class=\"quiet\">Charts of the {} drives that moved most; {} more are in the tables.</p>\n",
                     busy.size(), all - busy.size());
    }
}

void add_timeline(std::string& out, const run::digest& of, const run::summary& sum, std::string_view id,
                  std::string_view heading) {
    const std::string timeline = stall_timeline(of, sum, id);
    if (timeline.empty()) return;
    base::append(out, "<section class=\"card\">\n<h2>{}</h2>\n", heading);
    const std::vector<std::string_view> causes = causes_of({&of});
    if (causes.empty()) {
        out += "<p class=\"quiet\">No stall was found.</p>\n";
    } else {
        out += legend(causes);
    }
    out += timeline + "</section>\n";
}

// ---- lists

void add_stall_list(std::string& out, const run::digest& of) {
    if (of.stalls.empty()) return;
    base::append(out, "<details><summary>All {}</summary>\n<div class=\"scroll\"><table>\n",
                 plural(of.stalls.size(), "stall"));
    out += "<thead><tr><th class=\"words\">start</th><th>length</th><th class=\"words\">drive</th>"
           "<th class=\"words\">cause</th></tr></thead>\n<tbody>\n";
    std::size_t count = 0;
    for (const run::stall_digest& each : of.stalls) {
        if (++count > most_listed) break;
        const bool is_inferred = each.cause == stall::cause::lost_completion;
        base::append(out, "<tr><td>{}</td><td>{}</td><td class=\"words\">{}</td><td class=\"words\">{}{}{}</td></tr>\n",
                     time_label(base::in_seconds(each.start)), base::format_length(each.length),
                     escape_html(each.drive), in_words(each.cause), is_inferred ? ", " : "",
                     is_inferred ? name(each.level) : "");
    }
    out += "</tbody>\n</table></div>\n";
    if (of.stalls.size() > most_listed) {
        base::append(out, "<p class=\"quiet\">and {} more</p>\n", of.stalls.size() - most_listed);
    }
    out += "</details>\n";
}

std::string_view kind_of(run::mark::kind what) {
    switch (what) {
        case run::mark::kind::event: return "event";
        case run::mark::kind::marker: return "marker";
        case run::mark::kind::run_state: return "VM";
        case run::mark::kind::monitor: break;
    }
    return "monitor";
}

void add_marks(std::string& out, const run::digest& of) {
    if (of.marks.empty() && of.stalls.empty()) return;
    out += "<section class=\"card long\">\n<h2>What happened</h2>\n";
    if (!of.marks.empty()) {
        out += "<div class=\"scroll\"><table>\n<tbody>\n";
        std::size_t count = 0;
        for (const run::mark& each : of.marks) {
            if (++count > most_listed) break;
            base::append(out,
                         "<tr><td class=\"kind\">{}</td><td class=\"kind quiet\">{}</td><td "
                         "class=\"words\">{}{}{}{}</td></tr>\n",
                         time_label(base::in_seconds(each.elapsed)), kind_of(each.what), escape_html(each.text),
                         each.detail.empty() ? "" : "<small>", escape_html(base::shorten(each.detail, 300)),
                         each.detail.empty() ? "" : "</small>");
        }
        out += "</tbody>\n</table></div>\n";
        if (of.marks.size() > most_listed) {
            base::append(out, "<p class=\"quiet\">and {} more</p>\n", of.marks.size() - most_listed);
        }
    }
    add_stall_list(out, of);
    out += "</section>\n";
}

/// Everything that is known of the run besides its numbers. Both text and name are plain.
using facts = std::vector<std::pair<std::string, std::string>>;

std::string known(const std::string& text) { return text.empty() ? "unknown" : text; }

facts facts_of(const run::digest& of) {
    const run::header& about = of.info.about;
    const sample::vm_identity& vm = of.vm;
    facts list;
    const auto add = [&](std::string_view what, std::string text) {
        if (!text.empty()) list.emplace_back(what, std::move(text));
    };
    add("VM", known(vm.vm) + (vm.name.empty() || vm.name == vm.vm ? "" : fmt::format(" ({})", vm.name)));
    add("QEMU", known(vm.version + (vm.package.empty() ? "" : fmt::format(" ({})", vm.package))));
    add("machine", known(join({vm.machine, vm.accelerator, vm.arch, size_text(vm)}, ", ")));
    add("monitor", join({vm.socket, vm.protocol}, ", "));
    add("host",
        known(join({about.host.system, about.host.cpu, about.host.cpus > 0 ? plural(about.host.cpus, "CPU") : ""},
                   ", ")));
    add("recorded", about.has_wall_clock ? fmt::format("{} to {}", base::rfc3339(of.first_sample.wall),
                                                       base::rfc3339(of.last_sample.wall))
                                         : "unknown");
    add("samples", fmt::format("{} in {}, one each {}", of.samples, base::format_length(of.watched()),
                               base::format_duration(about.poll)));
    add("end", end_of(of));
    for (const auto& [key, value] : about.labels) add(key, value);
    add("git commit", about.git_commit);
    add("CI job", about.ci_job);
    add("file", file_name(of.info.path));
    add("run", about.id);
    if (!of.info.is_imported) add("recorded with", "qmpwatch " + known(about.qmpwatch));
    if (about.is_redacted) add("left out", "paths and serials");
    return list;
}

void add_facts(std::string& out, const run::digest& of, std::string_view heading) {
    base::append(out, "<section class=\"card\">\n<h2>{}</h2>\n<dl class=\"facts\">\n", heading);
    for (const auto& [what, text] : facts_of(of)) {
        base::append(out, "<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(what), escape_html(text));
    }
    out += "</dl>\n";
    if (!of.info.notes.empty()) {
        out += "<ul class=\"detail wait\">";
        for (const std::string& each : of.info.notes) out += "<li>" + escape_html(each) + "</li>";
        out += "</ul>\n";
    }
    out += "</section>\n";
}

// ---- two runs

/// Names that tell the two apart: of the files, or of the whole paths where those are the same.
std::pair<std::string, std::string> names_of(const run::digest& first, const run::digest& second) {
    std::string one = file_name(first.info.path), other = file_name(second.info.path);
    if (one == other) return {first.info.path, second.info.path};
    return {std::move(one), std::move(other)};
}

std::string comparison(const run::summary& first, const run::summary& second) {
    const std::optional<double> ratio = run::speed_ratio(first, second);
    if (!ratio) return "Two runs, of which one has no copy to compare";
    const std::string rates =
        fmt::format("{} MB/s after {} MB/s", base::format_megabytes(second.copied()->read.windows->mean),
                    base::format_megabytes(first.copied()->read.windows->mean));
    if (*ratio >= 0.995 && *ratio <= 1.005) return "Both runs copied at the same speed: " + rates;
    return fmt::format("The second run copied {} times as fast as the first: {}", base::format_count(ratio), rates);
}

void add_copies(std::string& out, const run::summary& first, const run::summary& second) {
    if (first.copied() == nullptr || second.copied() == nullptr) return;
    const auto column_of = [](const run::summary& sum, std::string_view prefix) {
        return drive_column(*sum.copied(), run::direction::read, fmt::format("{}.{}", prefix, sum.copy()->phase.name));
    };
    out += "<section class=\"card long\">\n<h2>The copies</h2>\n" +
           comparison_table(column_of(first, "first"), column_of(second, "second"), first.window) + "</section>\n";
}

/// The whole runs: drives of the same name, in the directions that either used.
void add_wholes(std::string& out, const run::summary& first, const run::summary& second) {
    if (first.parts.empty() || second.parts.empty()) return;
    std::string tables;
    for (const drive_summary& one : first.whole().drives) {
        const auto& others = second.whole().drives;
        const auto other =
            std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.drive == one.drive; });
        if (other == others.end()) continue;
        for (const run::direction way : {run::direction::read, run::direction::write}) {
            const drive_column a(one, way, "first." + first.whole().phase.name);
            const drive_column b(*other, way, "second." + second.whole().phase.name);
            if (!did_anything(a.sum()) && !did_anything(b.sum())) continue;
            base::append(tables, "<h3>{}, {}</h3>\n", escape_html(one.drive), a.way_name());
            tables += comparison_table(a, b, first.window);
        }
    }
    if (tables.empty()) return;
    out += "<section class=\"card long\">\n<h2>The whole runs</h2>\n<details><summary>drive by drive</summary>\n" +
           tables + "</details>\n</section>\n";
}

}  // namespace

std::string run_html(const run::digest& of, const run::summary& sum) {
    const std::optional<story> about = story_of(sum);
    const std::string headline = headline_of(of, about);
    std::string out = file_page_head(headline);
    out += hatches();
    base::append(out, "<header class=\"headline\"><div><p class=\"quiet\">{}</p>\n<h1>{}</h1>\n",
                 escape_html(vm_line(of)), escape_html(headline));
    if (about) out += "<p class=\"lead\">" + escape_html(lead_of(*about)) + "</p>\n";
    if (!of.info.ended || !of.info.ended->is_complete()) {
        out += "<p class=\"wait\">This run is not complete: " + escape_html(end_of(of)) + ".</p>\n";
    }
    out += "</div></header>\n<main>\n";
    if (about) add_tiles(out, *about, sum.window);
    add_findings(out, of.findings, "What is known, and what helps");
    add_timeline(out, of, sum, "timeline", "Stalls");
    add_charts(out, of);
    out += "<div class=\"pair\">\n";
    for (auto part = sum.parts.rbegin(); part != sum.parts.rend(); ++part) add_part(out, *part, sum.window);
    out += "</div>\n";
    add_marks(out, of);
    add_facts(out, of, "The run");
    return out + file_page_end("report");
}

std::string run_html(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum) {
    const pair_parts parts = run_html_parts(first, first_sum, second, second_sum, "h1");
    return file_page_head(parts.headline) + hatches() + parts.header + "<main>\n" + parts.body +
           file_page_end("report");
}

pair_parts run_html_parts(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                          const run::summary& second_sum, std::string_view heading) {
    pair_parts made;
    made.headline = comparison(first_sum, second_sum);
    const auto [first_name, second_name] = names_of(first, second);
    std::string& header = made.header;
    header = fmt::format("<header class=\"headline\"><div>\n<{0}>{1}</{0}>\n", heading, escape_html(made.headline));
    const auto add_line = [&](std::string_view css, const std::string& file, const run::digest& of,
                              const run::summary& sum) {
        const std::optional<story> about = story_of(sum);
        const std::string stalls = about ? " " + lead_of(*about) : "";
        base::append(header,
                     "<p><svg class=\"swatch\" aria-hidden=\"true\"><line class=\"curve {0}\" x2=\"100%\" y1=\"50%\" "
                     "y2=\"50%\"/></svg><b>{0}</b> {1}: {2}.{3}</p>\n",
                     css, escape_html(file), escape_html(headline_of(of, about)), escape_html(stalls));
        if (!of.info.ended || !of.info.ended->is_complete()) {
            header += "<p class=\"wait\">It is not complete: " + escape_html(end_of(of)) + ".</p>\n";
        }
    };
    add_line("first", first_name, first, first_sum);
    add_line("second", second_name, second, second_sum);
    if (const std::optional<double> ratio = run::speed_ratio(first_sum, second_sum)) {
        base::append(header, "<p class=\"quiet\">The ratio of the means is {}.</p>\n",
                     tagged("span", "comparison.speed_ratio", shown(ratio, base::format_count(ratio))));
    }
    header += "</div></header>\n";

    std::string& out = made.body;
    if (const std::string chart = copy_chart(first, first_sum, second, second_sum); !chart.empty()) {
        out += "<section class=\"card\">\n<h2>At the same progress</h2>\n" + chart + "</section>\n";
    }
    add_copies(out, first_sum, second_sum);
    add_timeline(out, first, first_sum, "timeline1", "Stalls of the first run");
    add_timeline(out, second, second_sum, "timeline2", "Stalls of the second run");
    add_findings(out, first.findings, "The first run: what is known, and what helps");
    add_findings(out, second.findings, "The second run: what is known, and what helps");
    add_wholes(out, first_sum, second_sum);
    add_facts(out, first, "The first run");
    add_facts(out, second, "The second run");
    return made;
}

}  // namespace qmpwatch::report
