#include "report/run_document.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "report/run_report.hpp"
#include "report/vm_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace qmpwatch::report {

namespace {

using base::format_length;

constexpr std::string_view unknown = "unknown";
constexpr std::size_t most_stalls = 20;  ///< that are listed
constexpr std::size_t most_marks = 20;

std::string or_unknown(std::string text) { return text.empty() ? std::string(unknown) : text; }

void append_part(std::string& text, std::string_view part) {
    if (part.empty()) return;
    if (!text.empty()) text += ", ";
    text += part;
}

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string megabytes(std::optional<double> bytes) { return base::format_megabytes(bytes) + " MB/s"; }

// --- how and where it was recorded ---

std::string vm_text(const sample::vm_identity& vm) {
    std::string text;
    if (!vm.version.empty()) {
        text = "QEMU " + vm.version;
        if (!vm.package.empty()) text += " (" + vm.package + ")";
    }
    append_part(text, vm.machine);
    append_part(text, vm.accelerator);
    append_part(text, vm.arch);
    append_part(text, size_text(vm));
    return fmt::format("{}: {}", or_unknown(vm.vm), text.empty() ? "QEMU's version and machine unknown" : text);
}

std::string host_text(const run::host_facts& host) {
    std::string text = host.system;
    append_part(text, host.cpu);
    if (host.cpus > 0) append_part(text, counted(host.cpus, "CPU"));
    return or_unknown(text);
}

std::string labels_text(const std::vector<std::pair<std::string, std::string>>& labels) {
    std::string text;
    for (const auto& [key, value] : labels) append_part(text, fmt::format("{}={}", key, value));
    return text.empty() ? "none" : text;
}

std::string recorded_text(const run::digest& of) {
    const std::string when =
        of.info.about.has_wall_clock ? base::rfc3339(of.first_sample.wall) : std::string("at an unknown time");
    return fmt::format("{}, {} long, {}, one every {}", when, format_length(of.watched()),
                       counted(of.samples, "sample"), base::format_duration(of.windows.poll));
}

std::string end_text(const std::optional<run::end>& ended) {
    if (!ended) return "cut off: the recorder was killed, or the file is not whole";
    switch (ended->reason) {
        case run::end_reason::guest_shutdown: return "the guest shut down";
        case run::end_reason::command_exit:
            return ended->exit_code ? fmt::format("the command ended with {}", *ended->exit_code) : "the command ended";
        case run::end_reason::quiet: return "the drives were quiet for as long as was asked for";
        case run::end_reason::time_limit: return "the time limit was reached (not complete)";
        case run::end_reason::interrupted: return "interrupted (not complete)";
        case run::end_reason::monitor_lost: return "QEMU ended or closed the monitor (not complete)";
        case run::end_reason::imported: break;
    }
    return "imported: where the log ends";
}

std::string drive_text(const run::drive_digest& drive) {
    const sample::drive_info& info = drive.info;
    std::string text = info.attachment.device.empty() ? "device unknown" : info.attachment.device;
    if (!info.attachment.bus.empty()) text += " on " + info.attachment.bus;
    append_part(text, info.media.format);
    if (info.media.size_bytes) append_part(text, base::format_bytes(static_cast<double>(*info.media.size_bytes)));
    if (info.media.inserted && info.media.read_only) append_part(text, "read-only");
    if (info.media.cache) append_part(text, fmt::format("cache={}", sample::name(*info.media.cache)));
    append_part(text, info.media.file);
    return text;
}

facts facts_of(const run::digest& of) {
    const run::header& about = of.info.about;
    facts list{{"recorded", recorded_text(of)},
               {"end", end_text(of.info.ended)},
               {"VM", vm_text(of.vm)},
               {"host", host_text(about.host)},
               {"labels", labels_text(about.labels)},
               {"commit", or_unknown(about.git_commit)},
               {"CI job", or_unknown(about.ci_job)}};
    for (const run::drive_digest& each : of.drives) list.push_back({each.drive, drive_text(each)});
    return list;
}

// --- what the drives did ---

constexpr std::array<std::string_view, 5> share_names{"25 %", "50 %", "75 %", "90 %", "100 %"};

std::string reached_text(const run::direction_summary& sum) {
    std::string text;
    for (std::size_t i = 0; i < share_names.size(); ++i) {
        if (sum.reached[i]) append_part(text, fmt::format("{} in {}", share_names[i], format_length(*sum.reached[i])));
    }
    return or_unknown(text);
}

std::string stalls_text(const run::drive_summary& drive) {
    if (drive.stalls.empty()) return "none";
    std::string text;
    for (const run::cause_summary& each : drive.stalls)
        append_part(text, fmt::format("{} {}", each.count, name(each.cause)));
    text = fmt::format("{} lost to {}", format_length(drive.lost()), text);
    if (drive.bytes_per_second_without_stalls)
        text += "; without them " + megabytes(drive.bytes_per_second_without_stalls);
    return text;
}

std::string cpu_text(std::optional<double> percent) {
    return percent ? fmt::format("{:.0f} % of one core", *percent) : std::string(unknown);
}

table drives_table(const run::phase_summary& part) {
    table made{{{"drive", true},
                {"", true},
                {"bytes"},
                {"operations", false, 2},
                {"MB/s"},
                {"mean", false, 5},
                {"median", false, 6},
                {"p10", false, 3},
                {"p90", false, 3},
                {"max", false, 4},
                {"IOPS"},
                {"size", false, 5},
                {"latency", false, 7}},
               {}};
    for (const run::drive_summary& drive : part.drives) {
        for (const bool is_read : {true, false}) {
            const run::direction_summary& sum = is_read ? drive.read : drive.write;
            if (sum.done.operations == 0) continue;
            std::optional<double> mean, median, p10, p90, most;
            if (sum.windows) {
                mean = sum.windows->mean;
                median = sum.windows->median;
                p10 = sum.windows->p10;
                p90 = sum.windows->p90;
                most = sum.windows->most;
            }
            made.rows.push_back({drive.drive, is_read ? "read" : "written",
                                 base::format_bytes(static_cast<double>(sum.done.bytes)),
                                 fmt::format("{}", sum.done.operations), base::format_megabytes(sum.bytes_per_second),
                                 base::format_megabytes(mean), base::format_megabytes(median),
                                 base::format_megabytes(p10), base::format_megabytes(p90), base::format_megabytes(most),
                                 base::format_count(sum.operations_per_second), base::format_bytes(sum.mean_bytes),
                                 base::format_latency(sum.mean_latency_seconds)});
        }
    }
    return made;
}

void append_drives(std::vector<block>& blocks, const run::phase_summary& part) {
    table drives = drives_table(part);
    if (drives.rows.empty()) {
        blocks.push_back(paragraph{"No drive did anything."});
    } else {
        blocks.push_back(std::move(drives));
    }
}

section copy_section(const run::summary& sum) {
    section made{"Copy", {}};
    if (sum.copied() == nullptr) {
        made.blocks.push_back(
            paragraph{sum.phases.medium
                          ? fmt::format("None: no stream of reads from {}, which looks most like an install medium.",
                                        *sum.phases.medium)
                          : "None: no drive was read."});
        return made;
    }
    const run::phase_summary& part = *sum.copy();
    made.blocks.push_back(
        facts{{"medium", part.phase.drive},
              {"time", fmt::format("{} from {} to {}", format_length(part.phase.length()),
                                   format_elapsed(part.phase.begin), format_elapsed(part.phase.end))},
              {"bytes", fmt::format("{}: {}", base::format_bytes(static_cast<double>(part.phase.bytes)),
                                    reached_text(sum.copied()->read))},
              {"stalls", stalls_text(*sum.copied())},
              {"QEMU's CPU", cpu_text(part.cpu_percent)}});
    append_drives(made.blocks, part);
    return made;
}

/// Said once, below the last table of drives.
paragraph windows_note(const run::summary& sum) {
    return {fmt::format(
        "MB/s and IOPS are over the whole time; mean, median, p10, p90 and max are of the MB/s in windows of {}.",
        base::format_duration(sum.window))};
}

section whole_section(const run::summary& sum) {
    section made{"Whole run", {}};
    made.blocks.push_back(
        facts{{"time", format_length(sum.whole().phase.length())}, {"QEMU's CPU", cpu_text(sum.whole().cpu_percent)}});
    append_drives(made.blocks, sum.whole());
    made.blocks.push_back(windows_note(sum));
    return made;
}

// --- stalls ---

/// Those of a drive and a cause that were in the copy.
run::cause_summary in_copy(const run::summary& sum, const std::string& drive, stall::cause which) {
    run::cause_summary found{which, 0, {}};
    if (sum.copy() == nullptr) return found;
    for (const run::drive_summary& each : sum.copy()->drives) {
        if (each.drive != drive) continue;
        for (const run::cause_summary& one : each.stalls) {
            if (one.cause == which) found = one;
        }
    }
    return found;
}

table causes_table(const run::summary& sum) {
    table made{{{"drive", true}, {"cause", true}, {"stalls"}, {"lost"}, {"in the copy"}, {"lost there"}}, {}};
    for (const run::drive_summary& drive : sum.whole().drives) {
        for (const run::cause_summary& each : drive.stalls) {
            const run::cause_summary copy = in_copy(sum, drive.drive, each.cause);
            made.rows.push_back({drive.drive, std::string(name(each.cause)), fmt::format("{}", each.count),
                                 format_length(each.lost), fmt::format("{}", copy.count), format_length(copy.lost)});
        }
    }
    return made;
}

/// The longest stalls, in the order of time.
std::vector<const run::stall_digest*> worst_stalls(const run::digest& of) {
    std::vector<const run::stall_digest*> list;
    for (const run::stall_digest& each : of.stalls) list.push_back(&each);
    if (list.size() > most_stalls) {
        // They stand in one vector, in the order of time.
        std::sort(list.begin(), list.end(), [](const run::stall_digest* one, const run::stall_digest* other) {
            return one->length != other->length ? one->length > other->length : one < other;
        });
        list.resize(most_stalls);
        std::sort(list.begin(), list.end());
    }
    return list;
}

table stalls_table(const std::vector<const run::stall_digest*>& stalls) {
    table made{{{"at"},
                {"drive", true},
                {"length"},
                {"between", false, 4},
                {"cause", true},
                {"how sure", true, 6},
                {"pattern", true, 2}},
               {}};
    for (const run::stall_digest* each : stalls) {
        made.rows.push_back(
            {format_elapsed(each->start), each->drive, format_length(each->length),
             fmt::format("{:.2f}-{:.2f}s", base::in_seconds(each->length_min), base::in_seconds(each->length_max)),
             std::string(name(each->cause)), std::string(name(each->level)), each->pattern});
    }
    return made;
}

section stalls_section(const run::digest& of, const run::summary& sum) {
    section made{"Stalls", {}};
    if (of.stalls.empty()) {
        made.blocks.push_back(paragraph{"None."});
        return made;
    }
    made.blocks.push_back(causes_table(sum));
    const std::vector<const run::stall_digest*> listed = worst_stalls(of);
    made.blocks.push_back(stalls_table(listed));
    if (listed.size() < of.stalls.size()) {
        base::nanoseconds longest{};
        for (const run::stall_digest& each : of.stalls) {
            const bool is_listed = std::find(listed.begin(), listed.end(), &each) != listed.end();
            if (!is_listed) longest = std::max(longest, each.length);
        }
        made.blocks.push_back(paragraph{fmt::format("These are the longest; {} more took {} at most.",
                                                    of.stalls.size() - listed.size(), format_length(longest))});
    }
    return made;
}

// --- findings, marks, notes ---

section findings_section(const run::digest& of) {
    section made{"Findings", {}};
    if (of.findings.empty()) {
        const bool is_known = !of.vm.version.empty() || !of.vm.machine.empty();
        made.blocks.push_back(paragraph{is_known ? "Nothing is known to be wrong with such a VM."
                                                 : "None: the run does not say what VM it was."});
    } else {
        made.blocks.push_back(of.findings);
    }
    return made;
}

std::string_view kind_name(run::mark::kind what) {
    switch (what) {
        case run::mark::kind::event: return "event";
        case run::mark::kind::marker: return "marker";
        case run::mark::kind::run_state: return "VM state";
        case run::mark::kind::monitor: break;
    }
    return "monitor";
}

/// Markers first, since somebody set them; in the order of time.
std::vector<const run::mark*> shown_marks(const std::vector<run::mark>& marks) {
    std::vector<const run::mark*> list;
    for (const run::mark& each : marks) list.push_back(&each);
    if (list.size() > most_marks) {
        // They stand in one vector, in the order of time.
        std::sort(list.begin(), list.end(), [](const run::mark* one, const run::mark* other) {
            const bool is_marker = one->what == run::mark::kind::marker;
            return is_marker != (other->what == run::mark::kind::marker) ? is_marker : one < other;
        });
        list.resize(most_marks);
        std::sort(list.begin(), list.end());
    }
    return list;
}

section marks_section(const run::digest& of) {
    table marks{{{"at"}, {"what", true}, {"", true}, {"data", true, 5}}, {}};
    const std::vector<const run::mark*> shown = shown_marks(of.marks);
    for (const run::mark* each : shown) {
        marks.rows.push_back(
            {format_elapsed(each->elapsed), std::string(kind_name(each->what)), each->text, each->detail});
    }
    section made{"Markers and events", {std::move(marks)}};
    if (shown.size() < of.marks.size()) {
        made.blocks.push_back(paragraph{fmt::format("And {} more.", of.marks.size() - shown.size())});
    }
    return made;
}

/// All but the numbers of the drives.
void append_story(document& made, const run::digest& of, const run::summary& sum, const std::string& prefix) {
    const auto add = [&](section one) {
        if (!prefix.empty()) one.title[0] = static_cast<char>(one.title[0] - 'A' + 'a');
        one.title = prefix + one.title;
        made.push_back(std::move(one));
    };
    add(stalls_section(of, sum));
    add(findings_section(of));
    if (!of.marks.empty()) add(marks_section(of));
    if (!of.info.notes.empty()) add({"Notes on the file", {bullets(of.info.notes)}});
}

// --- two runs ---

std::string ratio_text(std::optional<double> first, std::optional<double> second) {
    if (!first || !second || !(*first > 0)) return "-";
    return base::format_count(*second / *first);
}

/// Rows of one figure in both runs, and how many times as much it is in the second.
class comparison {
public:
    explicit comparison(std::vector<column> titles) {
        made_.columns = std::move(titles);
        made_.columns.insert(made_.columns.end(), {{"first"}, {"second"}, {"second / first"}});
    }

    /// What stands before the titles of all rows from now on, in a column of its own.
    void of(std::string drive) { drive_ = std::move(drive); }

    template <class Format>
    void add(std::string title, std::optional<double> first, std::optional<double> second, const Format& format) {
        const auto cell = [&](std::optional<double> value) {
            return value ? std::string(format(*value)) : std::string("-");
        };
        made_.rows.emplace_back();
        if (drive_) made_.rows.back().push_back(*drive_);
        made_.rows.back().insert(made_.rows.back().end(),
                                 {std::move(title), cell(first), cell(second), ratio_text(first, second)});
    }
    void add_bytes(std::string title, std::optional<double> first, std::optional<double> second) {
        add(std::move(title), first, second, [](double value) { return base::format_bytes(value); });
    }
    void add_rate(std::string title, std::optional<double> first, std::optional<double> second) {
        add(std::move(title), first, second, [](double value) { return base::format_megabytes(value); });
    }
    void add_time(std::string title, std::optional<base::nanoseconds> first, std::optional<base::nanoseconds> second) {
        const auto seconds = [](const std::optional<base::nanoseconds>& span) {
            return span ? std::optional(base::in_seconds(*span)) : std::nullopt;
        };
        add(std::move(title), seconds(first), seconds(second),
            [](double value) { return format_length(base::nanoseconds(std::llround(value * 1e9))); });
    }
    void add_count(std::string title, std::optional<double> first, std::optional<double> second) {
        add(std::move(title), first, second, [](double value) { return base::format_count(value); });
    }

    table take() { return std::move(made_); }

private:
    table made_;
    std::optional<std::string> drive_;
};

template <double run::distribution::* Which>
std::optional<double> of_windows(const run::direction_summary& sum) {
    if (!sum.windows) return std::nullopt;
    return (*sum.windows).*Which;
}

table copy_comparison(const run::summary& first, const run::summary& second) {
    const run::drive_summary &one = *first.copied(), &other = *second.copied();
    const run::direction_summary &slow = one.read, &fast = other.read;
    const auto bytes = [](const run::direction_summary& sum) { return static_cast<double>(sum.done.bytes); };
    comparison rows({{"", true}});
    rows.add_time("time", first.copy()->phase.length(), second.copy()->phase.length());
    rows.add_bytes("bytes", bytes(slow), bytes(fast));
    rows.add_rate("MB/s, mean of windows", of_windows<&run::distribution::mean>(slow),
                  of_windows<&run::distribution::mean>(fast));
    rows.add_rate("MB/s, median", of_windows<&run::distribution::median>(slow),
                  of_windows<&run::distribution::median>(fast));
    rows.add_rate("MB/s, p10", of_windows<&run::distribution::p10>(slow), of_windows<&run::distribution::p10>(fast));
    rows.add_rate("MB/s, p90", of_windows<&run::distribution::p90>(slow), of_windows<&run::distribution::p90>(fast));
    rows.add_rate("MB/s, max", of_windows<&run::distribution::most>(slow), of_windows<&run::distribution::most>(fast));
    rows.add_count("IOPS", slow.operations_per_second, fast.operations_per_second);
    rows.add_bytes("size of a read", slow.mean_bytes, fast.mean_bytes);
    rows.add("latency of a read", slow.mean_latency_seconds, fast.mean_latency_seconds,
             [](double value) { return base::format_latency(value); });
    for (std::size_t i = 0; i < share_names.size(); ++i) {
        rows.add_time(fmt::format("time to {}", share_names[i]), slow.reached[i], fast.reached[i]);
    }
    rows.add_count("stalls", static_cast<double>(one.stall_count()), static_cast<double>(other.stall_count()));
    rows.add_time("lost to stalls", one.lost(), other.lost());
    rows.add_rate("MB/s without the stalls", one.bytes_per_second_without_stalls,
                  other.bytes_per_second_without_stalls);
    rows.add("QEMU's CPU, % of a core", first.copy()->cpu_percent, second.copy()->cpu_percent,
             [](double value) { return fmt::format("{:.0f}", value); });
    return rows.take();
}

const run::drive_summary* find(const run::phase_summary& part, const std::string& drive) {
    for (const run::drive_summary& each : part.drives) {
        if (each.drive == drive) return &each;
    }
    return nullptr;
}

/// The drives of both, those of the first run before others.
std::vector<std::string> drives_of(const run::phase_summary& first, const run::phase_summary& second) {
    std::vector<std::string> names;
    for (const run::phase_summary* part : {&first, &second}) {
        for (const run::drive_summary& each : part->drives) {
            if (std::find(names.begin(), names.end(), each.drive) == names.end()) names.push_back(each.drive);
        }
    }
    return names;
}

table whole_comparison(const run::phase_summary& first, const run::phase_summary& second) {
    comparison rows({{"drive", true}, {"", true}});
    rows.of("");
    rows.add_time("time", first.phase.length(), second.phase.length());
    for (const std::string& drive : drives_of(first, second)) {
        rows.of(drive);
        const run::drive_summary *one = find(first, drive), *other = find(second, drive);
        const auto of = [&](const auto& figure) {
            return std::pair(one == nullptr ? std::optional<double>() : figure(*one),
                             other == nullptr ? std::optional<double>() : figure(*other));
        };
        const auto bytes_read =
            of([](const run::drive_summary& sum) { return std::optional(static_cast<double>(sum.read.done.bytes)); });
        const auto bytes_written =
            of([](const run::drive_summary& sum) { return std::optional(static_cast<double>(sum.write.done.bytes)); });
        const auto lost = of([](const run::drive_summary& sum) { return std::optional(base::in_seconds(sum.lost())); });
        if (bytes_read.first.value_or(0) + bytes_read.second.value_or(0) > 0) {
            rows.add_bytes("read", bytes_read.first, bytes_read.second);
            const auto rate = of([](const run::drive_summary& sum) { return sum.read.bytes_per_second; });
            rows.add_rate("read MB/s", rate.first, rate.second);
        }
        if (bytes_written.first.value_or(0) + bytes_written.second.value_or(0) > 0) {
            rows.add_bytes("written", bytes_written.first, bytes_written.second);
            const auto rate = of([](const run::drive_summary& sum) { return sum.write.bytes_per_second; });
            rows.add_rate("written MB/s", rate.first, rate.second);
        }
        if (lost.first.value_or(0) + lost.second.value_or(0) > 0) {
            rows.add("lost to stalls", lost.first, lost.second,
                     [](double value) { return format_length(base::nanoseconds(std::llround(value * 1e9))); });
        }
    }
    rows.of("");
    rows.add("QEMU's CPU, % of a core", first.cpu_percent, second.cpu_percent,
             [](double value) { return fmt::format("{:.0f}", value); });
    return rows.take();
}

std::string times_text(double ratio) {
    return ratio < 100 ? fmt::format("{:.1f}", ratio) : fmt::format("{:.0f}", ratio);
}

std::string verdict(const run::summary& first, const run::summary& second) {
    const std::optional<double> ratio = run::speed_ratio(first, second);
    if (!ratio || !(*ratio > 0)) {
        const bool has_first = first.copied() != nullptr, has_second = second.copied() != nullptr;
        if (has_first && has_second) return "The copies cannot be compared: one of them moved nothing.";
        return fmt::format("The copies cannot be compared: {} has none.", has_second  ? "the first run"
                                                                          : has_first ? "the second run"
                                                                                      : "either run");
    }
    const std::string slow = base::format_megabytes(first.copied()->read.windows->mean);
    const std::string fast = base::format_megabytes(second.copied()->read.windows->mean);
    const std::string windows = fmt::format("means of windows of {}", base::format_duration(second.window));
    if (*ratio < 1) {
        return fmt::format("The first run copied {} times as fast as the second: {} against {} MB/s ({}).",
                           times_text(1 / *ratio), slow, fast, windows);
    }
    return fmt::format("The second run copied {} times as fast as the first: {} against {} MB/s ({}).",
                       times_text(*ratio), fast, slow, windows);
}

}  // namespace

std::string format_elapsed(base::nanoseconds elapsed) {
    const std::int64_t tenths = std::llround(std::abs(base::in_seconds(elapsed)) * 10);
    const std::string_view sign = elapsed < base::nanoseconds{} && tenths > 0 ? "-" : "";
    const std::int64_t hours = tenths / 36000, minutes = tenths / 600 % 60, rest = tenths % 600;
    if (hours > 0) return fmt::format("{}{}:{:02}:{:02}.{}", sign, hours, minutes, rest / 10, rest % 10);
    return fmt::format("{}{}:{:02}.{}", sign, minutes, rest / 10, rest % 10);
}

document document_of(const run::digest& of, const run::summary& sum) {
    document made{{or_unknown(of.info.path), {facts_of(of)}}, copy_section(sum), whole_section(sum)};
    append_story(made, of, sum, "");
    return made;
}

document document_of(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum) {
    section head{fmt::format("{} against {}", or_unknown(second.info.path), or_unknown(first.info.path)),
                 {paragraph{verdict(first_sum, second_sum)}}};
    document made{std::move(head)};
    if (first_sum.copied() != nullptr && second_sum.copied() != nullptr) {
        made.push_back({"Copy",
                        {paragraph{fmt::format("From {} in the first run, from {} in the second.",
                                               first_sum.copy()->phase.drive, second_sum.copy()->phase.drive)},
                         copy_comparison(first_sum, second_sum)}});
    }
    made.push_back({"Whole run", {whole_comparison(first_sum.whole(), second_sum.whole())}});
    for (const bool is_first : {true, false}) {
        const run::digest& of = is_first ? first : second;
        const std::string prefix = is_first ? "First run: " : "Second run: ";
        made.push_back({prefix + or_unknown(of.info.path), {facts_of(of)}});
        append_story(made, of, is_first ? first_sum : second_sum, prefix);
    }
    return made;
}

std::string run_text(const run::digest& of, const run::summary& sum, std::size_t width) {
    return document_text(document_of(of, sum), width);
}

std::string run_text(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum, std::size_t width) {
    return document_text(document_of(first, first_sum, second, second_sum), width);
}

std::string run_markdown(const run::digest& of, const run::summary& sum) {
    return document_markdown(document_of(of, sum));
}

std::string run_markdown(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                         const run::summary& second_sum) {
    return document_markdown(document_of(first, first_sum, second, second_sum));
}

}  // namespace qmpwatch::report
