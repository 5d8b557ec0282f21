#include "report/run_charts.hpp"

#include "base/duration.hpp"
#include "report/activity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qmpwatch::report {

namespace {

constexpr std::size_t most_bins = 600;
constexpr std::size_t most_passage_bins = 250;
constexpr std::size_t most_rows = 40;
constexpr std::size_t longest_detail = 120;

std::vector<activity_point> points_of(const run::drive_digest& drive) {
    std::vector<activity_point> points;
    points.reserve(drive.moved.points().size());
    for (const run::progress::point& each : drive.moved.points()) {
        points.push_back(
            {each.elapsed, each.read.bytes, each.read.operations, each.write.bytes, each.write.operations});
    }
    return points;
}

std::string title_of(const run::stall_digest& one) {
    std::string title = in_words(one.cause);
    // The other causes are measured, not inferred.
    if (one.cause == stall::cause::lost_completion) title += fmt::format(", {}", name(one.level));
    title += fmt::format(": {} from {} on", base::format_length(one.length), time_label(base::in_seconds(one.start)));
    if (!one.pattern.empty()) title += '\n' + one.pattern;
    return title;
}

std::vector<chart_band> bands_of(const run::digest& of, const std::string& drive) {
    std::vector<chart_band> bands;
    for (const run::stall_digest& each : of.stalls) {
        if (each.drive != drive) continue;
        const double begin = base::in_seconds(each.start);
        const double length = base::in_seconds(each.length);
        bands.push_back({begin, begin + length, name(each.cause), title_of(each), 1, length});
    }
    return bands;
}

std::vector<chart_mark> marks_of(const run::digest& of) {
    std::vector<chart_mark> marks;
    for (const run::mark& each : of.marks) {
        const std::string when = time_label(base::in_seconds(each.elapsed));
        std::string title = when + ' ' + each.text;
        if (!each.detail.empty()) title += ": " + each.detail.substr(0, longest_detail);
        marks.push_back({base::in_seconds(each.elapsed), each.what == run::mark::kind::marker ? "marker" : "", title});
    }
    return marks;
}

const run::drive_digest* find(const run::digest& of, const std::string& drive) {
    const auto found =
        std::find_if(of.drives.begin(), of.drives.end(), [&](const auto& each) { return each.drive == drive; });
    return found == of.drives.end() ? nullptr : &*found;
}

/// How fast each part of the bytes was read that were read in that time: steps of equal bytes, in MB/s.
std::vector<chart_step> passage(const run::progress& moved, base::nanoseconds begin, base::nanoseconds end) {
    std::vector<chart_step> steps;
    const double zero = moved.bytes_at(begin, run::direction::read);
    const double total = moved.bytes_at(end, run::direction::read) - zero;
    if (!(total > 0)) return steps;
    double done = 0;
    base::nanoseconds when = begin;
    for (std::size_t number = 1; number <= most_passage_bins; ++number) {
        const double bytes = total * static_cast<double>(number) / static_cast<double>(most_passage_bins);
        const base::nanoseconds then = std::min(end, moved.reached(zero + bytes, run::direction::read).value_or(end));
        // Bytes without time would be infinitely fast: the step goes on.
        if (then <= when) continue;
        steps.push_back({done, bytes, (bytes - done) / base::in_seconds(then - when) / 1e6, 0});
        done = bytes;
        when = then;
    }
    return steps;
}

}  // namespace

std::string in_words(stall::cause which) {
    std::string words(name(which));
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

std::string drive_charts(const run::digest& of, const run::drive_digest& drive, std::string_view id,
                         std::size_t charts) {
    const std::size_t share = std::max<std::size_t>(1, charts / 4);  // four drives may have all they want
    const std::vector<activity_bin> bins =
        binned(points_of(drive), of.info.about.poll, std::max<std::size_t>(60, most_bins / share));

    mirrored_chart chart;
    chart.begin = 0;
    chart.end = base::in_seconds(of.watched());
    chart.bands = bands_of(of, drive.drive);
    chart.marks = marks_of(of);
    chart.most_cells = std::max<std::size_t>(12, chart.most_cells / share);
    mirrored_chart operations = chart;
    for (const activity_bin& each : bins) {
        const double begin = base::in_seconds(each.begin), end = base::in_seconds(each.end);
        chart.steps.push_back({begin, end, each.read_bytes_per_second / 1e6, each.written_bytes_per_second / 1e6});
        operations.steps.push_back({begin, end, each.reads_per_second, each.writes_per_second});
    }
    chart.id = fmt::format("{}-bytes", id);
    chart.title = "MB/s of " + drive.drive;
    chart.caption = chart.unit = "MB/s";
    operations.id = fmt::format("{}-operations", id);
    operations.title = "IOPS of " + drive.drive;
    operations.caption = operations.unit = "IOPS";
    return figure(chart) + figure(operations);
}

std::string stall_timeline(const run::digest& of, const run::summary& sum, std::string_view id) {
    timeline_chart chart;
    chart.id = id;
    chart.title = "When the drives were busy, and when they were stalled";
    chart.end = base::in_seconds(of.watched());
    chart.marks = marks_of(of);
    if (const auto& copy = sum.phases.copy) {
        chart.rows.push_back({"the copy from " + copy->drive,
                              {{base::in_seconds(copy->begin), base::in_seconds(copy->end), "", "", 1, 0}},
                              {}});
    }
    for (const run::drive_digest& drive : of.drives) {
        timeline_row row;
        row.name = drive.drive;
        for (const activity_bin& each : binned(points_of(drive), of.info.about.poll, most_bins)) {
            if (each.is_busy) {
                row.busy.push_back({base::in_seconds(each.begin), base::in_seconds(each.end), "", "", 1, 0});
            }
        }
        row.bands = bands_of(of, drive.drive);
        if (row.busy.empty() && row.bands.empty()) continue;
        chart.rows.push_back(std::move(row));
    }
    if (chart.rows.empty()) return {};
    if (chart.rows.size() > most_rows) {
        // The stalled ones are what one looks for.
        std::stable_sort(chart.rows.begin(), chart.rows.end(),
                         [](const auto& one, const auto& other) { return one.bands.size() > other.bands.size(); });
        chart.title += fmt::format(" ({} of {} drives)", most_rows, chart.rows.size());
        chart.rows.resize(most_rows);
    }
    return figure(chart);
}

std::vector<std::string_view> causes_of(const std::vector<const run::digest*>& runs) {
    std::vector<std::string_view> found;
    for (const stall::cause which : stall::causes) {
        const bool occurs = std::any_of(runs.begin(), runs.end(), [which](const run::digest* of) {
            return std::any_of(of->stalls.begin(), of->stalls.end(),
                               [which](const auto& each) { return each.cause == which; });
        });
        if (occurs) found.push_back(name(which));
    }
    return found;
}

std::string copy_chart(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                       const run::summary& second_sum) {
    overlay_chart chart;
    chart.id = "copies";
    chart.title = "MB/s over the bytes that had been copied; below it the stalls of each run";
    chart.unit = "MB/s";
    const auto add = [&](const run::digest& of, const run::summary& sum, std::string_view css) {
        const std::optional<run::phase>& copy = sum.phases.copy;
        const run::drive_digest* const drive = copy ? find(of, copy->drive) : nullptr;
        if (drive == nullptr) return;
        const run::progress& moved = drive->moved;
        const double zero = moved.bytes_at(copy->begin, run::direction::read);
        overlay_chart::curve curve;
        curve.name = fmt::format("{} run", css);
        curve.css = css;
        curve.steps = passage(moved, copy->begin, copy->end);
        if (!curve.steps.empty()) chart.end = std::max(chart.end, curve.steps.back().end);
        for (const run::stall_digest& each : of.stalls) {
            if (each.drive != copy->drive || each.start < copy->begin || each.start >= copy->end) continue;
            curve.stalls.push_back({moved.bytes_at(each.start, run::direction::read) - zero, "", title_of(each)});
        }
        chart.curves.push_back(std::move(curve));
    };
    add(first, first_sum, "first");
    add(second, second_sum, "second");
    if (chart.curves.size() < 2 || !(chart.end > 0)) return {};
    return figure(chart);
}

}  // namespace qmpwatch::report
