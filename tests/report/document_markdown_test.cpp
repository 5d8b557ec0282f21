#include "report/run_report.hpp"
#include "report/some_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

using namespace qmpwatch;
using report_test::summary_of;

TEST_CASE("a run as Markdown, and two of them") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const std::string one = report::run_markdown(slow, summary_of(slow));
    CHECK(one == support::golden("report.md", one));
    const std::string two = report::run_markdown(slow, summary_of(slow), fast, summary_of(fast));
    CHECK(two == support::golden("report_two.md", two));
}

TEST_CASE("each row of a table has as many cells as its head, and the head stands after a blank line") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    std::istringstream text(report::run_markdown(slow, summary_of(slow), fast, summary_of(fast)));
    std::ptrdiff_t cells = 0;
    std::size_t tables = 0;
    std::string before;
    for (std::string line; std::getline(text, line); before = line) {
        if (!line.starts_with('|')) {
            cells = 0;
            continue;
        }
        std::ptrdiff_t bars = std::count(line.begin(), line.end(), '|');
        for (std::size_t at = line.find("\\|"); at != std::string::npos; at = line.find("\\|", at + 2)) --bars;
        CAPTURE(line);
        if (cells == 0) {
            CHECK(before.empty());
            cells = bars;
            ++tables;
        }
        CHECK(bars == cells);
    }
    CHECK(tables >= 8);
}

TEST_CASE("names are shown as they are: no HTML, no marks") {
    run::digest all = report_test::some_slow_run();
    all.vm.vm = "<img src=x onerror=alert(1)> & _em_ *b* `c` [l](u) a|b \\ ~~s~~ #1 $x$";
    all.marks[2].text = "snake_case\nnext";
    all.findings[0].remedies[0].option = "-x `y`";
    const std::string text = report::run_markdown(all, summary_of(all));
    CHECK(text.find('<') == std::string::npos);
    CHECK(text.find("&lt;img src=x onerror=alert(1)&gt; &amp; \\_em\\_ \\*b\\* \\`c\\` \\[l\\](u) a\\|b \\\\ "
                    "\\~\\~s\\~\\~ \\#1 \\$x\\$") != std::string::npos);
    CHECK(text.find("snake_case?next") != std::string::npos);
    CHECK(text.find("`` -x `y` ``") != std::string::npos);
    CHECK(text.find("`-device nvme,serial=install,drive=install_media`") != std::string::npos);
}
