#include "gate/limits.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

namespace qmpwatch::gate {
namespace {

using namespace std::chrono_literals;

run::digest with_stalls(const std::vector<stall::cause>& causes, base::nanoseconds each) {
    run::digest made;
    for (const stall::cause cause : causes) {
        run::stall_digest one;
        one.cause = cause;
        one.length = each;
        made.stalls.push_back(one);
    }
    return made;
}

TEST_CASE("each limit is held against the run that is worst by it") {
    const run::digest quiet, two = with_stalls({stall::cause::lost_completion, stall::cause::slow_backend}, 4s),
                             one = with_stalls({stall::cause::vm_paused}, 10s);
    const std::vector<limited_run> runs{{"a.run", &quiet, 50e6}, {"b.run", &two, 60e6}, {"c.run", &one, 40e6}};
    limit_settings how;
    CHECK(!how.has_any());
    CHECK(check_limits(runs, how).empty());
    how.max_stalls = 1;
    how.max_stalled = 10s;
    how.no_cause = {stall::cause::lost_completion, stall::cause::io_error};
    how.min_bytes_per_second = 40e6;
    CHECK(how.has_any());
    const std::vector<limit_outcome> seen = check_limits(runs, how);
    REQUIRE(seen.size() == 5);
    CHECK(seen[0].name == "max-stalls");
    CHECK(seen[0].limit == "at most 1");
    CHECK(seen[0].seen == "2 in b.run");
    CHECK(seen[0].its == verdict::fail);
    CHECK(seen[1].name == "max-stall-seconds");
    CHECK(seen[1].seen == "10.0 s in c.run");
    CHECK(seen[1].its == verdict::pass);  // just at the limit
    CHECK(seen[2].name == "no-cause lost_completion");
    CHECK(seen[2].path == "b.run");
    CHECK(seen[2].its == verdict::fail);
    CHECK(seen[3].name == "no-cause io_error");
    CHECK(seen[3].its == verdict::pass);
    CHECK(seen[4].name == "min-throughput");
    CHECK(seen[4].limit == "at least 40.0 MB/s");
    CHECK(seen[4].seen == "40.0 MB/s in c.run");
    CHECK(seen[4].limit_value == 40e6);
    CHECK(seen[4].its == verdict::pass);
}

TEST_CASE("a run that moved nothing has no throughput, which is below every limit") {
    const run::digest nothing;
    const std::vector<limited_run> runs{{"a.run", &nothing, std::nullopt}};
    limit_settings how;
    how.min_bytes_per_second = 1;
    const std::vector<limit_outcome> seen = check_limits(runs, how);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].its == verdict::fail);
    CHECK(seen[0].seen_value == 0);
    CHECK(seen[0].seen == "0 B/s");
}

}  // namespace
}  // namespace qmpwatch::gate
