#include "report/summary_fields.hpp"

#include "base/json.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace qmpwatch;
using json = nlohmann::ordered_json;

TEST_CASE("a drive that did nothing has the same keys as one that did much") {
    run::drive_summary idle, busy;
    busy.drive = "disk";
    busy.read.done = {1000, 10, 5'000'000};
    busy.read.bytes_per_second = 50;
    busy.read.windows = run::distribution{1, 2, 3, 4, 5, 6};
    busy.read.reached[4] = base::seconds(20);
    busy.stalls = {{stall::cause::io_error, 2, base::seconds(3)}, {stall::cause::unknown, 1, base::seconds(4)}};
    json nothing, much;
    report::append(nothing, report::summary_fields(idle));
    report::append(much, report::summary_fields(busy));
    REQUIRE(nothing.size() == much.size());
    for (auto one = nothing.begin(), other = much.begin(); one != nothing.end(); ++one, ++other) {
        CHECK(one.key() == other.key());
    }
    CHECK(much.at("read_bytes") == 1000);
    CHECK(much.at("reads_completed") == 10);
    CHECK(much.at("read_time_seconds") == 0.005);
    CHECK(much.at("read_bytes_per_second") == 50);
    CHECK(much.at("read_iops").is_null());
    CHECK(base::json_text(much.at("read_windows")) ==
          R"({"count":6,"mean_bytes_per_second":1.0,"median_bytes_per_second":2.0,"p10_bytes_per_second":3.0,)"
          R"("p90_bytes_per_second":4.0,"max_bytes_per_second":5.0})");
    CHECK(much.at("read_reached_seconds").at("100") == 20.0);
    CHECK(much.at("read_reached_seconds").at("25").is_null());
    CHECK(much.at("written_bytes") == 0);
    CHECK(much.at("write_windows").at("count") == 0);
    CHECK(much.at("write_windows").at("mean_bytes_per_second").is_null());
    CHECK(much.at("stalls") == 3);
    CHECK(much.at("stall_seconds") == 7.0);
    CHECK(nothing.at("bytes_per_second_without_stalls").is_null());
}
