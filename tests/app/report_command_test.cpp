// The command itself, from files to files; what stands in a report is tested in tests/report.
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

using namespace qmpwatch;

namespace {

std::string recording(const std::string& name) { return support::fixture_path("recordings/" + name).string(); }

}  // namespace

TEST_CASE("each format is written into a file, and the file's name is enough to say which") {
    const support::temporary_folder folder;
    const std::string lost = recording("csw_0.5s.jsonl"), healthy = recording("healthy_0.5s.jsonl");
    const auto written = [&](const std::string& name, const app::words& more) {
        const auto path = folder.path() / name;
        app::words all{"report", "-o", path.string()};
        all.insert(all.end(), more.begin(), more.end());
        REQUIRE(app::run(all) == app::exit_done);
        return support::file_content(path);
    };
    CHECK(written("a.txt", {lost}).find("\nStalls\n") != std::string::npos);
    CHECK(written("a.md", {lost}).starts_with("## "));
    CHECK(written("a.csv", {lost}).starts_with("time,elapsed,vm,drive,"));
    CHECK(written("a.json", {lost}).starts_with(R"({"schema":{"name":"qmpwatch-report","version":1},"run":)"));
    CHECK(written("a.html", {lost}).starts_with("<!"));
    CHECK(written("plain", {lost}) == written("b.txt", {lost}));
    CHECK(written("odd.html", {"--format", "csv", lost}) == written("b.csv", {lost}));

    CHECK(written("two.txt", {lost, healthy}).find("First run: stalls") != std::string::npos);
    CHECK(written("two.md", {lost, healthy}).find("### Second run: stalls") != std::string::npos);
    CHECK(written("two.csv", {lost, healthy}).starts_with("run,time,"));
    CHECK(written("two.json", {lost, healthy}).find("\"comparison\":") != std::string::npos);
    CHECK(written("two.html", {lost, healthy}).starts_with("<!"));

    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    CHECK(lines(written("fine.csv", {"--interval", "5s", lost})) > 2 * lines(written("b.csv", {lost})));
    CHECK(written("poll.json", {"--poll", "5s", lost}).find("\"poll_seconds\":5.0") != std::string::npos);
}

TEST_CASE("usage errors of report end with 2, and nothing is written") {
    const support::temporary_folder folder;
    const std::string good = recording("healthy_0.5s.jsonl"), out = (folder.path() / "out").string();
    CHECK(app::run({"report", "--help"}) == app::exit_done);
    CHECK(app::run({"report"}) == app::exit_usage);
    CHECK(app::run({"report", good, good, good}) == app::exit_usage);
    CHECK(app::run({"report", "-", "-"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", out, good, "--format", "pdf"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", out, good, "--media", "floppy"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", out, good, "--interval", "0s"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", out, good, "--interval", "1s", "--poll", "2s"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", out, "/nonexistent/run.jsonl"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", out, good, "/nonexistent/run.jsonl"}) == app::exit_usage);
    CHECK(app::run({"report", "-o", folder.path().string(), good}) == app::exit_usage);
    std::ofstream(folder.path() / "text") << "this is no run\n";
    CHECK(app::run({"report", "-o", out, (folder.path() / "text").string()}) == app::exit_usage);
    CHECK(!std::filesystem::exists(out));
    CHECK(app::run({"report", "-o", "/dev/full", good}) == app::exit_could_not);
}

TEST_CASE("a report never replaces its own run") {
    const support::temporary_folder folder;
    const auto path = folder.path() / "run.jsonl";
    std::filesystem::copy_file(recording("healthy_0.5s.jsonl"), path);
    const std::string before = support::file_content(path);
    CHECK(app::run({"report", "-o", path.string(), path.string()}) == app::exit_usage);
    CHECK(app::run({"report", "-o", (folder.path() / "." / "run.jsonl").string(), recording("csw_0.5s.jsonl"),
                    path.string()}) == app::exit_usage);
    CHECK(support::file_content(path) == before);
}
