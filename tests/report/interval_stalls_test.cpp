#include "report/interval_stalls.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using base::seconds;

namespace {

void add_stall(run::digest& to, std::string drive, seconds start, seconds length) {
    run::stall_digest one;
    one.drive = std::move(drive);
    one.start = start;
    one.length = length;
    to.stalls.push_back(one);
}

void add_interval(run::digest& to, std::string drive, seconds end) {
    run::interval_digest one;
    one.elapsed = end;
    one.rate.drive = std::move(drive);
    to.intervals.push_back(one);
}

}  // namespace

TEST_CASE("a stall belongs to the interval of its drive in which it ended") {
    run::digest all;
    for (const seconds end : {seconds(15), seconds(30), seconds(60)}) {
        add_interval(all, "a", end);
        add_interval(all, "b", end);
    }
    add_stall(all, "a", seconds(-4), seconds(6));   // before the first sample
    add_stall(all, "a", seconds(5), seconds(10));   // ends with the first interval
    add_stall(all, "a", seconds(6), seconds(40));   // over the second
    add_stall(all, "a", seconds(20), seconds(5));
    add_stall(all, "a", seconds(50), seconds(11));  // ends after the last
    add_stall(all, "gone", seconds(1), seconds(2));
    const auto sums = report::stalls_by_interval(all);
    REQUIRE(sums.size() == 6);
    CHECK(sums[0].ended == 2);
    CHECK(sums[0].lost == seconds(16));
    CHECK(sums[2].ended == 1);
    CHECK(sums[2].lost == seconds(5));
    CHECK(sums[4].ended == 1);
    CHECK(sums[4].lost == seconds(40));
    for (const std::size_t of_b : {1U, 3U, 5U}) {
        CHECK(sums[of_b].ended == 0);
        CHECK(sums[of_b].lost == seconds(0));
    }
    CHECK(report::stalls_by_interval({}).empty());
}
