// The flags of `replay`; what it prints is compared with a live watch in tests/qemu/test_record.py.
#include "app/commands.hpp"
#include "app/exit_code.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace qmpwatch;

namespace {

/// What the command writes to standard output, which must end with 0.
std::string printed(const app::words& arguments) {
    return support::standard_output_of([&] { CHECK(app::run(arguments) == app::exit_done); });
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
}

}  // namespace

TEST_CASE("a replay as lines and as JSON") {
    const std::string lost = support::fixture_path("recordings/csw_0.5s.jsonl").string();
    const std::string text = printed({"replay", lost});
    CHECK(count(text, " lost_completion ") >= 14);
    CHECK(count(text, " summary: ") >= 2);
    CHECK(text.find("1970-") == std::string::npos);  // the recording has no dates
    CHECK(text.find("\n+15.006s ") != std::string::npos);
    const std::string json = printed({"replay", lost, "--format", "json"});
    CHECK(count(json, R"("event":"stall",)") == 14);
    CHECK(count(json, R"("event":"summary")") == 1);
    CHECK(json.find("1970-") == std::string::npos);
    CHECK(json.find(R"("time":null)") != std::string::npos);
    CHECK(count(json, R"("event":"rate")") == 11);  // 168 s in intervals of 15 s
}

TEST_CASE("thinned samples show less") {
    const std::string lost = support::fixture_path("recordings/csw_0.5s.jsonl").string();
    const std::string coarse = printed({"replay", lost, "--format", "json", "--poll", "15s", "--interval", "15s"});
    CHECK(count(coarse, R"("event":"stall",)") == 0);
    const std::string fine = printed({"replay", lost, "--format", "json", "--poll", "1s", "--interval", "5s"});
    CHECK(count(fine, R"("event":"stall",)") == 14);
    CHECK(count(fine, R"("event":"rate")") > count(coarse, R"("event":"rate")"));
}

TEST_CASE("in its own time, many times as fast") {
    const std::string lost = support::fixture_path("recordings/csw_qemu11_0.5s.jsonl").string();  // 51.5 s
    const auto begin = std::chrono::steady_clock::now();
    const std::string text = printed({"replay", lost, "--speed", "100"});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    CHECK(took.count() > 0.5);
    CHECK(text == printed({"replay", lost}));
}

TEST_CASE("usage errors of replay end with 2") {
    const std::string good = support::fixture_path("recordings/healthy_0.5s.jsonl").string();
    for (const app::words& bad : {app::words{"replay"},
                                  {"replay", "/nonexistent/run"},
                                  {"replay", good, "--format", "csv"},
                                  {"replay", good, "--speed", "0"},
                                  {"replay", good, "--speed", "-1"},
                                  {"replay", good, "--speed", "nan"},
                                  {"replay", good, "--speed", "fast"},
                                  {"replay", good, "--poll", "2s", "--interval", "1s"},
                                  {"replay", good, "--loop"},
                                  {"replay", good, "--as-monitor", "x", "--poll", "1s"},
                                  {"replay", good, good}}) {
        CAPTURE(bad.size());
        CHECK(app::run(bad) == app::exit_usage);
    }
    CHECK(app::run({"replay", good, "--as-monitor", "/nonexistent/folder/x.sock"}) == app::exit_could_not);
}

TEST_CASE("usage errors of record end with 2, and no file is made") {
    const support::temporary_folder folder;
    const std::string out = (folder.path() / "a.run").string();
    for (const app::words& bad : {app::words{"record"},
                                  {"record", "-o", out},
                                  {"record", "--socket", "x"},
                                  {"record", "-o", out, "--socket", "a", "--socket", "b"},
                                  {"record", "-o", out, "--socket", "/tmp/*.sock"},
                                  {"record", "-o", out, "--socket", "a", "--label", "x"},
                                  {"record", "-o", out, "--socket", "a", "--label", "=x"},
                                  {"record", "-o", out, "--socket", "a", "--label", "x=1", "--label", "x=2"},
                                  {"record", "-o", out, "--socket", "a", "--expect", "7G"},
                                  {"record", "-o", out, "--socket", "a", "--expect", "7GB", "--baseline", "b"},
                                  {"record", "-o", out, "--socket", "a", "--baseline", "/nonexistent"},
                                  {"record", "-o", out, "--socket", "a", "--push-gateway", "ftp://x"},
                                  {"record", "-o", out, "--socket", "a", "--for", "0s"},
                                  {"record", "-o", out, "--socket", "a", "--"}}) {
        CHECK(app::run(bad) == app::exit_usage);
        CHECK_FALSE(std::filesystem::exists(out));
    }
    std::ofstream(out) << "evidence";
    CHECK(app::run({"record", "-o", out, "--socket", "a"}) == app::exit_usage);
    CHECK(std::filesystem::file_size(out) == 8);
}
