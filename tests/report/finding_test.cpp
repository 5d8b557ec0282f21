#include "report/finding.hpp"

#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace qmpwatch;
using json = nlohmann::ordered_json;

namespace {

stall::finding some_finding() {
    stall::finding one;
    one.id = "throttled";
    one.severity = stall::severity::warning;
    one.certainty = stall::certainty::known;
    one.drive = "disk\x1b";
    one.title = "it has limits";
    one.known = {"One fact that is so long that it needs two lines of forty columns."};
    one.remedies = {{"Take them away.", "block_set_io_throttle disk 0 0 0 0 0 0 and more than fits a line"},
                    {"Or wait.", ""}};
    one.proof = "look";
    return one;
}

}  // namespace

TEST_CASE("a finding for people") {
    CHECK(report::finding_text(3, some_finding(), 40) ==
          "3. WARNING  disk?: it has limits (known)\n"
          "   known  - One fact that is so long\n"
          "            that it needs two lines of\n"
          "            forty columns.\n"
          "   do     - Take them away.\n"
          "              block_set_io_throttle disk 0 0 0 0 0 0 and more than fits a line\n"
          "          - Or wait.\n"
          "   prove  - look\n");
    CHECK(report::finding_text(1, {}, 40) == "1. NOTE   (possible)\n");
    CHECK(report::heading(stall::severity::problem) == "PROBLEM");
}

TEST_CASE("a finding for scripts") {
    const json object = report::finding_object<json>(some_finding());
    CHECK(object.at("id") == "throttled");
    CHECK(object.at("drive") == "disk?");
    CHECK(object.at("severity") == "warning");
    CHECK(object.at("remedies")[1].at("option").is_null());
    CHECK(object.at("known").size() == 1);
    const json empty = report::finding_object<json>(stall::finding{});
    CHECK(empty.at("drive").is_null());
    CHECK(empty.at("known") == json::array());
    CHECK(empty.at("remedies") == json::array());
    CHECK(empty.at("proof").is_null());
}
