// The axes stand in an outer SVG whose places are percentages and pixels, so that text keeps its size on every screen;
// the curves in an inner one that is stretched.
#include "report/svg_chart.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace qmpwatch::report {

namespace {

// The inner SVG: so many places next to each other, and on top of each other.
constexpr double inner_width = 4000;
constexpr double inner_height = 1000;
// Pixels of the outer one.
constexpr double plot_top = 6;
constexpr double plot_height = 150;
constexpr double label_height = 20;
// Parts of the chart's width below which two things cannot be told apart.
constexpr double least_apart = 1.0 / 450;
constexpr std::size_t most_titles = 4;

std::string plural(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

double finite(double value) { return std::isfinite(value) ? value : 0; }

/// A number for an attribute, without zeros at its end.
std::string number(double value) {
    std::string text = fmt::format("{:.2f}", finite(value));
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::llround(finite(value))); }

/// The horizontal axis.
struct extent {
    double begin = 0, end = 0;

    double share(double at) const {
        if (!(end > begin)) return 0;
        return std::clamp(finite((at - begin) / (end - begin)), 0.0, 1.0);
    }
    std::string percent(double at) const { return number(share(at) * 100) + '%'; }
    double least() const { return (end - begin) * least_apart; }
};

extent extent_of(double begin, double end) {
    begin = finite(begin);
    end = finite(end);
    return {begin, std::max(end, begin + 1e-3)};
}

/// The vertical axis, the same scale up and down.
struct scale {
    double step = 1, top = 1, bottom = 0;

    double pixel(double value) const { return plot_top + (top - value) / (top + bottom) * plot_height; }
    std::int64_t inner(double value) const {
        return rounded(std::clamp((top - finite(value)) / (top + bottom), 0.0, 1.0) * inner_height);
    }
};

scale scale_of(const std::vector<chart_step>& steps) {
    double above = 0, below = 0;
    for (const chart_step& each : steps) {
        above = std::max(above, finite(each.above));
        below = std::max(below, finite(each.below));
    }
    scale found;
    found.step = round_step(above + below, 4);
    const auto marks = [&](double value) { return std::ceil(value / found.step - 1e-9) * found.step; };
    found.top = marks(above);
    found.bottom = marks(below);
    if (found.top + found.bottom <= 0) found.top = found.step;
    return found;
}

/// Lines of a title are kept: escape_html takes control characters for an attack.
std::string lines(std::string_view title) {
    std::string out;
    while (true) {
        const std::size_t end = title.find('\n');
        out += escape_html(title.substr(0, end));
        if (end == title.npos) return out;
        out += '\n';
        title.remove_prefix(end + 1);
    }
}

/// The beginning of an SVG that a screen reader takes for one picture.
std::string opened(std::string_view id, std::string_view title, std::string_view description, double height) {
    return fmt::format("<svg role=\"img\" aria-labelledby=\"{0}-t {0}-d\" width=\"100%\" height=\"{1}\">"
                       "<title id=\"{0}-t\">{2}</title><desc id=\"{0}-d\">{3}</desc>\n",
                       escape_html(id), number(height), escape_html(title), escape_html(description));
}

/// A label below the plot. The outermost ones must not stick out of it.
void add_label(std::string& out, const extent& axis, double at, double y, std::string_view text, bool is_minor) {
    const double share = axis.share(at);
    const std::string_view anchor = share < 0.02 ? "start" : share > 0.98 ? "end" : "middle";
    base::append(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>", axis.percent(at), number(y), anchor,
                 is_minor ? " class=\"minor\"" : "", escape_html(text));
}

/// Vertical lines and labels at round times. Every other one is left out on a narrow screen.
void add_time_axis(std::string& out, const extent& axis, time_labels labels, double top, double height) {
    const double step = time_step(axis.end - axis.begin, 9);
    const double first = std::ceil(axis.begin / step - 1e-9);
    for (int i = 0; i < 40; ++i) {
        const double number_of_step = first + i;
        const double at = number_of_step * step;
        if (at > axis.end + step * 1e-6) break;
        const bool is_minor = std::fmod(std::abs(number_of_step), 2) > 0.5;
        base::append(out, "<line class=\"grid{}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", is_minor ? " minor" : "",
                     axis.percent(at), axis.percent(at), number(top), number(top + height));
        const bool is_now = labels == time_labels::before_now && std::abs(at) < step / 2;
        add_label(out, axis, at, top + height + 14, is_now ? "now" : time_label(at), is_minor);
    }
    out += '\n';
}

std::string axis_number(double value, double step) {
    if (value == 0) return "0";
    if (value >= 10'000) return base::format_count(value);
    const int digits = step >= 1 ? 0 : std::min(6, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return fmt::format("{:.{}f}", value, digits);
}

/// A round number of bytes: 2 GB rather than 2.00 GB.
std::string byte_label(double bytes) {
    if (bytes <= 0) return "0";
    std::string text = base::format_bytes(bytes);
    const std::size_t blank = text.find(' ');
    std::string digits = text.substr(0, blank);
    if (digits.find('.') != digits.npos) {
        digits.erase(digits.find_last_not_of('0') + 1);
        if (digits.back() == '.') digits.pop_back();
    }
    return digits + text.substr(std::min(blank, text.size()));
}

void add_value_axis(std::string& out, const scale& values) {
    const auto add = [&](double value) {
        const double y = values.pixel(value);
        const bool is_zero = std::abs(value) < values.step / 2;
        base::append(out,
                     "<line class=\"{}\" x1=\"0\" x2=\"100%\" y1=\"{}\" y2=\"{}\"/>"
                     "<text x=\"-7\" y=\"{}\" text-anchor=\"end\">{}</text>",
                     is_zero ? "axis" : "grid", number(y), number(y), number(y + 4),
                     escape_html(axis_number(is_zero ? 0 : std::abs(value), values.step)));
    };
    for (double value = values.step; value < values.top + values.step / 2; value += values.step) add(value);
    for (double value = values.step; value < values.bottom + values.step / 2; value += values.step) add(-value);
    add(0);
    out += '\n';
}

/// A curve of steps as a path in the inner SVG; an area reaches down to the axis.
std::string path(const std::vector<chart_step>& steps, const extent& axis, const scale& values,
                 double chart_step::* which, double sign, bool is_area) {
    std::string out;
    const std::int64_t zero = values.inner(0);
    std::int64_t at_x = -1, at_y = zero;
    bool is_open = false;
    const auto close = [&] {
        if (is_open && is_area && at_y != zero) base::append(out, "V{}", zero);
        is_open = false;
    };
    for (const chart_step& each : steps) {
        if (!std::isfinite(each.begin) || !std::isfinite(each.end) || each.end < axis.begin || each.begin > axis.end) {
            continue;
        }
        const std::int64_t begin = rounded(axis.share(each.begin) * inner_width);
        const std::int64_t end = rounded(axis.share(each.end) * inner_width);
        const std::int64_t y = values.inner(sign * each.*which);
        if (!is_open || begin > at_x + 1) {
            close();
            at_y = is_area ? zero : y;
            base::append(out, "M{} {}", begin, at_y);
            is_open = true;
        }
        if (y != at_y) base::append(out, "V{}", y);
        base::append(out, "H{}", end);
        at_x = end;
        at_y = y;
    }
    close();
    return out;
}

std::string inner_svg(double top, double height) {
    return fmt::format("<svg x=\"0\" y=\"{}\" width=\"100%\" height=\"{}\" viewBox=\"0 0 {} {}\" "
                       "preserveAspectRatio=\"none\">",
                       number(top), number(height), number(inner_width), number(inner_height));
}

/// What is closer than `least` to what is before it becomes one with it.
std::vector<chart_band> joined(const std::vector<chart_band>& busy, double least) {
    std::vector<chart_band> out;
    for (const chart_band& each : busy) {
        if (out.empty() || each.begin - out.back().end >= least) {
            out.push_back(each);
        } else {
            out.back().end = std::max(out.back().end, each.end);
        }
    }
    return out;
}

void add_bands(std::string& out, const std::vector<chart_band>& bands, const extent& axis, double top, double height) {
    for (const chart_band& each : merged(bands, axis.least())) {
        const double begin = axis.share(each.begin);
        base::append(out,
                     "<rect class=\"band {}\" x=\"{}%\" width=\"{}%\" y=\"{}\" height=\"{}\"><title>{}</title></rect>",
                     escape_html(each.css), number(begin * 100), number((axis.share(each.end) - begin) * 100),
                     number(top), number(height), lines(each.title));
    }
    if (!bands.empty()) out += '\n';
}

void add_marks(std::string& out, const std::vector<chart_mark>& marks, const extent& axis, double top, double height) {
    for (const chart_mark& each : merged(marks, axis.least() * 2)) {
        const std::string x = axis.percent(each.at);
        base::append(out, "<g><title>{}</title>", lines(each.title));
        for (const std::string_view css : {"mark", "reach"}) {  // a line of one pixel is hard to point at
            base::append(out, "<line class=\"{} {}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", css,
                         escape_html(each.css), x, x, number(top), number(top + height));
        }
        if (each.css == "marker") {
            base::append(out, "<circle class=\"flag\" cx=\"{}\" cy=\"{}\" r=\"3\"/>", x, number(top));
        }
        out += "</g>";
    }
    if (!marks.empty()) out += '\n';
}

/// Cells of several steps that say on hover what was there.
void add_cells(std::string& out, const mirrored_chart& chart, const extent& axis) {
    const std::size_t each = chart.steps.size() / std::max<std::size_t>(chart.most_cells, 1) + 1;
    for (std::size_t begin = 0; begin < chart.steps.size(); begin += each) {
        const std::size_t end = std::min(begin + each, chart.steps.size());
        double seconds = 0, above = 0, below = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const chart_step& step = chart.steps[i];
            const double span = finite(step.end - step.begin);
            seconds += span;
            above += span * finite(step.above);
            below += span * finite(step.below);
        }
        if (!(seconds > 0)) continue;
        const double from = axis.share(chart.steps[begin].begin);
        const double to = axis.share(chart.steps[end - 1].end);
        if (to <= from) continue;
        const auto value = [](double sum) { return escape_html(base::format_count(std::round(sum * 100) / 100)); };
        base::append(out,
                     "<rect class=\"cell\" x=\"{}%\" width=\"{}%\" y=\"{}\" height=\"{}\">"
                     "<title>{}: read {}, write {} {}</title></rect>",
                     number(from * 100), number((to - from) * 100), number(plot_top), number(plot_height),
                     time_label(chart.steps[begin].begin), value(above / seconds), value(below / seconds),
                     escape_html(chart.unit));
    }
    out += '\n';
}

/// The mean and the highest of a curve in words.
std::string in_words(const std::vector<chart_step>& steps, double chart_step::* which, std::string_view unit) {
    double most = 0, sum = 0, seconds = 0;
    for (const chart_step& each : steps) {
        most = std::max(most, finite(each.*which));
        sum += finite(each.*which) * finite(each.end - each.begin);
        seconds += finite(each.end - each.begin);
    }
    return fmt::format("{} {} on average, at most {}", base::format_count(seconds > 0 ? sum / seconds : 0), unit,
                       base::format_count(most));
}

std::string caption(std::string_view title, std::string_view more) {
    return fmt::format("<figcaption>{}{}</figcaption>\n", escape_html(title), more);
}

}  // namespace

double round_step(double most, int count) {
    if (!std::isfinite(most) || most <= 0 || count <= 0) return 1;
    const double raw = most / count;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power * (1 + 1e-9)) return factor * power;
    }
    return 10 * power;
}

double time_step(double span, int count) {
    static constexpr std::array steps{1.0,   2.0,   5.0,    10.0,   15.0,   30.0,    60.0,    120.0,   300.0,
                                      600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800.0, 21600.0, 43200.0, 86400.0};
    if (!std::isfinite(span) || count <= 0) return 1;
    for (const double each : steps) {
        if (span / each <= count) return each;
    }
    return 86400 * round_step(span / 86400, count);
}

std::string time_label(double seconds) {
    const std::int64_t whole = rounded(std::min(std::abs(finite(seconds)), 1e15));
    if (seconds < 0 && whole > 0) return "-" + time_label(-seconds);
    const std::int64_t days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60, rest = whole % 60;
    if (days > 0) return fmt::format("{}d {}:{:02}", days, hours, minutes);
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, rest);
    return fmt::format("{}:{:02}", minutes, rest);
}

std::vector<chart_band> merged(std::vector<chart_band> bands, double least) {
    std::vector<chart_band> out;
    double most = 0;  // the longest of those in the last
    for (chart_band& each : bands) {
        if (!std::isfinite(each.begin) || !std::isfinite(each.end)) continue;
        each.end = std::max(each.begin, each.end);
        if (each.sum <= 0) each.sum = each.end - each.begin;
        if (out.empty() || each.begin - out.back().begin >= least) {
            most = each.sum;
            out.push_back(std::move(each));
            continue;
        }
        chart_band& last = out.back();
        last.count += each.count;
        last.sum += each.sum;
        last.end = std::max(last.end, each.end);
        if (each.sum > most) {
            most = each.sum;
            last.css = each.css;
        }
        last.title = fmt::format("{} from {} to {} took {:.1f} s, the longest: {}", plural(last.count, "stall"),
                                 time_label(last.begin), time_label(last.end), last.sum, last.css);
    }
    return out;
}

std::vector<chart_mark> merged(std::vector<chart_mark> marks, double least) {
    std::erase_if(marks, [](const chart_mark& each) { return !std::isfinite(each.at); });
    std::vector<chart_mark> out;
    for (std::size_t begin = 0; begin < marks.size();) {
        std::size_t end = begin + 1;
        while (end < marks.size() && marks[end].at - marks[begin].at < least) ++end;
        chart_mark one = marks[begin];
        for (std::size_t i = begin + 1; i < std::min(end, begin + most_titles); ++i) {
            one.title += '\n' + marks[i].title;
            if (one.css.empty()) one.css = marks[i].css;
        }
        if (end > begin + most_titles) one.title += fmt::format("\nand {} more", end - begin - most_titles);
        out.push_back(std::move(one));
        begin = end;
    }
    return out;
}

std::string figure(const mirrored_chart& chart) {
    const extent axis = extent_of(chart.begin, chart.end);
    const scale values = scale_of(chart.steps);
    const bool has_writes = values.bottom > 0;
    std::string description = "Reads: " + in_words(chart.steps, &chart_step::above, chart.unit);
    if (has_writes) description += ". Writes: " + in_words(chart.steps, &chart_step::below, chart.unit);
    if (!chart.bands.empty()) description += ". Marked: " + plural(chart.bands.size(), "stall");

    std::string out = "<figure class=\"chart\">\n" +
                      caption(chart.caption, has_writes ? ", reads above the line, writes below" : ", reads");
    out += opened(chart.id, chart.title, description, plot_top + plot_height + label_height);
    add_time_axis(out, axis, chart.labels, plot_top, plot_height);
    add_value_axis(out, values);
    add_cells(out, chart, axis);
    add_bands(out, chart.bands, axis, plot_top, plot_height);
    out += inner_svg(plot_top, plot_height);
    base::append(out, "<path class=\"area read\" d=\"{}\"/>",
                 path(chart.steps, axis, values, &chart_step::above, 1, true));
    if (has_writes) {
        base::append(out, "<path class=\"area write\" d=\"{}\"/>",
                     path(chart.steps, axis, values, &chart_step::below, -1, true));
    }
    out += "</svg>\n";
    add_marks(out, chart.marks, axis, plot_top, plot_height);
    return out + "</svg>\n</figure>\n";
}

std::string figure(const timeline_chart& chart) {
    constexpr double name_height = 19, bar_height = 14, row_height = 38;
    const extent axis = extent_of(chart.begin, chart.end);
    const double height = row_height * static_cast<double>(chart.rows.size());
    std::size_t stalls = 0;
    for (const timeline_row& row : chart.rows) stalls += row.bands.size();

    std::string out = "<figure class=\"chart flush\">\n" + caption(chart.title, "");
    out += opened(chart.id, chart.title, plural(chart.rows.size(), "row") + ", " + plural(stalls, "stall"),
                  height + label_height);
    add_time_axis(out, axis, time_labels::since_begin, name_height, std::max(0.0, height - name_height));
    double top = 0;
    for (const timeline_row& row : chart.rows) {
        const double bar = top + name_height;
        base::append(out,
                     "<text class=\"name\" x=\"0\" y=\"{}\">{}</text>"
                     "<rect class=\"row\" x=\"0\" width=\"100%\" y=\"{}\" height=\"{}\"/>",
                     number(top + 14), escape_html(base::shorten(row.name, 48)), number(bar), number(bar_height));
        for (const chart_band& each : joined(row.busy, axis.least())) {
            const double begin = axis.share(each.begin);
            base::append(out, "<rect class=\"busy\" x=\"{}%\" width=\"{}%\" y=\"{}\" height=\"{}\"/>",
                         number(begin * 100), number((axis.share(each.end) - begin) * 100), number(bar),
                         number(bar_height));
        }
        add_bands(out, row.bands, axis, bar, bar_height);
        out += '\n';
        top += row_height;
    }
    add_marks(out, chart.marks, axis, name_height, std::max(0.0, height - name_height));
    return out + "</svg>\n</figure>\n";
}

std::string figure(const overlay_chart& chart) {
    constexpr double rug_height = 9, rug_gap = 4;
    const extent axis = extent_of(0, chart.end);
    std::vector<chart_step> all;
    std::string description;
    for (const overlay_chart::curve& each : chart.curves) {
        all.insert(all.end(), each.steps.begin(), each.steps.end());
        double most = 0;
        for (const chart_step& step : each.steps) most = std::max(most, finite(step.above));
        description += fmt::format("{}{}: at most {} {}, {}", description.empty() ? "" : ". ", each.name,
                                   base::format_count(most), chart.unit, plural(each.stalls.size(), "stall"));
    }
    for (chart_step& each : all) each.below = 0;
    const scale values = scale_of(all);
    const double rugs = static_cast<double>(chart.curves.size()) * (rug_height + rug_gap);

    std::string out = "<figure class=\"chart\">\n" + caption(chart.title, "");
    out += opened(chart.id, chart.title, description, plot_top + plot_height + rugs + label_height);
    const double step = round_step(axis.end, 8);
    int index = 0;
    for (double at = 0; at <= axis.end + step * 1e-6; at += step, ++index) {
        const bool is_minor = index % 2 == 1;
        base::append(out, "<line class=\"grid{}\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", is_minor ? " minor" : "",
                     axis.percent(at), axis.percent(at), number(plot_top), number(plot_top + plot_height));
        add_label(out, axis, at, plot_top + plot_height + rugs + 14, byte_label(at), is_minor);
    }
    add_value_axis(out, values);
    out += inner_svg(plot_top, plot_height);
    for (const overlay_chart::curve& each : chart.curves) {
        base::append(out, "<path class=\"curve {}\" d=\"{}\"/>", escape_html(each.css),
                     path(each.steps, axis, values, &chart_step::above, 1, false));
    }
    out += "</svg>\n";
    double top = plot_top + plot_height + rug_gap;
    for (const overlay_chart::curve& each : chart.curves) {
        base::append(out, "<rect class=\"row\" x=\"0\" width=\"100%\" y=\"{}\" height=\"{}\"/>", number(top),
                     number(rug_height));
        for (const chart_mark& stall : merged(each.stalls, axis.least() / 2)) {
            base::append(out,
                         "<g><title>{0}</title><line class=\"{1}\" x1=\"{2}\" x2=\"{2}\" y1=\"{3}\" y2=\"{4}\"/>"
                         "<line class=\"reach\" x1=\"{2}\" x2=\"{2}\" y1=\"{3}\" y2=\"{4}\"/></g>",
                         lines(stall.title), escape_html(each.css), axis.percent(stall.at), number(top),
                         number(top + rug_height));
        }
        out += '\n';
        top += rug_height + rug_gap;
    }
    return out + "</svg>\n</figure>\n";
}

std::string figure(const interval_chart& chart) {
    constexpr double top = 20, row_height = 40, label_baseline = 15, line_at = 27, dot = 5;
    static constexpr double farthest = 3.4;  // a factor of thirty: what is beyond ends at the edge
    const auto place = [](double ratio) {
        return ratio > 0 ? std::clamp(std::log(ratio), -farthest, farthest) : -farthest;
    };
    const double tolerated = place(chart.tolerated);
    double begin = tolerated, end = 0;
    std::string description;
    for (const interval_chart::row& each : chart.rows) {
        begin = std::min(begin, place(each.lower));
        end = std::max(end, place(each.upper));
        base::append(description, "{}{}: {:.2f}, from {:.2f} to {:.2f}", description.empty() ? "" : ". ", each.name,
                     finite(each.value), finite(each.lower), finite(each.upper));
    }
    const double margin = 0.05 * (end - begin) + 0.03;
    // The labels of the two borders need room on their outer sides, on narrow screens too.
    end = std::max(end + margin, 0.4 * (margin - begin));
    begin = std::min(begin - margin, tolerated - 0.34 * (end - tolerated));
    const extent axis = extent_of(begin, end);
    const double height = static_cast<double>(chart.rows.size()) * row_height;

    std::string out = "<figure class=\"chart flush\">\n" + caption(chart.title, "");
    out += opened(chart.id, chart.title, description, top + height + label_height);
    base::append(out, "<rect class=\"beyond\" x=\"0\" width=\"{}\" y=\"{}\" height=\"{}\"/>", axis.percent(tolerated),
                 number(top), number(height));
    static constexpr std::array ticks{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,  1.1,
                                      1.2,  1.3, 1.5, 1.7, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0};
    constexpr double least_distance = 0.09;  // parts of the width, between two labels
    double last = -1;
    bool is_minor = false;
    for (const double tick : ticks) {
        const double at = std::log(tick);
        if (at <= axis.begin || at >= axis.end || axis.share(at) - last < least_distance) continue;
        last = axis.share(at);
        base::append(out, "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>", axis.percent(at),
                     number(top), number(top + height));
        add_label(out, axis, at, top + height + 14, number(tick), is_minor);
        is_minor = !is_minor;
    }
    // Their labels lie on either side of them, so that they never meet.
    const auto add_border = [&](double at, std::string_view anchor, int shift, std::string_view text) {
        base::append(out,
                     "<line class=\"axis\" x1=\"{0}\" x2=\"{0}\" y1=\"6\" y2=\"{1}\"/><text x=\"{0}\" dx=\"{2}\" "
                     "y=\"14\" text-anchor=\"{3}\">{4}</text>\n",
                     axis.percent(at), number(top + height), shift, anchor, text);
    };
    add_border(0, "start", 5, "no change");
    if (tolerated < 0) add_border(tolerated, "end", -5, fmt::format("{} tolerated", number(chart.tolerated)));
    double y = top;
    for (const interval_chart::row& each : chart.rows) {
        base::append(out,
                     "<g class=\"{0}\"><text class=\"name\" x=\"5\" y=\"{1}\">{2}</text>"
                     "<line class=\"interval\" x1=\"{3}\" x2=\"{4}\" y1=\"{5}\" y2=\"{5}\"/>"
                     "<circle class=\"point\" cx=\"{6}\" cy=\"{5}\" r=\"{7}\"/></g>\n",
                     escape_html(each.css), number(y + label_baseline), escape_html(each.name),
                     axis.percent(place(each.lower)), axis.percent(place(each.upper)), number(y + line_at),
                     axis.percent(place(each.value)), number(dot));
        y += row_height;
    }
    return out + "</svg>\n</figure>\n";
}

std::string hatches() {
    struct hatch {
        std::string_view css, lines;
    };
    // Patterns besides colors, for those who do not see the colors, and for paper.
    static constexpr std::array all{hatch{"lost_completion", ""},          hatch{"slow_backend", "M0 8L8 0"},
                                    hatch{"vm_paused", "M0 4H8"},          hatch{"monitor_blocked", "M4 0V8"},
                                    hatch{"io_error", "M0 0L8 8M0 8L8 0"}, hatch{"throttled", "M0 0L8 8"},
                                    hatch{"unknown", "M4 3V5M3 4H5"}};
    std::string out = "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>";
    for (const hatch& each : all) {
        base::append(out,
                     "<pattern id=\"hatch-{0}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
                     "<rect width=\"8\" height=\"8\" style=\"fill:var(--{0});fill-opacity:.2\"/>"
                     "<path d=\"{1}\" style=\"fill:none;stroke:var(--{0});stroke-opacity:.5\"/></pattern>",
                     each.css, each.lines);
    }
    return out + "</defs></svg>\n";
}

std::string legend(const std::vector<std::string_view>& css) {
    std::string out = "<p class=\"legend\">";
    for (const std::string_view each : css) {
        std::string words(each);
        std::replace(words.begin(), words.end(), '_', ' ');
        base::append(out,
                     "<span><svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"band {}\" width=\"100%\" "
                     "height=\"100%\"/></svg>{}</span>",
                     escape_html(each), escape_html(words));
    }
    return out + "</p>\n";
}

}  // namespace qmpwatch::report
