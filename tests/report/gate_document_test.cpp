#include "report/gate_document.hpp"

#include "base/text.hpp"
#include "report/some_gate.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <string>

using namespace qmpwatch;
using gate::reason;
using report::gate_markdown;
using report::gate_text;
using support::has;

namespace {

std::vector<std::string> lines(const std::string& text) {
    std::istringstream from(text);
    std::vector<std::string> made;
    for (std::string line; std::getline(from, line);) made.push_back(line);
    return made;
}

}  // namespace

TEST_CASE("verdicts as text and as Markdown") {
    const std::string fail = gate_text(report_test::some_failed_gate(), 100, false);
    CHECK(fail == support::golden("gate_fail.txt", fail));
    const std::string cut = gate_text(report_test::some_cut_gate(), 100, false);
    CHECK(cut == support::golden("gate_cut.txt", cut));
    const std::string open = gate_text(report_test::some_open_gate(reason::noise), 100, false);
    CHECK(open == support::golden("gate_inconclusive.txt", open));
    const std::string limits = gate_markdown(report_test::some_gate_with_limits());
    CHECK(limits == support::golden("gate_limits.md", limits));
    const std::string noise = report::calibration_text(report_test::some_calibration(), {}, 100);
    CHECK(noise == support::golden("gate_calibration.txt", noise));
}

TEST_CASE("the first two lines say it all") {
    const auto begins = [](const report::gate_report& of, const std::string& title, const std::string& line) {
        const std::vector<std::string> text = lines(gate_text(of, 200, false));
        REQUIRE(text.size() > 1);
        CHECK(text[0] == title);
        CHECK(text[1] == "  - " + line);
    };
    begins(report_test::some_passed_gate(), "PASS (qmpwatch gate, exit code 0)",
           "copy: 1.04 times as fast (0.85 to 1.18), 0.80 is tolerated: PASS");
    begins(report_test::some_failed_gate(), "FAIL (qmpwatch gate, exit code 1)",
           "copy: 0.73 times as fast (0.60 to 0.83), 0.80 is tolerated: FAIL");
    begins(report_test::some_open_gate(reason::noise), "INCONCLUSIVE (qmpwatch gate, exit code 3)",
           "copy: 0.91 times as fast (0.75 to 0.98), 0.80 is tolerated: INCONCLUSIVE (noise)");
    begins(report_test::some_open_gate(reason::few_runs), "INCONCLUSIVE (qmpwatch gate, exit code 3)",
           "copy: 0.82 times as fast (0.41 to 1.64), 0.80 is tolerated: INCONCLUSIVE (few-runs)");
    begins(report_test::some_open_gate(reason::resolution), "INCONCLUSIVE (qmpwatch gate, exit code 3)",
           "copy: 1.04 times as fast (0.85 to 1.18), 0.80 is tolerated: INCONCLUSIVE (resolution)");
    begins(report_test::some_open_gate(reason::too_short), "INCONCLUSIVE (qmpwatch gate, exit code 3)",
           "copy: reached no checkpoint on both sides: INCONCLUSIVE (too-short)");
    begins(report_test::some_cut_gate(), "FAIL (qmpwatch gate, exit code 1)",
           "copy: at best 0.50 times as fast (0.34 to 0.76), at worst 0.00 times as fast (0.00 to 0.76), 0.80 is "
           "tolerated: FAIL");
    begins(report_test::some_limits_only(), "FAIL (qmpwatch gate, exit code 1)",
           "max-stalls: 5 in candidates/c2.jsonl.gz, at most 3: FAIL");
}

TEST_CASE("each method says what it assumes") {
    CHECK(has(gate_text(report_test::some_passed_gate(), 200, false),
              "exact rank interval, nothing is assumed of the noise"));
    CHECK(has(gate_text(report_test::some_gate({180}, {165, 160, 135}), 200, false),
              "runs are assumed to spread log-normally and alike on both sides"));
    CHECK(has(gate_text(report_test::some_open_gate(reason::few_runs), 200, false),
              "one run a side: a factor of 2 is assumed"));
}

TEST_CASE("runs that were cut short are shown as such, with what nobody knows left open") {
    const std::string cut = gate_text(report_test::some_cut_gate(), 120, false);
    CHECK(has(cut, "> 400.0 s, cut short"));
    CHECK(has(cut, "time-limit, not complete"));
    const std::string both = gate_text(report_test::some_open_gate(reason::censored), 120, false);
    CHECK(has(both, "to inf)"));
    CHECK_FALSE(has(both, "nan"));
}

TEST_CASE("all runs are in the table, the slow one too") {
    const report::gate_report of = report_test::some_gate({150, 1400, 140, 155}, {165, 160, 135, 150});
    for (const std::string& text : {gate_text(of, 100, false), gate_markdown(of)}) {
        for (const char* name : {"b1.jsonl.gz", "b4.jsonl.gz", "c1.jsonl.gz", "c2.jsonl.gz", "c4.jsonl.gz"}) {
            CAPTURE(name);
            CHECK(has(text, name));
        }
        CHECK(has(text, "1400.0 s"));
        CHECK_FALSE(has(text, "candidates/c1"));
    }
}

TEST_CASE("files of the same name are told apart by their paths") {
    report::gate_report of = report_test::some_passed_gate();
    of.outcome->candidates[0].path = "new/1.run";
    of.outcome->baselines[0].path = "old/1.run";
    const std::vector<std::string> names = report::shown_names(*of.outcome);
    CHECK(names.front() == "old/1.run");
    CHECK(names[3] == "new/1.run");
}

TEST_CASE("what decides, and what is for information") {
    const report::gate_report of = report_test::some_gate_with_limits();
    const std::vector<report::judged> all = report::all_judged(of);
    REQUIRE(all.size() == 6);
    CHECK(all[0].label == "PASS");
    CHECK(all[1].label == "for information");
    CHECK_FALSE(all[1].decides);
    CHECK(all[2].label == "FAIL");
    CHECK(report::decisive(of)->name == "max-stalls");
    CHECK(report::decisive(report_test::some_passed_gate())->name == "copy");
    CHECK_FALSE(report::decisive(report_test::some_failed_comparison()));
    report::gate_report slower = of;
    slower.outcome->metrics[1].its = gate::verdict::fail;
    slower.outcome->metrics[1].why = reason::none;
    CHECK(report::all_judged(slower)[1].label == "FAIL, for information");
    CHECK(report::decisive(slower)->name == "max-stalls");
}

TEST_CASE("what could not be judged is a sentence") {
    const report::gate_report of = report_test::some_failed_comparison();
    CHECK(of.verdict() == "error");
    CHECK(gate_text(of, 300, false) ==
          "ERROR (qmpwatch gate, exit code 2)\n  how the medium is attached differs: nvme on pci in b.run, usb-storage "
          "in c.run; --allow-mismatch bus compares them all the same\n");
    CHECK(has(gate_markdown(of), "## ERROR (qmpwatch gate, exit code 2)\n\nhow the medium"));
}

TEST_CASE("colours stand at the verdicts and nowhere else") {
    const report::gate_report of = report_test::some_gate_with_limits();
    const std::string plain = gate_text(of, 100, false);
    std::string painted = gate_text(of, 100, true);
    CHECK(painted.starts_with("\x1b[31mFAIL\x1b[0m (qmpwatch gate"));
    CHECK(has(painted, "at most 3: \x1b[31mFAIL\x1b[0m\n"));
    CHECK(has(painted, ": \x1b[1mPASS\x1b[0m\n"));
    CHECK(
        has(gate_text(report_test::some_open_gate(reason::noise), 100, true), ": \x1b[33mINCONCLUSIVE\x1b[0m (noise)"));
    CHECK(gate_text(report_test::some_failed_comparison(), 100, true).starts_with("\x1b[31mERROR\x1b[0m"));
    for (const std::string code : {"\x1b[31m", "\x1b[33m", "\x1b[1m", "\x1b[0m"}) {
        for (std::size_t at = painted.find(code); at != std::string::npos; at = painted.find(code)) {
            painted.erase(at, code.size());
        }
    }
    CHECK(painted == plain);
    CHECK_FALSE(has(plain, "\x1b"));
}

TEST_CASE("lines fit the terminal") {
    for (const std::size_t width : {std::size_t(60), std::size_t(80), std::size_t(120)}) {
        CAPTURE(width);
        for (const std::string& line : lines(gate_text(report_test::some_cut_gate(), width, false))) {
            CAPTURE(line);
            CHECK(base::columns(line) <= width);
        }
    }
}

TEST_CASE("no name breaks the text or a table of Markdown") {
    const report::gate_report of = report_test::some_evil_gate("\x1b[2J|`x`\n| a | <b>");
    const std::string text = gate_text(of, 100, false);
    CHECK_FALSE(has(text, "\x1b"));
    const std::string markdown = gate_markdown(of);
    CHECK_FALSE(has(markdown, "<b>"));
    CHECK_FALSE(has(markdown, "\x1b"));
    std::ptrdiff_t cells = 0;
    for (const std::string& line : lines(markdown)) {
        std::ptrdiff_t bars = 0, ticks = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const bool is_escaped = i > 0 && line[i - 1] == '\\';
            bars += line[i] == '|' && !is_escaped ? 1 : 0;
            ticks += line[i] == '`' && !is_escaped ? 1 : 0;
        }
        CAPTURE(line);
        CHECK(ticks == 0);
        if (!line.starts_with('|')) {
            CHECK(bars == 0);
            cells = 0;
        } else {
            CHECK((cells == 0 || bars == cells));
            cells = bars;
        }
    }
}

TEST_CASE("Markdown stays below what GitHub shows") {
    report::gate_report of = report_test::some_failed_comparison();
    of.problem = std::string(3'000'000, 'x');
    const std::string sentence = gate_markdown(of);
    CHECK(sentence.size() < (1 << 20));
    CHECK(sentence.starts_with("## ERROR"));
    of = report_test::some_failed_gate();
    of.outcome->warnings.assign(20'000, std::string(100, 'w'));
    const std::string rows = gate_markdown(of);
    CHECK(rows.size() < (1 << 20));
    CHECK(has(rows, "The rest was left out"));
    CHECK(has(rows, "0.73 times as fast"));
}

TEST_CASE("ratios of very different speeds") {
    CHECK(report::ratio_text(0) == "1.00");
    CHECK(report::ratio_text(-2.898) == "0.055");
    CHECK(report::ratio_text(std::log(18.146)) == "18.15");
    CHECK(report::ratio_text(std::log(1234.0)) == "1.23e+03");
    CHECK(report::ratio_text(1e6) == "inf");
    CHECK(report::ratio_text(-1e6) == "0.00");
}
