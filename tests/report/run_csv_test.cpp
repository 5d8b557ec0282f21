#include "report/csv_reader.hpp"
#include "report/run_report.hpp"
#include "report/some_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace qmpwatch;
using report_test::read_csv;

namespace {

using rows = std::vector<std::vector<std::string>>;

std::string cell_of(const rows& table, std::size_t row, const std::string& name) {
    const auto column = std::find(table[0].begin(), table[0].end(), name);
    REQUIRE_MESSAGE(column != table[0].end(), name);
    return table[row][static_cast<std::size_t>(column - table[0].begin())];
}

}  // namespace

TEST_CASE("a run as CSV, and two of them") {
    const std::string one = report::run_csv(report_test::some_slow_run());
    CHECK(one == support::golden("report.csv", one));
    const std::string two = report::run_csv(report_test::some_slow_run(), report_test::some_run());
    CHECK(two == support::golden("report_two.csv", two));
}

TEST_CASE("the rows are the intervals") {
    const run::digest all = report_test::some_slow_run();
    const rows table = read_csv(report::run_csv(all));
    REQUIRE(table.size() == all.intervals.size() + 1);
    std::map<std::string, double> stalls, lost;
    for (std::size_t i = 1; i < table.size(); ++i) {
        REQUIRE(table[i].size() == table[0].size());
        const pipeline::rate_notice& rate = all.intervals[i - 1].rate;
        CHECK(cell_of(table, i, "drive") == rate.drive);
        CHECK(std::stod(cell_of(table, i, "elapsed")) == base::in_seconds(all.intervals[i - 1].elapsed));
        CHECK(std::stod(cell_of(table, i, "read_bytes_per_second")) == rate.rate->read.bytes_per_second);
        CHECK(std::stoull(cell_of(table, i, "read_bytes")) == rate.counters[sample::operation::read].bytes);
        stalls[rate.drive] += std::stod(cell_of(table, i, "stalls_ended"));
        lost[rate.drive] += std::stod(cell_of(table, i, "stall_seconds"));
    }
    CHECK(cell_of(table, 1, "time") == "2026-11-30T20:00:15.040Z");
    CHECK(cell_of(table, 1, "vm") == "winarm");
    CHECK(stalls["install_media"] == 21);
    CHECK(stalls["system"] == 0);
    CHECK(lost["install_media"] == doctest::Approx(230.95));
}

TEST_CASE("two runs are told apart by the first column") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const rows table = read_csv(report::run_csv(slow, fast));
    REQUIRE(table.size() == 1 + slow.intervals.size() + fast.intervals.size());
    CHECK(table[0][0] == "run");
    CHECK(table[1][0] == "1");
    CHECK(table[slow.intervals.size()][0] == "1");
    CHECK(table[slow.intervals.size() + 1][0] == "2");
}

TEST_CASE("what is not known is an empty cell, and names are quoted") {
    run::digest all = report_test::some_imported_run();
    all.vm.vm = "a,\"b\"\x1b";
    const rows table = read_csv(report::run_csv(all));
    REQUIRE(table.size() == 4);
    CHECK(cell_of(table, 1, "time") == "");
    CHECK(cell_of(table, 1, "elapsed") == "15");
    CHECK(cell_of(table, 1, "vm") == "a,\"b\"?");
    CHECK(cell_of(table, 1, "device") == "");
    CHECK(cell_of(table, 1, "failed_read") == "");
    CHECK(cell_of(table, 1, "reads_completed") == "2");
    CHECK(read_csv(report::run_csv(run::digest{})).size() == 1);
}
