#include "run/progress.hpp"

#include "run/synthetic.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace qmpwatch;
using base::nanoseconds;
using run::direction;
using run::progress;
using run_test::at;

namespace {

sample::drive_counters counters(std::uint64_t read, std::uint64_t written, std::optional<nanoseconds> idle = {}) {
    sample::drive_counters made;
    made[sample::operation::read] = {read, read / 1000, read * 10, 0, 0, 0};
    made[sample::operation::write] = {written, written / 1000, written * 20, 0, 0, 0};
    made.idle = idle;
    return made;
}

}  // namespace

TEST_CASE("amounts add up and subtract") {
    run::amount sum{1, 2, 3};
    sum += {10, 20, 30};
    CHECK(sum == run::amount{11, 22, 33});
    CHECK(sum - run::amount{1, 2, 3} == run::amount{10, 20, 30});
}

TEST_CASE("nothing was sampled") {
    const progress nothing;
    CHECK(nothing.points().empty());
    CHECK(nothing.bytes_at(at(5), direction::read) == 0);
    CHECK(nothing.amount_at(at(5), direction::write) == run::amount{});
    CHECK(!nothing.reached(0, direction::read));
    CHECK(nothing.at(at(5)).elapsed == at(5));
    CHECK(nothing.at(at(5)).read == run::amount{});
}

TEST_CASE("what a drive had done before the first sample does not count") {
    progress moved;
    moved.add(at(2), counters(5'000'000, 7'000'000));
    REQUIRE(moved.points().size() == 1);
    CHECK(moved.points()[0].read == run::amount{});
    CHECK(moved.bytes_at(at(100), direction::write) == 0);
    CHECK(*moved.reached(0, direction::read) == at(2));
    CHECK(!moved.reached(1, direction::read));

    moved.add(at(4), counters(6'000'000, 7'500'000));
    CHECK(moved.points()[1].read == run::amount{1'000'000, 1000, 10'000'000});
    CHECK(moved.points()[1][direction::write] == run::amount{500'000, 500, 10'000'000});
}

TEST_CASE("between two samples in proportion") {
    progress moved;
    moved.add(at(10), counters(0, 0));
    moved.add(at(20), counters(1'000'000, 400'000));
    moved.add(at(30), counters(1'000'000, 800'000));
    CHECK(moved.bytes_at(at(9.9), direction::read) == 0);
    CHECK(moved.bytes_at(at(10), direction::read) == 0);
    CHECK(moved.bytes_at(at(12.5), direction::read) == doctest::Approx(250'000));
    CHECK(moved.amount_at(at(12.5), direction::read) == run::amount{250'000, 250, 2'500'000});
    CHECK(moved.bytes_at(at(20), direction::read) == doctest::Approx(1'000'000));
    CHECK(moved.bytes_at(at(25), direction::write) == doctest::Approx(600'000));
    CHECK(moved.bytes_at(at(31), direction::write) == doctest::Approx(800'000));

    CHECK(*moved.reached(0, direction::read) == at(10));
    CHECK(*moved.reached(250'000, direction::read) == at(12.5));
    CHECK(*moved.reached(1'000'000, direction::read) == at(20));
    CHECK(*moved.reached(500'000, direction::write) == at(22.5));
    CHECK(!moved.reached(1'000'001, direction::read));

    CHECK(moved.at(at(9)).read.bytes == 0);
    CHECK(moved.at(at(19.9)).elapsed == at(10));
    CHECK(moved.at(at(20)).read.bytes == 1'000'000);
    CHECK(moved.at(at(99)).elapsed == at(30));
}

TEST_CASE("after the last completion nothing was done") {
    progress moved;
    moved.add(at(0), counters(0, 0));
    moved.add(at(10), counters(1'000'000, 0, at(6)));
    CHECK(moved.points()[1].last_completion == at(4));
    CHECK(moved.bytes_at(at(2), direction::read) == doctest::Approx(500'000));
    CHECK(moved.bytes_at(at(4), direction::read) == doctest::Approx(1'000'000));
    CHECK(moved.bytes_at(at(9), direction::read) == doctest::Approx(1'000'000));
    CHECK(*moved.reached(1'000'000, direction::read) == at(4));
    CHECK(*moved.reached(500'000, direction::read) == at(2));
}

TEST_CASE("an idle time that contradicts the counters is held within the samples") {
    progress moved;
    moved.add(at(0), counters(0, 0));
    moved.add(at(10), counters(1000, 0, at(25)));
    CHECK(moved.bytes_at(at(0), direction::read) == 0);
    CHECK(moved.bytes_at(at(1), direction::read) == doctest::Approx(1000));
    CHECK(*moved.reached(500, direction::read) == at(0));
}

TEST_CASE("the last completion without an idle time is the sample that had it") {
    progress moved;
    moved.add(at(0), counters(0, 0));
    moved.add(at(1), counters(1000, 0));
    moved.add(at(2), counters(1000, 0));
    moved.add(at(3), counters(1000, 1000));
    CHECK(moved.points()[1].last_completion == at(1));
    CHECK(moved.points()[2].last_completion == at(1));
    CHECK(moved.points()[3].last_completion == at(3));
}

TEST_CASE("counters that a new QEMU has reset go on") {
    progress moved;
    moved.add(at(0), counters(1'000'000, 0));
    moved.add(at(1), counters(3'000'000, 1'000'000));
    moved.add(at(2), counters(500'000, 0));  // nobody knows since when
    moved.add(at(3), counters(900'000, 200'000));
    CHECK(moved.points()[2].read.bytes == 2'000'000);
    CHECK(moved.points()[3].read.bytes == 2'400'000);
    CHECK(moved.points()[3].write.bytes == 1'200'000);
}

TEST_CASE("of two samples at one time the later stands") {
    progress moved;
    moved.add(at(0), counters(0, 0));
    moved.add(at(1), counters(1000, 0));
    moved.add(at(1), counters(3000, 0));
    moved.add(at(0.5), counters(4000, 0));  // must not happen, and does no harm
    moved.add(at(2), counters(5000, 0));
    REQUIRE(moved.points().size() == 3);
    CHECK(moved.points()[1].elapsed == at(1));
    CHECK(moved.points()[1].read.bytes == 4000);
    CHECK(moved.points()[2].read.bytes == 5000);
}

TEST_CASE("a day at 1 Hz is looked up quickly") {
    run_test::synthetic_drive drive("long");
    drive.move(86400, 4e6);
    const progress& moved = drive.digest().moved;
    REQUIRE(moved.points().size() == 86401);
    const auto begin = std::chrono::steady_clock::now();
    double last = 0;
    for (int i = 0; i < 86400; ++i) {
        const double bytes = moved.bytes_at(at(i + 0.5), direction::read);
        REQUIRE(bytes >= last);
        last = bytes;
        REQUIRE(moved.reached(bytes, direction::read).has_value());
    }
    CHECK(base::in_seconds(std::chrono::steady_clock::now() - begin) < 5);
}
