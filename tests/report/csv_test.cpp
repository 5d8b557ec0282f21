#include "report/csv.hpp"

#include "report/csv_reader.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace qmpwatch;
using report::csv_cell;

TEST_CASE("cells are quoted where they have to be") {
    CHECK(csv_cell("") == "");
    CHECK(csv_cell("plain text") == "plain text");
    CHECK(csv_cell("a,b") == "\"a,b\"");
    CHECK(csv_cell("say \"no\"") == "\"say \"\"no\"\"\"");
    CHECK(csv_cell("a\nb") == "\"a\nb\"");
    CHECK(csv_cell("a\rb") == "\"a\rb\"");
}

TEST_CASE("fields become columns") {
    const std::vector<report::field> fields{{"", "text", std::string("a, \"b\"")},
                                            {"failed", "read", std::uint64_t(18446744073709551615U)},
                                            {"", "nothing", {}},
                                            {"", "rate", 0.1},
                                            {"", "yes", true},
                                            {"", "odd", std::numeric_limits<double>::quiet_NaN()}};
    CHECK(report::csv_names(fields) == ",text,failed_read,nothing,rate,yes,odd");
    const auto rows = report_test::read_csv("x" + report::csv_cells(fields) + '\n');
    REQUIRE(rows.size() == 1);
    CHECK(rows[0] == std::vector<std::string>{"x", "a, \"b\"", "18446744073709551615", "", "0.1", "true", ""});
    CHECK(report::csv_names({}) == "");
    CHECK(report::csv_cells({}) == "");
}
