#include "report/gate_report.hpp"
#include "report/some_gate.hpp"
#include "report/some_run.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using gate::reason;
using report_test::summary_of;
using support::has;
using support::markup_error;

namespace {

void check_page(const std::string& html) {
    CHECK(markup_error(html) == "");
    for (const char* bad : {"<script", "src=", "@import", "url(http", "href=\"http", "onload"}) {
        CAPTURE(bad);
        CHECK_FALSE(has(html, bad));
    }
    CHECK(has(html, "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"));
}

}  // namespace

TEST_CASE("the page of a verdict") {
    const std::string html = report::gate_html(report_test::some_gate_with_limits());
    check_page(html);
    CHECK(html == support::golden("gate_limits.html", html));
    CHECK(has(html, "<title>FAIL: max-stalls 5 in candidates/c2.jsonl.gz, at most 3</title>"));
    CHECK(has(html, "<p class=\"quiet\">qmpwatch gate, exit code 1</p>"));
}

TEST_CASE("below it stand the two runs") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const std::string html =
        report::gate_html(report_test::some_failed_gate(), fast, summary_of(fast), slow, summary_of(slow));
    check_page(html);
    const std::size_t verdict = html.find("<h1 class=\"bad\">FAIL: copy 0.73 times as fast (0.60 to 0.83), 0.80 is "
                                          "tolerated</h1>");
    const std::size_t chart = html.find("<svg role=\"img\" aria-labelledby=\"gate-t");
    const std::size_t table = html.find(">c3.jsonl.gz<");
    const std::size_t runs = html.find("<h2>The second run copied");
    REQUIRE(verdict != std::string::npos);
    REQUIRE(runs != std::string::npos);
    CHECK(verdict < chart);
    CHECK(chart < table);
    CHECK(table < runs);
    CHECK(support::count(html, "<h1") == 1);
    CHECK(support::count(html, "<main>") == 1);
}

TEST_CASE("every verdict makes a page") {
    for (const reason why :
         {reason::noise, reason::few_runs, reason::resolution, reason::censored, reason::too_short}) {
        check_page(report::gate_html(report_test::some_open_gate(why)));
    }
    check_page(report::gate_html(report_test::some_cut_gate()));
    check_page(report::gate_html(report_test::some_limits_only()));
    CHECK(has(report::gate_html(report_test::some_passed_gate()), "<h1 class=\"good\">PASS: copy 1.04 times"));
    const std::string error = report::gate_html(report_test::some_failed_comparison());
    check_page(error);
    CHECK(has(error, "<p class=\"lead\">how the medium is attached differs"));
}

TEST_CASE("no name reaches the page as markup") {
    const std::string html =
        report::gate_html(report_test::some_evil_gate("\"'><script>alert(1)</script>&\x1b[31m\xff"));
    check_page(html);
    CHECK_FALSE(has(html, "\x1b"));
    CHECK(has(html, "&lt;script&gt;"));
}
