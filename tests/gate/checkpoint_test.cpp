#include "gate/checkpoint.hpp"

#include "gate/made_run.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <string>
#include <vector>

namespace qmpwatch::gate {
namespace {

using gate_test::made_run;

/// Runs, and what was timed of them. Curves refer to the digests, which stay where they are.
class sides_of_runs {
public:
    void add(std::vector<timed_run>& to, const made_run& what) {
        const auto path = folder_.path() / fmt::format("{}.run", inputs_.size());
        inputs_.push_back(gate_test::read_made(path, what));
        to.push_back({fmt::format("{}.run", inputs_.size() - 1), curve::of(inputs_.back().digest, {}).value()});
    }
    std::vector<timed_run> candidates, baselines;

private:
    support::temporary_folder folder_;
    std::deque<input> inputs_;
};

TEST_CASE("all of the bytes, where every run got there") {
    sides_of_runs made;
    made.add(made.candidates, {.seconds = 120});
    made.add(made.baselines, {.seconds = 100});
    const auto at = pick_checkpoint(made.candidates, made.baselines, 0.20, false);
    REQUIRE(at.has_value());
    CHECK(at->share == 1);
    CHECK(at->bytes == 1e9);
    CHECK(!at->has_cut());
    CHECK(!at->is_too_coarse);
    CHECK(base::in_seconds(at->candidates[0].time) == doctest::Approx(120).epsilon(1e-6));
    CHECK(base::in_seconds(at->baselines[0].time) == doctest::Approx(100).epsilon(1e-6));
    CHECK(at->resolution == doctest::Approx(1 / (std::sqrt(6.0) * 100)));
    const sides read = read_as(*at, reading::kindest);
    CHECK(read.candidates[0] - read.baselines[0] == doctest::Approx(std::log(100.0 / 120)));
    CHECK(read.resolution == at->resolution);
}

TEST_CASE("a lower one, where one side was cut short as a whole; both readings where only some were") {
    sides_of_runs made;
    made.add(made.candidates, {.seconds = 200, .cut_after = 130});
    made.add(made.baselines, {.seconds = 100});
    auto at = pick_checkpoint(made.candidates, made.baselines, 0.20, false);
    REQUIRE(at.has_value());
    CHECK(at->share == 0.5);
    CHECK(!at->has_cut());
    made.add(made.candidates, {.seconds = 100});
    at = pick_checkpoint(made.candidates, made.baselines, 0.20, false);
    REQUIRE(at.has_value());
    CHECK(at->share == 1);
    CHECK(at->has_cut());
    CHECK(at->candidates[0].is_cut);
    CHECK(read_as(*at, reading::kindest).candidates[0] == doctest::Approx(-std::log(130)).epsilon(0.01));
    CHECK(read_as(*at, reading::harshest).candidates[0] == log_of_never);
    // A baseline that was cut would be the kinder the longer it took.
    const auto turned = pick_checkpoint(made.baselines, made.candidates, 0.20, false);
    REQUIRE(turned.has_value());
    CHECK(read_as(*turned, reading::kindest).baselines[0] == log_of_never);
    CHECK(read_as(*turned, reading::harshest).baselines[0] == doctest::Approx(-std::log(130)).epsilon(0.01));
}

TEST_CASE("nobody got anywhere near") {
    sides_of_runs made;
    made.add(made.candidates, {.seconds = 1000, .cut_after = 100});
    made.add(made.baselines, {.seconds = 100});
    const auto at = pick_checkpoint(made.candidates, made.baselines, 0.20, false);
    REQUIRE(at.has_value());
    CHECK(at->share == 0);
    CHECK(at->candidates.empty());
}

TEST_CASE("complete runs that moved other amounts did other work") {
    sides_of_runs made;
    made.add(made.candidates, {.seconds = 100, .bytes = 940000000});
    made.add(made.baselines, {.seconds = 100});
    const auto at = pick_checkpoint(made.candidates, made.baselines, 0.20, false);
    REQUIRE(at.has_error());
    CHECK(at.error().code == base::errc::data);
    CHECK(at.error().message.starts_with("0.run moved 940 MB, the baselines 1.00 GB"));
    CHECK(pick_checkpoint(made.candidates, made.baselines, 0.20, true)->share == 0.9);
    sides_of_runs near;
    near.add(near.candidates, {.seconds = 100, .bytes = 960000000});
    near.add(near.baselines, {.seconds = 100});
    CHECK(pick_checkpoint(near.candidates, near.baselines, 0.20, false)->share == 0.9);
}

TEST_CASE("too coarse for the margin") {
    sides_of_runs made;
    made.add(made.candidates, {.seconds = 60, .poll = std::chrono::seconds(5)});
    made.add(made.baselines, {.seconds = 60});
    CHECK(!pick_checkpoint(made.candidates, made.baselines, 0.20, false)->is_too_coarse);
    CHECK(pick_checkpoint(made.candidates, made.baselines, 0.15, false)->is_too_coarse);
}

}  // namespace
}  // namespace qmpwatch::gate
