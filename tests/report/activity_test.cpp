#include "report/activity.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace qmpwatch::report {

namespace {

using namespace std::chrono_literals;

/// Reads a megabyte in ten operations and writes half of one in a single, each second.
std::vector<activity_point> steady(std::size_t count, base::nanoseconds apart = 1s) {
    std::vector<activity_point> points;
    for (std::uint64_t i = 0; i < count; ++i) {
        points.push_back({apart * static_cast<std::int64_t>(i), 1'000'000 * i, 10 * i, 500'000 * i, i});
    }
    return points;
}

}  // namespace

TEST_CASE("each pair of samples is a bin while there are few") {
    const auto bins = binned(steady(31), 1s, 600);
    REQUIRE(bins.size() == 30);
    for (const activity_bin& each : bins) {
        CHECK(each.end - each.begin == 1s);
        CHECK(each.read_bytes_per_second == doctest::Approx(1e6));
        CHECK(each.reads_per_second == doctest::Approx(10));
        CHECK(each.written_bytes_per_second == doctest::Approx(5e5));
        CHECK(each.writes_per_second == doctest::Approx(1));
        CHECK(each.is_busy);
    }
}

TEST_CASE("many samples share bins that stand side by side and hold everything") {
    const auto points = steady(86'401);
    const auto bins = binned(points, 1s, 600);
    CHECK(bins.size() <= 600);
    CHECK(bins.size() >= 500);
    CHECK(bins.front().begin == 0s);
    CHECK(bins.back().end == 86'400s);
    double bytes = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (i > 0) CHECK(bins[i].begin == bins[i - 1].end);
        bytes += bins[i].read_bytes_per_second * base::in_seconds(bins[i].end - bins[i].begin);
    }
    CHECK(bytes == doctest::Approx(86'400e6));
}

TEST_CASE("samples that come sooner while a gap is open do not make narrow bins") {
    const auto bins = binned(steady(41, 250ms), 1s, 600);
    CHECK(bins.size() <= 14);
    for (const activity_bin& each : bins) CHECK(each.end - each.begin >= 750ms);
}

TEST_CASE("samples that are a little early still have bins of their own") {
    std::vector<activity_point> points = steady(11);
    for (std::size_t i = 1; i < points.size(); i += 2) points[i].at -= 90ms;
    CHECK(binned(points, 1s, 600).size() == 10);
}

TEST_CASE("a rest that is too short belongs to the last bin") {
    std::vector<activity_point> points = steady(4);
    points.push_back({3100ms, 3'100'000, 31, 1'550'000, 3});
    const auto bins = binned(points, 1s, 600);
    REQUIRE(bins.size() == 3);
    CHECK(bins.back().begin == 2s);
    CHECK(bins.back().end == 3100ms);
    CHECK(bins.back().read_bytes_per_second == doctest::Approx(1.1e6 / 1.1));
}

TEST_CASE("nothing comes of nothing") {
    CHECK(binned({}, 1s, 600).empty());
    CHECK(binned(steady(1), 1s, 600).empty());
    CHECK(binned({{5s, 1, 1, 1, 1}, {5s, 2, 2, 2, 2}}, 1s, 600).empty());
    CHECK(binned(steady(2), 10s, 600).size() == 1);  // shorter than a bin, and all there is
    CHECK(binned(steady(5), 1s, 0).size() == 1);
    const auto idle = binned({{0s, 7, 7, 7, 7}, {1s, 7, 7, 7, 7}}, 1s, 600);
    REQUIRE(idle.size() == 1);
    CHECK_FALSE(idle[0].is_busy);
    CHECK(idle[0].read_bytes_per_second == 0);
}

TEST_CASE("counters of any size") {
    const std::uint64_t most = ~std::uint64_t{};
    const auto bins = binned({{0s, 0, 0, 0, 0}, {1s, most, most, most, most}}, 1s, 600);
    REQUIRE(bins.size() == 1);
    CHECK(bins[0].read_bytes_per_second == doctest::Approx(1.8446744073709552e19));
    CHECK(binned({{0s, 9, 9, 9, 9}, {1s, 1, 1, 1, 1}}, 1s, 600)[0].read_bytes_per_second == 0);  // never below zero
}

}  // namespace qmpwatch::report
