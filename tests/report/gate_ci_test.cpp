#include "report/gate_report.hpp"
#include "report/some_gate.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using gate::reason;
using support::count;
using support::has;

namespace {

/// Without the line that stands before the markup.
std::string xml_error(const std::string& xml) {
    const std::string first = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (!xml.starts_with(first)) return "no declaration";
    return support::markup_error(xml.substr(first.size()));
}

}  // namespace

TEST_CASE("annotations: worst first") {
    const std::string text = report::gate_annotations(report_test::some_gate_with_limits());
    CHECK(text == support::golden("gate_annotations.txt", text));
    CHECK(text.starts_with("::error title=qmpwatch gate%3A max-stalls::max-stalls: 5 in "));
    CHECK(has(text, "::notice title=qmpwatch gate%3A system%3Awrite::system:write: "));
    CHECK(has(report::gate_annotations(report_test::some_open_gate(reason::noise)), "::warning title=qmpwatch gate"));
    CHECK(has(report::gate_annotations(report_test::some_failed_gate()),
              "::warning title=qmpwatch gate::QEMU's version differs"));
    CHECK(report::gate_annotations(report_test::some_failed_comparison())
              .starts_with("::error title=qmpwatch gate::how the medium is attached differs"));
}

TEST_CASE("annotations: nothing ends a command early, and there are no more than GitHub shows") {
    const std::string evil = report::gate_annotations(report_test::some_evil_gate("100%,\r\n::error::x"));
    for (std::size_t at = 0; at < evil.size(); at = evil.find('\n', at) + 1) {
        const std::string line = evil.substr(at, evil.find('\n', at) - at);
        CAPTURE(line);
        const bool is_command = line.starts_with("::error title=qmpwatch gate") ||
                                line.starts_with("::warning title=qmpwatch gate") ||
                                line.starts_with("::notice title=qmpwatch gate");
        CHECK(is_command);
    }
    CHECK(has(evil, "title=qmpwatch gate%3A 100%25%2C??%3A%3Aerror%3A%3Ax%3Awrite::100%25,??::error::x:write: "));
    CHECK_FALSE(has(evil, "\r"));

    report::gate_report many = report_test::some_failed_gate();
    many.outcome->warnings.assign(25, "w");
    const std::string text = report::gate_annotations(many);
    CHECK(count(text, "::warning ") == 10);
    CHECK(has(text, "::and 16 more like these, see the report\n"));
    many.outcome->warnings.assign(10, "w");
    CHECK(count(report::gate_annotations(many), "::w\n") == 10);
}

TEST_CASE("outputs") {
    CHECK(report::gate_outputs(report_test::some_failed_gate()) ==
          "verdict=fail\nratio=0.733333\nlower=0.600000\nupper=0.833333\n");
    CHECK(report::gate_outputs(report_test::some_failed_comparison()) == "verdict=error\nratio=\nlower=\nupper=\n");
    CHECK(report::gate_outputs(report_test::some_limits_only()) == "verdict=fail\nratio=\nlower=\nupper=\n");
    // A baseline that never got there: boundless.
    CHECK(has(report::gate_outputs(report_test::some_open_gate(reason::censored)), "upper=\n"));
}

TEST_CASE("JUnit: a case for each metric and limit") {
    const std::string limits = report::gate_junit(report_test::some_gate_with_limits());
    CHECK(limits == support::golden("gate_junit.xml", limits));
    CHECK(xml_error(limits) == "");
    CHECK(has(limits, "<testsuite name=\"qmpwatch-gate\" tests=\"6\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    CHECK(count(limits, "<testcase ") == 6);
    CHECK(count(limits, "<failure ") == 1);

    const std::string fail = report::gate_junit(report_test::some_failed_gate());
    CHECK(has(fail,
              "<failure message=\"copy: 0.73 times as fast (0.60 to 0.83), 0.80 is tolerated: FAIL: surely slower"));
    CHECK(has(fail, "type=\"regression\">copy: 0.73 times as fast"));

    const std::string open = report::gate_junit(report_test::some_open_gate(reason::noise));
    CHECK(has(open, "failures=\"0\" errors=\"0\" skipped=\"1\""));
    CHECK(has(open, "<skipped message=\"copy: 0.91 times as fast"));
    CHECK(xml_error(open) == "");

    const std::string error = report::gate_junit(report_test::some_failed_comparison());
    CHECK(has(error, "tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
    CHECK(has(error, "<error message=\"how the medium is attached differs"));
    CHECK(xml_error(error) == "");
}

TEST_CASE("JUnit: what is only for information never fails") {
    report::gate_report of = report_test::some_gate_with_limits();
    of.outcome->metrics[1].its = gate::verdict::fail;
    of.outcome->limits.clear();
    const std::string text = report::gate_junit(of);
    CHECK(has(text, "failures=\"0\""));
    CHECK(has(text, "name=\"system:write (for information)\""));
}

TEST_CASE("JUnit: texts stay texts, and characters that XML does not have are left out") {
    const std::string text =
        report::gate_junit(report_test::some_evil_gate("\"'<&>]]>\x01\x1b\n\xff\xEF\xBF\xBF\xEF\xBF\xBE"));
    CHECK(xml_error(text) == "");
    CHECK(has(text, "name=\"&quot;&#39;&lt;&amp;&gt;]]&gt;??????:write (for information)\""));
    for (const char* bad : {"\x01", "\x1b", "\xff", "\xEF\xBF\xBF", "\xEF\xBF\xBE"}) CHECK_FALSE(has(text, bad));
}

TEST_CASE("OpenMetrics") {
    const std::string text = report::gate_openmetrics(report_test::some_gate_with_limits());
    CHECK(text == support::golden("gate_openmetrics.txt", text));
    CHECK(has(text, "\nqmpwatch_gate_speed_ratio{metric=\"copy\"} 1.044304\n"));
    CHECK(has(text, "\nqmpwatch_gate_time_seconds{metric=\"copy\",side=\"candidate\"} 150.000000\n"));
    CHECK(text.ends_with("\n# EOF\n"));

    const std::string error = report::gate_openmetrics(report_test::some_failed_comparison());
    CHECK(has(error, "\nqmpwatch_gate_verdict{verdict=\"error\"} 1\n"));
    CHECK(has(error, "\nqmpwatch_gate_problem{problem=\"how the medium is attached differs"));
    CHECK(error.ends_with("\n# EOF\n"));
    CHECK_FALSE(has(error, "speed_ratio"));
}

TEST_CASE("OpenMetrics: what is not known is not there, labels are escaped") {
    const std::string cut = report::gate_openmetrics(report_test::some_open_gate(reason::censored));
    CHECK(has(cut, "qmpwatch_gate_speed_ratio{"));
    CHECK_FALSE(has(cut, "qmpwatch_gate_speed_upper_ratio"));
    for (const char* bad : {"inf\n", "nan", "Inf"}) CHECK_FALSE(has(cut, bad));
    const std::string open = report::gate_openmetrics(report_test::some_open_gate(reason::too_short));
    CHECK_FALSE(has(open, "qmpwatch_gate_time_seconds"));
    const std::string evil = report::gate_openmetrics(report_test::some_evil_gate("a\"b\\c\n"));
    CHECK(has(evil, "{metric=\"a\\\"b\\\\c?:write\"} "));
}

TEST_CASE("OpenMetrics: the median of a side, unless it was cut short") {
    const auto of = [](const std::vector<report_test::timed>& candidates) {
        return report::gate_openmetrics(report_test::some_gate(candidates, {165, 160, 135}));
    };
    CHECK(has(of({210, {400, true}, 225}), "side=\"candidate\"} 225.000000\n"));
    CHECK_FALSE(has(of({210, {400, true}, {400, true}}), "metric=\"copy\",side=\"candidate\""));
}
