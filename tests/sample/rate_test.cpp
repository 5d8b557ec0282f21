// Rates between two samples, and what counts as a reset.
#include "sample/rate.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace qmpwatch::sample;
using qmpwatch::base::milliseconds;
using qmpwatch::base::nanoseconds;
using qmpwatch::base::seconds;

namespace {

drive_counters counters(operation kind, const operation_counters& values) {
    drive_counters made;
    made[kind] = values;
    return made;
}

}  // namespace

TEST_CASE("rates of reads") {
    const auto before = counters(operation::read, {1'000'000, 10, 5'000'000, 0, 0, 0});
    const auto after = counters(operation::read, {9'200'000, 135, 255'000'000, 0, 0, 0});
    const auto rate = rate_between(before, after, seconds(2));
    REQUIRE(rate.has_value());
    CHECK(rate->window == seconds(2));
    CHECK(rate->read.bytes_per_second == doctest::Approx(4'100'000));
    CHECK(rate->read.operations_per_second == doctest::Approx(62.5));
    CHECK(rate->read.mean_bytes.value() == doctest::Approx(65'600));
    CHECK(rate->read.mean_latency_seconds.value() == doctest::Approx(0.002));
    CHECK(rate->busy_ratio == doctest::Approx(0.125));
    CHECK(rate->write.bytes_per_second == 0);
    CHECK_FALSE(rate->write.mean_bytes.has_value());
    CHECK_FALSE(rate->write.mean_latency_seconds.has_value());
}

TEST_CASE("all is reads and writes; busy is everything") {
    const drive_counters before;
    drive_counters after;
    after[operation::read] = {300, 3, 100'000'000, 0, 0, 0};
    after[operation::write] = {500, 1, 200'000'000, 0, 0, 0};
    after[operation::flush] = {0, 7, 400'000'000, 0, 0, 0};
    after[operation::discard] = {4096, 2, 800'000'000, 0, 0, 0};
    const auto rate = rate_between(before, after, seconds(1));
    REQUIRE(rate.has_value());
    CHECK(rate->all.bytes_per_second == 800);
    CHECK(rate->all.operations_per_second == 4);
    CHECK(rate->all.mean_bytes.value() == 200);
    CHECK(rate->all.mean_latency_seconds.value() == doctest::Approx(0.075));
    CHECK(rate->flush.operations_per_second == 7);
    CHECK(rate->flush.mean_bytes.value() == 0);
    CHECK(rate->discard.bytes_per_second == 4096);
    CHECK(rate->busy_ratio == doctest::Approx(1.5));
}

TEST_CASE("nothing happened is a rate of zero, not no rate") {
    const auto same = counters(operation::write, {1, 2, 3, 4, 5, 6});
    const auto rate = rate_between(same, same, milliseconds(250));
    REQUIRE(rate.has_value());
    CHECK(rate->all.bytes_per_second == 0);
    CHECK_FALSE(rate->all.mean_latency_seconds.has_value());
    CHECK(rate->busy_ratio == 0);
}

TEST_CASE("no rate without elapsed time") {
    CHECK_FALSE(rate_between({}, {}, nanoseconds(0)).has_value());
    CHECK_FALSE(rate_between({}, {}, nanoseconds(-1)).has_value());
    CHECK(rate_between({}, {}, nanoseconds(1)).has_value());
}

TEST_CASE("any counter that falls is a reset") {
    const operation_counters high{10, 10, 10, 10, 10, 10};
    for (const operation kind : operations) {
        const auto before = counters(kind, high);
        CHECK(continues(before, before));
        for (auto member : {&operation_counters::bytes, &operation_counters::completed, &operation_counters::time_ns,
                            &operation_counters::merged, &operation_counters::failed, &operation_counters::invalid}) {
            auto after = before;
            after[kind].*member = 9;
            CHECK_FALSE(continues(before, after));
            CHECK(continues(after, before));
            CHECK_FALSE(rate_between(before, after, seconds(1)).has_value());
        }
    }
}

TEST_CASE("idle time and the highest offset may fall") {
    drive_counters before;
    before.idle = seconds(10);
    before.highest_write_offset_bytes = 1 << 20;
    drive_counters after;
    after.idle = nanoseconds(0);
    after.highest_write_offset_bytes = 0;
    CHECK(continues(before, after));
    CHECK(continues(after, before));
}

TEST_CASE("counters that one of the monitors does not report say nothing") {
    drive_counters detailed;
    detailed[operation::read] = {100, 1, 1, 0, 5, 5};
    detailed[operation::discard] = {4096, 1, 1'000'000'000, 0, 0, 0};
    drive_counters plain = counters(operation::read, {200, 2, 2, 0, 0, 0});
    plain.detailed = false;
    const auto down = rate_between(detailed, plain, seconds(1));
    REQUIRE(down.has_value());
    CHECK(down->read.bytes_per_second == 100);
    CHECK(down->discard.bytes_per_second == 0);

    detailed[operation::read].bytes = 300;
    detailed[operation::read].completed = 3;
    detailed[operation::read].time_ns = 3;
    const auto up = rate_between(plain, detailed, seconds(1));
    REQUIRE(up.has_value());
    CHECK(up->discard.operations_per_second == 0);
    CHECK(up->busy_ratio == doctest::Approx(1e-9));
}

TEST_CASE("differences of large counters are exact") {
    constexpr std::uint64_t large = 1ULL << 63U;
    const auto rate = rate_between(counters(operation::read, {large, large, large, 0, 0, 0}),
                                   counters(operation::read, {large + 1, large + 1, large + 1, 0, 0, 0}), seconds(1));
    REQUIRE(rate.has_value());
    CHECK(rate->read.bytes_per_second == 1);
    CHECK(rate->read.operations_per_second == 1);
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    drive_counters full;
    full[operation::read] = full[operation::write] = {most, most, most, most, most, most};
    const auto huge = rate_between({}, full, seconds(1));
    REQUIRE(huge.has_value());
    CHECK(huge->all.bytes_per_second == doctest::Approx(36893488147419103230.0));
}
