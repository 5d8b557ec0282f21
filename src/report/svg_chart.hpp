// Charts as SVG that needs no script: they fit any width, their style is that of page_style.hpp, and what they show is
// said on hover and to screen readers. Values that are no number are left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

/// A step of two curves, one above and one below the axis. Positions are in the unit of the horizontal axis.
struct chart_step {
    double begin = 0, end = 0;
    double above = 0, below = 0;
};

/// Something that lasted: a stall. `css` is a class of the style, the name of its cause.
struct chart_band {
    double begin = 0, end = 0;
    std::string_view css;
    std::string title;  ///< said on hover; plain text
    std::size_t count = 1;
    double sum = 0;     ///< of their lengths
};

/// Something that happened. `css` is marker or empty.
struct chart_mark {
    double at = 0;
    std::string_view css;
    std::string title;
};

enum class time_labels {
    since_begin,  ///< 1:30 is a minute and a half after zero
    before_now,   ///< -1:30 is a minute and a half ago
};

/// Two curves over time: reads above the axis, writes below it.
struct mirrored_chart {
    std::string id;           ///< unique in the page, letters and digits
    std::string title;        ///< what it shows, for those who do not see it; plain text as all titles
    std::string caption;      ///< what stands above it: what its surroundings do not say yet
    std::string_view unit;    ///< MB/s, IOPS
    double begin = 0, end = 0;  ///< seconds
    time_labels labels = time_labels::since_begin;
    std::vector<chart_step> steps;  ///< side by side, in the order of time
    std::vector<chart_band> bands;
    std::vector<chart_mark> marks;
    std::size_t most_cells = 120;  ///< parts that say on hover what was there
};

/// A figure with a caption.
std::string figure(const mirrored_chart& chart);

/// One row of a timeline.
struct timeline_row {
    std::string name;
    std::vector<chart_band> busy;  ///< only begin and end count
    std::vector<chart_band> bands;
};

struct timeline_chart {
    std::string id;
    std::string title;
    double begin = 0, end = 0;  ///< seconds
    std::vector<timeline_row> rows;
    std::vector<chart_mark> marks;
};

std::string figure(const timeline_chart& chart);

/// Two curves over bytes.
struct overlay_chart {
    struct curve {
        std::string name;
        std::string_view css;           ///< first, second
        std::vector<chart_step> steps;  ///< positions in bytes; only `above` counts
        std::vector<chart_mark> stalls;
    };
    std::string id;
    std::string title;
    std::string_view unit;
    double end = 0;  ///< bytes
    std::vector<curve> curves;
};

std::string figure(const overlay_chart& chart);

/// Ratios with their limits against the ratio of no change, 1, and the one that is tolerated; on a logarithmic axis.
struct interval_chart {
    struct row {
        std::string name;
        std::string_view css;  ///< good, wait, bad
        double value = 1, lower = 1, upper = 1;  ///< 0 and infinity too
    };
    std::string id;
    std::string title;
    double tolerated = 1;  ///< above 0, at most 1: less is marked as bad
    std::vector<row> rows;
};

std::string figure(const interval_chart& chart);

/// The patterns behind the classes of bands. Once in a page, before its charts.
std::string hatches();

/// A sample of each of these classes with its name in words, for a legend.
std::string legend(const std::vector<std::string_view>& css);

/// The distance of about `count` round marks between 0 and `most`: 1, 2 or 5 times a power of ten. 1 for nothing.
double round_step(double most, int count);

/// The same for seconds: 1, 2, 5, 10, 15, 30 s, then minutes, hours and days.
double time_step(double span, int count);

/// 0:05, 1:30, -1:30, 1:00:00, 2d 3:00: a time on the axis.
std::string time_label(double seconds);

/// Bands that begin less than `least` after another become one with it, which looks like its longest and says how many
/// it holds and how much of it they took. They must be in the order of their begins.
std::vector<chart_band> merged(std::vector<chart_band> bands, double least);

/// The same for marks: their titles stand one below the other, a few of them.
std::vector<chart_mark> merged(std::vector<chart_mark> marks, double least);

}  // namespace qmpwatch::report
