#include "run/run.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace qmpwatch;
using namespace qmpwatch::run;

TEST_CASE("each reason has a name of its own") {
    std::set<std::string_view> names;
    for (const end_reason reason : end_reasons) names.insert(name(reason));
    CHECK(names.size() == end_reasons.size());
    CHECK(names.contains("guest-shutdown"));
    CHECK_FALSE(names.contains("unknown"));
}

TEST_CASE("what is complete") {
    const auto complete = [](end_reason reason, std::optional<int> code = {}) {
        end how;
        how.reason = reason;
        how.exit_code = code;
        return how.is_complete();
    };
    CHECK(complete(end_reason::guest_shutdown));
    CHECK(complete(end_reason::quiet));
    CHECK(complete(end_reason::imported));
    CHECK(complete(end_reason::command_exit, 0));
    CHECK_FALSE(complete(end_reason::command_exit, 1));
    CHECK_FALSE(complete(end_reason::command_exit));
    CHECK_FALSE(complete(end_reason::time_limit));
    CHECK_FALSE(complete(end_reason::interrupted));
    CHECK_FALSE(complete(end_reason::monitor_lost));
}

TEST_CASE("some things have a time, others only a place in the order") {
    base::instant at;
    at.steady += base::seconds(7);
    CHECK(time_of(marker{"x", at})->steady == at.steady);
    CHECK(time_of(sample::qmp_event{"STOP", "", at})->steady == at.steady);
    CHECK_FALSE(time_of(sample::inventory{}).has_value());
    CHECK_FALSE(time_of(sample::vm_identity{}).has_value());
    CHECK_FALSE(time_of(sample::poll_result{}).has_value());
}
