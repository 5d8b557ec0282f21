#include "base/json.hpp"
#include "report/csv_reader.hpp"
#include "report/gate_report.hpp"
#include "report/some_gate.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

using namespace qmpwatch;
using gate::reason;
using support::has;
using json = nlohmann::ordered_json;

namespace {

json object_of(const report::gate_report& of) { return base::parse_ordered_json(report::gate_json(of)); }

/// The keys of an object and of all in it; of arrays their first element's.
void collect(const json& of, const std::string& place, std::set<std::string>& keys) {
    if (of.is_array() && !of.empty()) collect(of[0], place + "[]", keys);
    if (!of.is_object()) return;
    for (const auto& [key, value] : of.items()) {
        keys.insert(place + "." + key);
        collect(value, place + "." + key, keys);
    }
}

std::set<std::string> key_set_of(const json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
}

std::set<std::string> metric_keys(const report::gate_report& of) { return key_set_of(object_of(of)["metrics"][0]); }

}  // namespace

TEST_CASE("a verdict as JSON") {
    const std::string text = report::gate_json(report_test::some_failed_gate());
    CHECK(text == support::golden("gate_fail.json", text));
    CHECK(text.find('\n') == text.size() - 1);
    const json all = base::parse_ordered_json(text);
    CHECK(all.begin().key() == "schema");
    CHECK(all["schema"] == json{{"name", "qmpwatch-gate"}, {"version", 1}, {"minor", 0}});
    CHECK(all["verdict"] == "fail");
    CHECK(all["exit_code"] == 1);
    CHECK(all["problem"].is_null());
    CHECK(all["arguments"][1] == "--baseline");
    CHECK(all["settings"]["margin"] == 0.2);
    CHECK(all["settings"]["max_age_seconds"] == 30.0 * 24 * 3600);
    CHECK(all["candidates"].size() == 3);
    CHECK(all["baselines"][1]["lost_seconds"] == 50.4);
    CHECK(all["baselines"][0]["recorded"] == "2026-11-30T21:00:00.000Z");
    CHECK(all["warnings"].size() == 1);
    const json& copy = all["metrics"][0];
    CHECK(copy["name"] == "copy");
    CHECK(copy["verdict"] == "fail");
    CHECK(copy["reason"].is_null());
    CHECK(copy["method"] == "rank");
    CHECK(copy["ratio"].get<double>() == doctest::Approx(0.733333).epsilon(1e-5));
    CHECK(copy["log_ratio"].get<double>() == doctest::Approx(-0.310155).epsilon(1e-5));
    CHECK(copy["p"].get<double>() == doctest::Approx(0.05));
    CHECK(copy["U"] == 0.0);
    CHECK(copy["k"] == 1);
    CHECK(copy["df"].is_null());
    CHECK(copy["harshest"].is_null());
    CHECK(copy["checkpoint"]["share"] == 1.0);
    CHECK(has(copy["resampled"]["label"].get<std::string>(), "for display only"));
    REQUIRE(copy["runs"].size() == 6);
    CHECK(copy["runs"][0]["side"] == "baseline");
    CHECK(copy["runs"][3]["time_seconds"] == 210.0);
    CHECK(copy["runs"][3]["is_cut"] == false);
    CHECK(copy["runs"][3]["evenness"]["label"] == "this run only");
    CHECK(copy["runs"][4]["evenness"].is_null());
}

TEST_CASE("the keys are the same whatever is known") {
    const std::set<std::string> usual = metric_keys(report_test::some_failed_gate());
    for (const reason why :
         {reason::noise, reason::few_runs, reason::resolution, reason::censored, reason::too_short}) {
        CAPTURE(gate::name(why));
        CHECK(metric_keys(report_test::some_open_gate(why)) == usual);
        CHECK(object_of(report_test::some_open_gate(why))["metrics"][0]["reason"] == std::string(gate::name(why)));
    }
    CHECK(key_set_of(object_of(report_test::some_failed_gate())) ==
          key_set_of(object_of(report_test::some_failed_comparison())));
}

TEST_CASE("docs/gate-json.md names every key") {
    const std::string page = support::fixture("../../docs/gate-json.md");
    std::set<std::string> keys;
    collect(object_of(report_test::some_cut_gate()), "", keys);
    collect(object_of(report_test::some_gate_with_limits()), "", keys);
    collect(base::parse_ordered_json(report::calibration_json(report_test::some_calibration(), {})), "", keys);
    for (const std::string& each : keys) {
        const std::string key = each.substr(each.rfind('.') + 1);
        CAPTURE(each);
        CHECK(has(page, "`" + key + "`"));
    }
}

TEST_CASE("what has no bound is null, never NaN or infinity") {
    const std::string text = report::gate_json(report_test::some_open_gate(reason::censored));
    const json copy = base::parse_ordered_json(text)["metrics"][0];
    CHECK(copy["upper"].is_null());
    CHECK(copy["log_upper"].is_null());
    CHECK(copy["harshest"]["lower"] == 0.0);
    CHECK(copy["harshest"]["log_lower"].is_null());
    for (const char* bad : {"nan", "inf\"", ":inf", "e+", "1000000.0"}) {
        CAPTURE(bad);
        CHECK_FALSE(has(text, bad));
    }
    const json nothing = object_of(report_test::some_open_gate(reason::too_short))["metrics"][0];
    CHECK(nothing["ratio"].is_null());
    CHECK(nothing["method"].is_null());
    CHECK(nothing["checkpoint"]["bytes"].is_null());
    CHECK(nothing["runs"][0]["time_seconds"].is_null());
    const json t = object_of(report_test::some_gate({180}, {165, 160, 135}))["metrics"][0];
    CHECK(t["method"] == "t");
    CHECK(t["df"] == 2);
    CHECK(t["k"].is_null());
    CHECK(t["used_deviation"].get<double>() == doctest::Approx(0.108075).epsilon(1e-5));
}

TEST_CASE("limits, and what could not be judged, as JSON") {
    const json limits = object_of(report_test::some_limits_only());
    CHECK(limits["metrics"].empty());
    CHECK(limits["baselines"].empty());
    CHECK(limits["limits"][0]["name"] == "max-stalls");
    CHECK(limits["limits"][0]["verdict"] == "fail");
    CHECK(limits["limits"][0]["seen_value"] == 5.0);
    CHECK(limits["settings"]["limits"]["no_cause"][0] == "lost_completion");
    const json error = object_of(report_test::some_failed_comparison());
    CHECK(error["verdict"] == "error");
    CHECK(error["exit_code"] == 2);
    CHECK(has(error["problem"].get<std::string>(), "how the medium is attached differs"));
    CHECK(error["fingerprint"].is_null());
    CHECK(error["metrics"].is_array());
}

TEST_CASE("names from outside are harmless in JSON") {
    const std::string text = report::gate_json(report_test::some_evil_gate("\x1b\x9b\"\\\xff\x7f"));
    CHECK(base::parse_ordered_json(text).is_object());
    for (const char* bad : {"\x1b", "\x9b", "\x7f", "\xff"}) CHECK_FALSE(has(text, bad));
}

TEST_CASE("badges") {
    CHECK(report::gate_badge(report_test::some_passed_gate()) ==
          "{\"schemaVersion\":1,\"label\":\"install\",\"message\":\"pass 1.04x\",\"color\":\"brightgreen\"}\n");
    CHECK(base::parse_ordered_json(report::gate_badge(report_test::some_failed_gate()))["color"] == "red");
    CHECK(base::parse_ordered_json(report::gate_badge(report_test::some_open_gate(reason::noise)))["color"] ==
          "lightgrey");
    CHECK(base::parse_ordered_json(report::gate_badge(report_test::some_open_gate(reason::too_short)))["message"] ==
          "inconclusive");
    const json error = base::parse_ordered_json(report::gate_badge(report_test::some_failed_comparison()));
    CHECK(error["message"] == "error");
    CHECK(error["color"] == "red");
}

TEST_CASE("CSV has a row for each run and metric") {
    const std::string text = report::gate_csv(report_test::some_gate_with_limits());
    CHECK(text == support::golden("gate_limits.csv", text));
    const auto rows = report_test::read_csv(text);
    REQUIRE(rows.size() == 13);
    for (const auto& row : rows) CHECK(row.size() == rows[0].size());
    CHECK(rows[0][0] == "metric");
    CHECK(rows[1][0] == "copy");
    CHECK(rows[1][4] == "baseline");
    CHECK(rows[12][0] == "system:write");
    for (const report::gate_report& of :
         {report_test::some_limits_only(), report_test::some_failed_comparison(), report_test::some_evil_gate("a,\"\n"),
          report_test::some_open_gate(reason::too_short)}) {
        const auto others = report_test::read_csv(report::gate_csv(of));
        REQUIRE(others.size() > 1);
        for (const auto& row : others) CHECK(row.size() == rows[0].size());
    }
    const auto error = report_test::read_csv(report::gate_csv(report_test::some_failed_comparison()));
    CHECK(error[1][1] == "error");
    CHECK(has(error[1][2], "how the medium is attached differs"));
}

TEST_CASE("a calibration as JSON") {
    const std::string text = report::calibration_json(report_test::some_calibration(), {});
    CHECK(text == support::golden("gate_calibration.json", text));
    const json all = base::parse_ordered_json(text);
    CHECK(all["schema"]["name"] == "qmpwatch-calibration");
    CHECK(all["margins"][3]["runs_needed"].is_null());
    CHECK(all["failed"] == 2);
}
