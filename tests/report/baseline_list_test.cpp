#include "report/baseline_list.hpp"

#include "base/json.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace qmpwatch;
using report::baseline_state;
using report::listed_baseline;
using support::has;

namespace {

listed_baseline listed(const std::string& file, const std::string& kind, baseline_state state) {
    listed_baseline made;
    made.accepted.file = file;
    made.accepted.sha256 = std::string(64, '0');
    made.accepted.fingerprint = kind;
    made.accepted.fingerprint_text = "bus=" + kind;
    made.accepted.recorded = "2026-11-30T21:29:13.042Z";
    made.accepted.accepted = "2026-12-07T08:00:00.000Z";
    made.state = state;
    return made;
}

}  // namespace

TEST_CASE("accepted runs are listed by kind") {
    std::vector<listed_baseline> runs{
        listed("a.run", "usb", baseline_state::older), listed("b.run", "nvme", baseline_state::missing),
        listed("c.run", "usb", baseline_state::counts), listed("d.run", "usb", baseline_state::retired)};
    runs[0].accepted.recorded.clear();
    runs[2].accepted.note = "\x1b[31mred";
    const std::string text = report::baseline_list_text(runs, "baselines", 100);
    CHECK(text == "Baselines in baselines\n"
                  "  1 of 4 runs count, 1 is missing\n"
                  "\n"
                  "Kind usb\n"
                  "  bus=usb\n"
                  "\n"
                  "  file   recorded          accepted          state    note\n"
                  "  a.run  -                 2026-12-07 08:00  older\n"
                  "  c.run  2026-11-30 21:29  2026-12-07 08:00  counts   ?[31mred\n"
                  "  d.run  2026-11-30 21:29  2026-12-07 08:00  retired\n"
                  "\n"
                  "Kind nvme\n"
                  "  bus=nvme\n"
                  "\n"
                  "  file   recorded          accepted          state    note\n"
                  "  b.run  2026-11-30 21:29  2026-12-07 08:00  missing\n");
    for (listed_baseline& each : runs) each.state = baseline_state::changed;
    CHECK(has(report::baseline_list_text(runs, "baselines", 100), "0 of 4 runs count, 4 are changed\n"));
    CHECK(has(report::baseline_list_text({}, "baselines", 100), "0 of 0 runs count\n"));
}

TEST_CASE("accepted runs as JSON") {
    const auto all = base::parse_json(report::baseline_list_json({listed("a.run", "usb", baseline_state::older)}));
    CHECK(all["schema"]["name"] == "qmpwatch-baseline-list");
    REQUIRE(all["runs"].size() == 1);
    CHECK(all["runs"][0]["file"] == "a.run");
    CHECK(all["runs"][0]["state"] == "older");
    CHECK(all["runs"][0]["of"] == "bus=usb");
    CHECK(all["runs"][0]["retired"] == "");
}
