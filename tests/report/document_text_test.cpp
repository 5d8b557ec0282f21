#include "base/text.hpp"
#include "report/run_report.hpp"
#include "report/some_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using namespace qmpwatch;
using report_test::summary_of;

TEST_CASE("a run as text, and two of them") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const std::string one = report::run_text(slow, summary_of(slow), 100);
    CHECK(one == support::golden("report.txt", one));
    const std::string two = report::run_text(slow, summary_of(slow), fast, summary_of(fast), 100);
    CHECK(two == support::golden("report_two.txt", two));
}

TEST_CASE("lines are as wide as the terminal, but for what is to be copied") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    for (const std::size_t width : {std::size_t(60), std::size_t(80), std::size_t(200)}) {
        CAPTURE(width);
        std::istringstream text(report::run_text(slow, summary_of(slow), fast, summary_of(fast), width));
        for (std::string line; std::getline(text, line);) {
            CAPTURE(line);
            const bool is_for_copying =
                line.find("-device") != std::string::npos || line.find("/images/") != std::string::npos ||
                line.find("/firmware/") != std::string::npos || line.find("4f2c9d") != std::string::npos;
            if (!is_for_copying) CHECK(base::columns(line) <= width);
            CHECK((line.empty() || line.back() != ' '));
        }
    }
    CHECK(report::run_text(slow, summary_of(slow), 0) == report::run_text(slow, summary_of(slow), 40));
}

TEST_CASE("a wide terminal shows more columns") {
    const run::digest slow = report_test::some_slow_run();
    const std::string narrow = report::run_text(slow, summary_of(slow), 80);
    const std::string wide = report::run_text(slow, summary_of(slow), 140);
    CHECK(narrow.find("p90  ") == std::string::npos);
    CHECK(wide.find("p90  ") != std::string::npos);
    CHECK(narrow.find("Windows' 10 s CD") == std::string::npos);
    CHECK(wide.find("Windows' 10 s CD time-out on usb-storage") != std::string::npos);
}

TEST_CASE("what a VM calls itself does no harm to the terminal") {
    run::digest all = report_test::some_slow_run();
    all.vm.vm = all.info.path = "\x1b[2Jevil";
    all.drives[1].drive = "a\x1b]0;x\x07\nb";
    for (auto& each : all.stalls) each.drive = all.drives[1].drive;
    all.marks[2].text = "\x1b[31m";
    all.info.notes.push_back("\x9b");
    all.findings[0].title = "\x1b";
    const std::string text = report::run_text(all, summary_of(all), 100);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\x07') == std::string::npos);
    CHECK(text.find("a?]0;x??b") != std::string::npos);
}

TEST_CASE("runs of which little is known") {
    const run::digest imported = report_test::some_imported_run();
    CHECK(report::run_text(imported, summary_of(imported), 80).find("unknown") != std::string::npos);
    CHECK(report::run_text({}, summary_of({}), 80).find("No drive did anything.") != std::string::npos);
}
