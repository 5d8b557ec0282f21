// The command itself, from run files to files and exit codes; what stands in a report is tested in tests/report, how a
// verdict comes about in tests/gate.
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "app/whole_file.hpp"
#include "base/json.hpp"
#include "gate/made_run.hpp"
#include "support/files.hpp"
#include "support/github.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

using namespace qmpwatch;
using gate_test::made_run;
using support::has;
using json = nlohmann::json;

namespace {

/// Runs of which only the copy's time is told; far fewer samples than a recorder makes.
class judged_runs {
public:
    app::words make(const std::string& side, std::initializer_list<double> times, made_run like = {}) const {
        app::words paths;
        if (like.stalls_at.empty()) like.poll = std::chrono::seconds(5);
        for (const double time : times) {
            like.seconds = time;
            paths.push_back(gate_test::write_run(root_.path() / (side + std::to_string(paths.size()) + ".run"), like));
        }
        return paths;
    }

    int gate(const app::words& candidates, const app::words& baselines, const app::words& more = {}) const {
        app::words all{"gate", "--candidate"};
        all.insert(all.end(), candidates.begin(), candidates.end());
        if (!baselines.empty()) all.emplace_back("--baseline");
        all.insert(all.end(), baselines.begin(), baselines.end());
        all.insert(all.end(), {"--json", path("gate.json")});
        all.insert(all.end(), more.begin(), more.end());
        return app::run(all);
    }

    /// The JSON of the last call.
    json verdict() const { return base::parse_json(support::file_content(path("gate.json"))); }
    std::string path(const std::string& name) const { return (root_.path() / name).string(); }

private:
    support::temporary_folder root_;
    support::github outside_;
};

}  // namespace

TEST_CASE("the exit code is the verdict: 0 pass, 1 fail, 3 inconclusive") {
    const judged_runs its;
    const app::words before = its.make("before", {165, 160, 135});
    CHECK(its.gate(its.make("slower", {210, 225, 198}), before) == app::exit_regression);
    CHECK(its.verdict()["verdict"] == "fail");
    CHECK(its.verdict()["exit_code"] == 1);
    CHECK(its.gate(its.make("same", {150, 158, 140}), before) == app::exit_done);
    CHECK(its.verdict()["verdict"] == "pass");
    const app::words unclear = its.make("unclear", {172, 181, 169});
    CHECK(its.gate(unclear, before) == 3);
    CHECK(its.verdict()["verdict"] == "inconclusive");
    for (const char* code : {"0", "1", "77"}) {
        CHECK(its.gate(unclear, before, {"--inconclusive", code}) == std::stoi(code));
        CHECK(its.verdict()["exit_code"] == std::stoi(code));
    }
    // Only where it is inconclusive.
    CHECK(its.gate(before, before, {"--inconclusive", "0"}) == app::exit_usage);
    CHECK(has(its.verdict()["problem"].get<std::string>(), "are the same run"));
}

TEST_CASE("the figures of the field report: 1230 s against 165, 160 and 135 s") {
    const judged_runs its;
    const app::words race = its.make("race", {1230}), others = its.make("others", {165, 160, 135});
    CHECK(its.gate(race, others) == app::exit_regression);
    CHECK(its.verdict()["metrics"][0]["ratio"].get<double>() == doctest::Approx(0.124186).epsilon(1e-4));
    CHECK(its.gate(others, race) == app::exit_done);
    // 74.4 against 4.1 MB/s, one run each.
    const app::words fast = its.make("fast", {1e9 / 74.4e6}, {.bytes = 1000000000}),
                     slow = its.make("slow", {1e9 / 4.1e6}, {.bytes = 1000000000});
    CHECK(its.gate(slow, fast) == 3);
    CHECK(its.verdict()["metrics"][0]["reason"] == "resolution");  // 13 s with a sample every 5 s tell no time
}

TEST_CASE("all reports are written before the exit code is given, also when the runs cannot be judged") {
    const judged_runs its;
    const app::words before = its.make("before", {165, 160, 135}), after = its.make("after", {210, 225, 198});
    const app::words reports{"--markdown",    its.path("g.md"),    "--junit", its.path("g.xml"),
                             "--openmetrics", its.path("g.om"),    "--csv",   its.path("g.csv"),
                             "--badge",       its.path("g.badge"), "--html",  its.path("g.html")};
    const std::vector<std::pair<std::string, std::string>> failed{{"g.md", "FAIL"},          {"g.xml", "<failure"},
                                                                  {"g.om", "# EOF"},         {"g.csv", "before0.run"},
                                                                  {"g.badge", "fail 0.73x"}, {"g.html", "<svg"}};
    CHECK(its.gate(after, before, reports) == app::exit_regression);
    for (const auto& [name, part] : failed) CHECK_MESSAGE(has(support::file_content(its.path(name)), part), name);

    made_run unfinished;
    unfinished.ended_by.reset();
    const app::words open = its.make("open", {100}, unfinished);
    const std::vector<std::pair<std::string, std::string>> refused{
        {"g.md", "has no end"}, {"g.xml", "<error"}, {"g.om", "# EOF"}, {"g.badge", "error"}, {"g.html", "has no end"}};
    CHECK(its.gate(open, before, reports) == app::exit_usage);
    for (const auto& [name, part] : refused) CHECK_MESSAGE(has(support::file_content(its.path(name)), part), name);
    CHECK(its.verdict()["verdict"] == "error");

    // A report that cannot be written is no verdict.
    CHECK(its.gate(after, before, {"--junit", its.path("no/g.xml")}) == app::exit_usage);
    CHECK(its.gate(after, before, {"--html", before[0]}) == app::exit_usage);
    CHECK(its.gate(after, before) == app::exit_regression);
}

TEST_CASE("limits need no baseline") {
    const judged_runs its;
    const app::words stalled = its.make("stalled", {165}, {.stalls_at = {20.3, 60.7, 100.1}}),
                     fine = its.make("fine", {165});
    CHECK(its.gate(stalled, {}, {"--max-stalls", "0"}) == app::exit_regression);
    CHECK(its.gate(fine, {}, {"--max-stalls", "0", "--min-throughput", "5MB/s", "--max-stall-seconds", "1"}) ==
          app::exit_done);
    CHECK(its.gate(stalled, {}, {"--max-stall-seconds", "5"}) == app::exit_regression);
    CHECK(its.gate(fine, {}, {"--min-throughput", "50MB/s"}) == app::exit_regression);
    CHECK(its.verdict()["limits"][0]["verdict"] == "fail");
    CHECK(its.gate(fine, {}, {"--no-cause", "lost_completion"}) == app::exit_done);
    CHECK(its.gate(fine, {}) == app::exit_usage);
}

TEST_CASE("baselines are kept in a folder, from accepting to calibrating") {
    const judged_runs its;
    const std::string folder = its.path("baselines");
    app::words accept{"baseline", "accept", folder};
    const app::words runs = its.make("before", {165, 160, 152, 158});
    accept.insert(accept.end(), runs.begin(), runs.end());
    CHECK(app::run({"baseline", "list", folder}) == app::exit_usage);
    CHECK(app::run(accept) == app::exit_done);
    CHECK(app::run(accept) == app::exit_usage);  // they are in it
    const auto printed = [](const app::words& arguments) {
        return support::standard_output_of([&] { CHECK(app::run(arguments) == app::exit_done); });
    };
    const std::string listed = printed({"baseline", "list", folder, "--last", "3"});
    CHECK(has(listed, "3 of 4 runs count"));
    CHECK(has(listed, " older"));
    const json list = base::parse_json(printed({"baseline", "list", folder, "--format", "json"}));
    REQUIRE(list["runs"].size() == 4);
    CHECK(list["runs"][0]["state"] == "counts");
    CHECK(has(printed({"gate", "--calibrate", folder}), "runs"));
    CHECK(base::parse_json(printed({"gate", "--calibrate", folder, "--format", "json"}))["runs"] == 4);
    CHECK(its.gate(its.make("slower", {310, 325}), {folder}) == app::exit_regression);
    CHECK(its.verdict()["baselines"].size() == 4);
    CHECK(its.gate(its.make("slowest", {1310}), {folder}, {"--last", "3"}) == app::exit_regression);
    CHECK(its.verdict()["baselines"].size() == 3);
    const app::words nvme = its.make("nvme", {155, 161, 158}, {.bus = "nvme"});
    CHECK(its.gate(nvme, {folder}) == app::exit_usage);
    CHECK(its.gate(nvme, {folder}, {"--allow-mismatch", "bus"}) == app::exit_done);
    CHECK(app::run({"baseline", "retire", folder, "nobody.run"}) == app::exit_usage);
    const auto name = list["runs"][0]["file"].get<std::string>();
    CHECK(printed({"baseline", "retire", folder, name, "--delete"}) ==
          "retired " + folder + "/" + name + ", its file is deleted\n");
    const json second = list["runs"][1], third = list["runs"][2];
    std::filesystem::remove(folder + "/" + second["file"].get<std::string>());
    REQUIRE(app::append_to_file(folder + "/" + third["file"].get<std::string>(), "more\n").has_value());
    CHECK(has(printed({"baseline", "list", folder}), "1 of 4 runs count, 1 is missing, 1 is changed"));
    CHECK(app::run({"gate", "--calibrate", folder}) == app::exit_usage);  // three are too few
}

TEST_CASE("usage errors of gate and baseline end with 2 and write nothing") {
    const judged_runs its;
    const app::words one = its.make("one", {100}), other = its.make("other", {101});
    CHECK(app::run({"gate", "--help"}) == app::exit_done);
    CHECK(app::run({"gate"}) == app::exit_usage);
    CHECK(app::run({"gate", "--baseline", one[0]}) == app::exit_usage);
    const std::vector<app::words> wrong{
        {"--margin", "0"},
        {"--margin", "100%"},
        {"--margin", "much"},
        {"--margin", "nan"},
        {"--margin", "20%%"},
        {"--alpha", "0.5"},
        {"--alpha", "nan"},
        {"--noise-floor", "-1"},
        {"--factor", "1"},
        {"--factor", "inf"},
        {"--metric", "speed"},
        {"--metric", "disk:sideways"},
        {"--inform", "speed"},
        {"--max-stalls", "-1"},
        {"--max-stall-seconds", "nan"},
        {"--no-cause", "bad luck"},
        {"--min-throughput", "50MB"},
        {"--min-throughput", "0MB/s"},
        {"--allow-mismatch", "qemu"},
        {"--max-age", "soon"},
        {"--last", "0"},
        {"--inconclusive", "2"},
        {"--format", "xml"},
        {"--candidate"},
        {"--candidate", "--baseline"},
        {"--calibrate", its.path(".")},
        {"stray"},
    };
    for (const app::words& each : wrong) {
        CAPTURE(each.front());
        CAPTURE(each.back());
        CHECK(its.gate(one, other, each) == app::exit_usage);
        CHECK_FALSE(std::filesystem::exists(its.path("gate.json")));
    }
    CHECK(app::run({"gate", "--calibrate", its.path("."), "--format", "junit"}) == app::exit_usage);
    CHECK(app::run({"gate", "--calibrate", its.path("absent")}) == app::exit_usage);

    CHECK(app::run({"baseline", "--help"}) == app::exit_done);
    for (const app::words& each : std::vector<app::words>{{},
                                                          {"absorb"},
                                                          {"list"},
                                                          {"accept"},
                                                          {"accept", its.path("b")},
                                                          {"retire", its.path("b")},
                                                          {"list", its.path("b")},
                                                          {"list", its.path("."), "--format", "csv"},
                                                          {"list", its.path("."), "--last", "0"},
                                                          {"accept", its.path("b"), its.path("absent.run")}}) {
        app::words all{"baseline"};
        all.insert(all.end(), each.begin(), each.end());
        CHECK(app::run(all) == app::exit_usage);
    }
    CHECK_FALSE(std::filesystem::exists(its.path("b")));
}
