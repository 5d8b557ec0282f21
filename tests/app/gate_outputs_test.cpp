#include "app/gate_outputs.hpp"

#include "app/console.hpp"
#include "gate/made_run.hpp"
#include "support/files.hpp"
#include "support/github.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

using namespace qmpwatch;
using support::has;

namespace {

report::gate_report refused(const std::string& why) {
    report::gate_report told;
    told.problem = why;
    return told;
}

}  // namespace

TEST_CASE("formats have names") {
    CHECK(app::gate_format_names() == "text, markdown, json, junit, openmetrics, csv, badge or html");
    for (const char* name : {"text", "markdown", "json", "junit", "openmetrics", "csv", "badge", "html"}) {
        CHECK(app::is_gate_format(name));
    }
    for (const char* name : {"", "xml", "Text", "--json"}) CHECK_FALSE(app::is_gate_format(name));
}

TEST_CASE("no report is written over a run") {
    const support::temporary_folder folder;
    app::gate_inputs runs;
    runs.baselines.push_back(gate_test::read_made(folder.path() / "a.run", {.seconds = 3}));
    runs.candidates.push_back(gate_test::read_made(folder.path() / "b.run", {.seconds = 3}));
    app::gate_files files;
    CHECK(app::keep_runs(runs, files).has_value());
    files.json = (folder.path() / "c.run").string();
    CHECK(app::keep_runs(runs, files).has_value());
    files.html = (folder.path() / "." / "a.run").string();
    CHECK(has(app::keep_runs(runs, files).error().message, "is one of the runs"));
    files.html.clear();
    files.json = (folder.path() / "b.run").string();
    CHECK(has(app::keep_runs(runs, files).error().message, "--json"));
}

TEST_CASE("every report is written, and the first that cannot be is said") {
    const support::github outside;
    const support::temporary_folder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    app::gate_files files;
    files.markdown = path("no/gate.md");
    files.json = path("gate.json");
    files.junit = path("also-not/gate.xml");
    files.html = path("gate.html");
    const auto written = app::write_gate_reports(refused("a.run has no end"), {}, files, "text");
    REQUIRE(written.has_error());
    CHECK(has(written.error().message, "gate.md"));
    CHECK(has(support::file_content(files.json), "a.run has no end"));
    CHECK(has(support::file_content(files.html), "a.run has no end"));
}

TEST_CASE("on GitHub the summary and the outputs are added to") {
    const support::temporary_folder folder;
    const support::github inside(folder.path());
    for (int i = 0; i < 2; ++i) {
        CHECK(app::write_gate_reports(refused("a.run has no end"), {}, {}, "text").has_value());
    }
    CHECK(support::file_content(inside.output()) ==
          "verdict=error\nratio=\nlower=\nupper=\nverdict=error\nratio=\nlower=\nupper=\n");
    const std::string summary = support::file_content(inside.summary());
    CHECK(summary.find("a.run has no end") != summary.rfind("a.run has no end"));
}
