// Changes have names, and totals fill a histogram.
#include "stall/transition.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>

using namespace qmpwatch;
using namespace qmpwatch::stall;

TEST_CASE("changes have their documented names") {
    CHECK(name(change::suspected) == "suspected");
    CHECK(name(change::closed) == "closed");
    CHECK(name(change::withdrawn) == "withdrawn");
    CHECK(name(change::level_changed) == "level_changed");
    CHECK(name(change::cleared) == "cleared");
}

TEST_CASE("totals fill their histogram") {
    cause_totals totals;
    for (const int milliseconds : {500, 9500, 9501, 10050, 200000}) totals.add(base::milliseconds(milliseconds));
    CHECK(totals.count == 5);
    CHECK(totals.lost == base::milliseconds(229551));
    CHECK(std::accumulate(totals.buckets.begin(), totals.buckets.end(), std::uint64_t{0}) == 5);
    CHECK(totals.buckets.front() == 1);
    CHECK(totals.buckets[6] == 1);  // 9.5 s is at the bound
    CHECK(totals.buckets.back() == 1);
}
