#include "base/json.hpp"
#include "report/run_report.hpp"
#include "report/some_run.hpp"
#include "support/files.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace qmpwatch;
using report_test::summary_of;
using json = nlohmann::ordered_json;

namespace {

json object_of(const run::digest& all) { return base::parse_ordered_json(report::run_json(all, summary_of(all))); }

}  // namespace

TEST_CASE("a run as JSON, and two of them") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const std::string one = report::run_json(slow, summary_of(slow));
    CHECK(one == support::golden("report.json", one));
    CHECK(one.find('\n') == one.size() - 1);
    const std::string two = report::run_json(slow, summary_of(slow), fast, summary_of(fast));
    CHECK(two == support::golden("report_two.json", two));
    CHECK(two.find('\n') == two.size() - 1);
}

TEST_CASE("all of a run is in it") {
    const run::digest slow = report_test::some_slow_run();
    const json all = object_of(slow);
    CHECK(all.begin().key() == "schema");
    CHECK(all.at("schema") == json{{"name", "qmpwatch-report"}, {"version", 1}});
    CHECK(all.at("run").at("time") == "2026-11-30T20:00:00.040Z");
    CHECK(all.at("run").at("watched_seconds") == 405.0);
    CHECK(all.at("run").at("labels").at("medium") == "usb-storage");
    CHECK(all.at("run").at("ci_job").is_null());
    CHECK(all.at("host").at("cpus") == 18);
    CHECK(all.at("vm").at("vm") == "winarm");
    CHECK(all.at("vm").at("accelerator") == "hvf");
    CHECK(all.at("end") == json{{"reason", "time-limit"}, {"complete", false}, {"exit_code", nullptr}});
    CHECK(all.at("medium") == "install_media");
    CHECK(all.at("drives")[1].at("size_bytes") == 7'736'125'440);
    CHECK(all.at("drives")[1].at("cache") == "writeback");
    CHECK(all.at("phases")[1].at("phase") == "copy");
    CHECK(all.at("phases")[1].at("direction") == "read");
    CHECK(all.at("phases")[2].at("direction") == "write");

    REQUIRE(all.at("summary").size() == 2);
    CHECK(all.at("summary")[0].at("phase") == "run");
    CHECK(all.at("summary")[0].at("drive").is_null());
    const json& copy = all.at("summary")[1];
    CHECK(copy.at("phase") == "copy");
    CHECK(copy.at("window_seconds") == 15.0);
    CHECK(copy.at("drives")[1].at("drive") == "install_media");
    CHECK(copy.at("drives")[1].at("read_bytes") == summary_of(slow).copied()->read.done.bytes);
    CHECK(copy.at("drives")[1].at("stalls_by_cause")[0] ==
          json{{"cause", "lost_completion"}, {"count", 20}, {"seconds", 200.95}});

    REQUIRE(all.at("stalls").size() == 21);
    CHECK(all.at("stalls")[0].at("start") == "2026-11-30T20:01:45.340Z");
    CHECK(all.at("stalls")[0].at("start_elapsed") == 105.3);
    CHECK(all.at("stalls")[0].at("seconds") == 10.02);
    CHECK(all.at("stalls")[0].at("pattern") == "Windows' 10 s CD time-out on usb-storage");
    CHECK(all.at("stalls")[20].at("level") == "confirmed");
    REQUIRE(all.at("marks").size() == 7);
    CHECK(all.at("marks")[2].at("kind") == "marker");
    CHECK(all.at("marks")[2].at("text") == "setup starts | <b>disk 0</b>");
    CHECK(all.at("marks")[2].at("detail").is_null());
    CHECK(all.at("marks")[3].at("kind") == "event");
    CHECK(all.at("findings")[0].at("id") == "usb_storage_lost_completion");
    CHECK(all.at("notes").size() == 1);
    REQUIRE(all.at("intervals").size() == slow.intervals.size());
    CHECK(all.at("intervals")[0].at("time") == "2026-11-30T20:00:15.040Z");
    CHECK(all.at("intervals")[0].at("elapsed") == 15.0);
    CHECK(all.at("intervals")[0].at("failed").at("read") == 0);
    std::uint64_t stalls = 0;
    for (const json& each : all.at("intervals")) stalls += each.at("stalls_ended").get<std::uint64_t>();
    CHECK(stalls == 21);
}

TEST_CASE("data of events are JSON in it, whatever they are") {
    run::digest all = report_test::some_run();
    CHECK(object_of(all).at("marks")[3].at("detail").at("reason") == "guest-reset");
    all.marks[3].detail = "{no JSON\x1b";
    all.marks[4].detail = "null";
    const json marks = object_of(all).at("marks");
    CHECK(marks[3].at("detail") == "{no JSON?");
    CHECK(marks[4].at("detail") == "null");
}

TEST_CASE("two runs are compared") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const json both = base::parse_ordered_json(report::run_json(slow, summary_of(slow), fast, summary_of(fast)));
    CHECK(both.begin().key() == "schema");
    json alone = object_of(slow);
    alone.erase("schema");
    CHECK(both.at("runs")[0] == alone);
    const json& comparison = both.at("comparison");
    const auto ratio = comparison.at("speed_ratio").get<double>();
    CHECK(ratio == doctest::Approx(19.97).epsilon(0.001));
    CHECK(comparison.at("copy").at("read_windows").at("mean_bytes_per_second").at("ratio") == ratio);
    CHECK(comparison.at("copy").at("seconds").at("second") == 105.0);
    CHECK(comparison.at("copy").at("stalls") == json{{"first", 21}, {"second", 0}, {"ratio", 0.0}});
    CHECK(comparison.at("copy").at("written_bytes").at("ratio").is_null());
    CHECK(!comparison.at("copy").contains("drive"));

    const run::digest none = report_test::some_imported_run();
    const json other = base::parse_ordered_json(report::run_json(none, summary_of(none), fast, summary_of(fast)));
    CHECK(other.at("comparison").at("speed_ratio").is_null());
    CHECK(other.at("comparison").at("copy").is_null());
}

TEST_CASE("what is not known is null, never a value") {
    const json all = object_of(report_test::some_imported_run());
    CHECK(all.at("run").at("imported") == true);
    for (const char* key : {"id", "qmpwatch_version", "time", "git_commit", "ci_job"}) {
        CAPTURE(key);
        CHECK(all.at("run").at(key).is_null());
    }
    for (const json& each : all.at("host")) CHECK(each.is_null());
    CHECK(all.at("vm").at("version").is_null());
    CHECK(all.at("vm").at("pid").is_null());
    CHECK(all.at("end").at("reason") == "imported");
    CHECK(all.at("end").at("complete") == true);
    const json& drive = all.at("drives")[0];
    for (const char* key : {"device", "bus", "file", "format", "read_only", "removable", "size_bytes", "cache"}) {
        CAPTURE(key);
        CHECK(drive.at(key).is_null());
    }
    CHECK(all.at("summary").size() == 1);
    CHECK(all.at("summary")[0].at("cpu_percent").is_null());
    CHECK(all.at("intervals")[0].at("time").is_null());
    CHECK(all.at("intervals")[0].at("failed").at("read").is_null());

    const json empty = object_of(run::digest{});
    CHECK(empty.at("end") == json{{"reason", nullptr}, {"complete", false}, {"exit_code", nullptr}});
    CHECK(empty.at("medium").is_null());
    CHECK(empty.at("vm").at("vm").is_null());
    CHECK(empty.at("intervals") == json::array());
}

TEST_CASE("names do no harm") {
    run::digest all = report_test::some_slow_run();
    all.vm.vm = "\x1b[2J\xff";
    all.drives[1].drive = "a\n\xc2\x9b";
    all.info.about.labels = {{"\x07", "\x7f"}};
    const std::string line = report::run_json(all, summary_of(all));
    CHECK(line.find('\x1b') == std::string::npos);
    CHECK(line.find("\xc2\x9b") == std::string::npos);
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(base::parse_ordered_json(line).at("vm").at("vm") == "?[2J?");
}
