#include "report/svg_chart.hpp"

#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace qmpwatch::report {

namespace {

using support::count;
using support::has;
using support::markup_error;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

mirrored_chart minute() {
    mirrored_chart chart;
    chart.id = "a";
    chart.title = "MB/s of system";
    chart.caption = "MB/s";
    chart.unit = "MB/s";
    chart.end = 60;
    for (int i = 0; i < 60; ++i) chart.steps.push_back({i + 0.0, i + 1.0, i < 30 ? 80.0 : 0.0, i < 10 ? 20.0 : 0.0});
    return chart;
}

}  // namespace

TEST_CASE("round marks") {
    CHECK(round_step(100, 4) == doctest::Approx(50));
    CHECK(round_step(80, 4) == doctest::Approx(20));
    CHECK(round_step(92.2, 4) == doctest::Approx(50));
    CHECK(round_step(0.03, 4) == doctest::Approx(0.01));
    CHECK(round_step(1e12, 4) == doctest::Approx(5e11));
    for (const double nothing : {0.0, -1.0, nan, infinity}) CHECK(round_step(nothing, 4) == 1);
    CHECK(round_step(10, 0) == 1);
}

TEST_CASE("round times") {
    CHECK(time_step(30, 10) == 5);
    CHECK(time_step(60, 10) == 10);
    CHECK(time_step(1230, 10) == 300);
    CHECK(time_step(86'400, 10) == 10'800);
    CHECK(time_step(30 * 86'400.0, 10) == 5 * 86'400.0);
    CHECK(time_step(0, 10) == 1);
    for (const double nothing : {nan, infinity}) CHECK(time_step(nothing, 10) == 1);
}

TEST_CASE("times as labels") {
    CHECK(time_label(0) == "0:00");
    CHECK(time_label(65) == "1:05");
    CHECK(time_label(-65) == "-1:05");
    CHECK(time_label(-0.2) == "0:00");
    CHECK(time_label(3599.7) == "1:00:00");
    CHECK(time_label(2 * 86'400 + 3 * 3600 + 120) == "2d 3:02");
    CHECK(time_label(nan) == "0:00");
    CHECK(time_label(infinity) == "0:00");
    CHECK(time_label(1e300) != "");
}

TEST_CASE("two curves, one upside down, on one scale") {
    const std::string html = figure(minute());
    CHECK(markup_error(html) == "");
    CHECK(has(html, "role=\"img\" aria-labelledby=\"a-t a-d\""));
    CHECK(has(html, "<title id=\"a-t\">MB/s of system</title>"));
    CHECK(
        has(html, "<desc id=\"a-d\">Reads: 40 MB/s on average, at most 80. Writes: 3.33 MB/s on average, at most 20"));
    CHECK(has(html, "<figcaption>MB/s, reads above the line, writes below</figcaption>"));
    // 100 from top to bottom in steps of 50: the top is 100 above the line, the bottom 50 below.
    CHECK(has(html, "<path class=\"area read\" d=\"M0 667V133H67H133"));
    CHECK(has(html, "<path class=\"area write\" d=\"M0 667V800H67"));
    CHECK(has(html, ">0:10</text>"));
    CHECK(has(html, ">1:00</text>"));
    CHECK(has(html, "<title>0:00: read 80, write 20 MB/s</title>"));
    CHECK(count(html, "class=\"cell\"") == 60);
}

TEST_CASE("without writes there is nothing below the line") {
    mirrored_chart chart = minute();
    for (chart_step& each : chart.steps) each.below = 0;
    const std::string html = figure(chart);
    CHECK(has(html, "<figcaption>MB/s, reads</figcaption>"));
    CHECK_FALSE(has(html, "area write"));
}

TEST_CASE("stalls are bands and happenings lines that say what they are") {
    mirrored_chart chart = minute();
    chart.bands = {{30, 40, "lost_completion", "lost completion, confirmed: 10.1s", 1, 10}};
    chart.marks = {{15, "marker", "setup <starts>"}, {45, "", "RESET"}};
    const std::string html = figure(chart);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "<rect class=\"band lost_completion\" x=\"50%\" width=\"16.67%\" y=\"6\" height=\"150\">"
                    "<title>lost completion, confirmed: 10.1s</title></rect>"));
    CHECK(has(html, "<title>setup &lt;starts&gt;</title><line class=\"mark marker\" x1=\"25%\""));
    CHECK(has(html, "<title>RESET</title><line class=\"mark \" x1=\"75%\""));
    CHECK(count(html, "<circle") == 1);
    CHECK(has(html, ". Marked: 1 stall<"));
}

TEST_CASE("what is outside is cut off, and what is no number left out") {
    mirrored_chart chart = minute();
    chart.bands = {{-20, 10, "throttled", "a", 1, 30}, {55, 1e9, "unknown", "b", 1, 5}, {nan, 3, "unknown", "c", 1, 1}};
    chart.marks = {{-1, "", "early"}, {nan, "", "never"}, {infinity, "", "never"}};
    chart.steps.push_back({nan, 61, 5, 5});
    chart.steps.push_back({61, infinity, 5, 5});
    chart.steps.push_back({58, 59, nan, infinity});
    const std::string html = figure(chart);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "class=\"band throttled\" x=\"0%\" width=\"16.67%\""));
    CHECK(has(html, "class=\"band unknown\" x=\"91.67%\" width=\"8.33%\""));
    CHECK_FALSE(has(html, "<title>c</title>"));
    CHECK_FALSE(has(html, "never"));
}

TEST_CASE("charts of nothing") {
    for (const double end : {0.0, -5.0, nan, infinity, 1e-9}) {
        CAPTURE(end);
        mirrored_chart chart;
        chart.id = "b";
        chart.end = end;
        CHECK(markup_error(figure(chart)) == "");
        chart.steps = {{0, end, 0, 0}};
        CHECK(markup_error(figure(chart)) == "");
        timeline_chart timeline;
        timeline.id = "c";
        timeline.end = end;
        CHECK(markup_error(figure(timeline)) == "");
        overlay_chart overlay;
        overlay.id = "d";
        overlay.end = end;
        CHECK(markup_error(figure(overlay)) == "");
    }
}

TEST_CASE("values of any size") {
    for (const double value : {1e-300, 1e-9, 0.004, 12'345.0, 1e12, 1e300, 1.7e308}) {
        CAPTURE(value);
        mirrored_chart chart = minute();
        for (chart_step& each : chart.steps) each.above = value;
        const std::string html = figure(chart);
        CHECK(markup_error(html) == "");
        CHECK(html.size() < 60'000);
    }
}

TEST_CASE("the last minutes end now") {
    mirrored_chart chart = minute();
    chart.begin = -60;
    chart.end = 0;
    chart.labels = time_labels::before_now;
    for (chart_step& each : chart.steps) each = {each.begin - 60, each.end - 60, each.above, each.below};
    const std::string html = figure(chart);
    CHECK(has(html, ">-0:30</text>"));
    CHECK(has(html, ">now</text>"));
}

TEST_CASE("bands that cannot be told apart become one") {
    const std::vector<chart_band> bands{{0, 0.1, "throttled", "a", 1, 0.1},
                                        {0.2, 20, "lost_completion", "b", 1, 19.8},
                                        {20.05, 21, "slow_backend", "c", 1, 0.95},
                                        {40, 50, "slow_backend", "d", 1, 10}};
    const auto all = merged(bands, 0.5);
    REQUIRE(all.size() == 3);
    CHECK(all[0].count == 2);
    CHECK(all[0].end == 20);
    CHECK(all[0].css == "lost_completion");
    CHECK(all[0].title == "2 stalls from 0:00 to 0:20 took 19.9 s, the longest: lost_completion");
    CHECK(all[1].title == "c");
    CHECK(all[2].title == "d");
    CHECK(merged(bands, 0).size() == 4);
    CHECK(merged(std::vector<chart_band>{}, 1).empty());
}

TEST_CASE("stalls with hardly anything between them stay apart as long as they can be seen") {
    mirrored_chart chart = minute();
    chart.end = 1230;
    for (int i = 0; i < 106; ++i) chart.bands.push_back({i * 11.6, i * 11.6 + 10, "lost_completion", "x", 1, 10});
    CHECK(count(figure(chart), "class=\"band ") == 106);
}

TEST_CASE("so do marks") {
    std::vector<chart_mark> marks;
    for (int i = 0; i < 6; ++i)
        marks.push_back({10 + i * 0.01, i == 2 ? "marker" : "", std::string(1, static_cast<char>('a' + i))});
    marks.push_back({20, "", "z"});
    const auto all = merged(marks, 1);
    REQUIRE(all.size() == 2);
    CHECK(all[0].title == "a\nb\nc\nd\nand 2 more");
    CHECK(all[0].css == "marker");
    CHECK(all[1].title == "z");
}

TEST_CASE("a day of stalls does not make a heavy chart") {
    mirrored_chart chart;
    chart.id = "e";
    chart.end = 86'400;
    for (int i = 0; i < 8640; ++i) {
        chart.bands.push_back(
            {i * 10.0, i * 10.0 + 9, i % 3 == 0 ? "throttled" : "unknown", std::string(80, 'x'), 1, 9});
        chart.marks.push_back({i * 10.0, "", std::string(80, 'y')});
    }
    const std::string html = figure(chart);
    CHECK(markup_error(html) == "");
    CHECK(html.size() < 400'000);
}

TEST_CASE("a timeline has a row for each drive") {
    timeline_chart chart;
    chart.id = "t";
    chart.title = "Stalls";
    chart.end = 100;
    chart.rows = {{"install_media", {{0, 50, "", "", 1, 0}}, {{50, 60, "lost_completion", "10.1s", 1, 10}}},
                  {"a<b", {}, {}}};
    const std::string html = figure(chart);
    CHECK(markup_error(html) == "");
    CHECK(has(html, ">install_media</text>"));
    CHECK(has(html, ">a&lt;b</text>"));
    CHECK(has(html, "<rect class=\"busy\" x=\"0%\" width=\"50%\""));
    CHECK(has(html, "class=\"band lost_completion\" x=\"50%\" width=\"10%\""));
    CHECK(has(html, "2 rows, 1 stall<"));
}

TEST_CASE("curves over bytes, with the stalls of each below") {
    overlay_chart chart;
    chart.id = "o";
    chart.title = "MB/s";
    chart.unit = "MB/s";
    chart.end = 8e9;
    chart.curves = {{"first run", "first", {{0, 4e9, 4, 0}, {4e9, 8e9, 5, 0}}, {{2e9, "", "10.1s"}}},
                    {"second run", "second", {{0, 8e9, 80, 0}}, {}}};
    const std::string html = figure(chart);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "<path class=\"curve first\" d=\"M0 950H2000V938H4000\"/>"));
    CHECK(has(html, "<path class=\"curve second\" d=\"M0 0H4000\"/>"));
    CHECK(has(html, "<title>10.1s</title><line class=\"first\" x1=\"25%\""));
    CHECK(has(html, ">2 GB</text>"));
    CHECK(has(html, "first run: at most 5 MB/s, 1 stall. second run: at most 80 MB/s, 0 stalls"));
}

TEST_CASE("each cause has a pattern of its own, and its name stands beside it") {
    const std::string html = hatches();
    CHECK(markup_error(html) == "");
    CHECK(count(html, "<pattern ") == 7);
    const std::string words = legend({"lost_completion", "io_error"});
    CHECK(markup_error(words) == "");
    CHECK(has(words, "lost completion"));
    CHECK(has(words, "class=\"band io_error\""));
}

}  // namespace qmpwatch::report
