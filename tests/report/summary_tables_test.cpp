#include "report/summary_tables.hpp"

#include "base/text.hpp"
#include "report/some_run.hpp"
#include "report/summary_fields.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace qmpwatch::report {

namespace {

using support::has;
using support::markup_error;
using support::tagged_values;

/// A field as it must stand in data-value; none when it is not known.
std::optional<std::string> exact(const field& one) {
    if (const auto* count = std::get_if<std::uint64_t>(&one.value)) return fmt::format("{}", *count);
    if (const auto* number = std::get_if<double>(&one.value)) return fmt::format("{}", *number);
    return std::nullopt;
}

}  // namespace

TEST_CASE("numbers are exact and short, or a dash") {
    CHECK(tagged("td", "a.b", shown(std::uint64_t{1'234'567}, "1.23 MB")) ==
          "<td data-key=\"a.b\" data-value=\"1234567\">1.23 MB</td>");
    CHECK(tagged("td", "a", shown(std::optional(0.25), "0.25"), " colspan=\"2\"") ==
          "<td colspan=\"2\" data-key=\"a\" data-value=\"0.25\">0.25</td>");
    CHECK(tagged("span", "a", {}) == "<span class=\"zero\">-</span>");
    CHECK(tagged("td", "a\"<", shown(std::uint64_t{1}, "<1")) ==
          "<td data-key=\"a&quot;&lt;\" data-value=\"1\">&lt;1</td>");
    for (const double none : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        CHECK_FALSE(shown(std::optional(none), "x").value.has_value());
    }
    CHECK(shown(base::milliseconds(10'050)).exact == "10.05");
    CHECK(shown(base::milliseconds(10'050)).shown == "10.1s");
    CHECK(shown(std::uint64_t{18'446'744'073'709'551'615U}, "").exact == "18446744073709551615");
}

TEST_CASE("every number of a drive is in its table, as the JSON report has it") {
    const run::digest digest = report_test::some_slow_run();
    const run::summary sum = report_test::summary_of(digest);
    REQUIRE(sum.copy() != nullptr);
    const std::string html = drive_tables(*sum.copy(), sum.window);
    CHECK(markup_error(html) == "");
    const auto values = tagged_values(html);
    std::size_t compared = 0;
    for (const run::drive_summary& drive : sum.copy()->drives) {
        for (const field& each : summary_fields(drive)) {
            const bool is_read = each.key.starts_with("read") || each.group.starts_with("read");
            const bool is_written = each.key.starts_with("writ") || each.group.starts_with("writ");
            if (each.key == "count" || each.key.ends_with("_time_seconds")) continue;  // not shown
            if (each.key == "stalls" || each.key == "stall_seconds") continue;         // shown by cause
            if (is_read && !did_anything(drive.read)) continue;
            if (is_written && !did_anything(drive.write)) continue;
            const std::optional<std::string> expected = exact(each);
            const std::string key =
                fmt::format("copy.{}.{}{}{}", drive.drive, each.group, each.group.empty() ? "" : ".", each.key);
            CAPTURE(key);
            const auto found = values.find(key);
            CHECK((found != values.end()) == expected.has_value());
            if (found != values.end()) CHECK(found->second == expected.value_or(""));
            ++compared;
        }
    }
    CHECK(compared > 30);
    CHECK(values.at("copy.install_media.stalls_by_cause.lost_completion.count") == "20");
    CHECK(has(html, "Stalls, and the time they took"));
}

TEST_CASE("many drives take many tables, and a drive's directions stay together") {
    run::phase_summary part;
    part.phase.name = "run";
    for (int i = 0; i < 100; ++i) {
        run::drive_summary drive;
        drive.drive = fmt::format("drive{}", i);
        drive.read.done = {1, 1, 1};
        if (i % 2 == 0) drive.write.done = {1, 1, 1};
        part.drives.push_back(drive);
    }
    const std::string html = drive_tables(part, base::seconds(15));
    CHECK(markup_error(html) == "");
    CHECK(support::count(html, "<table>") >= 25);
    for (int i = 0; i < 100; ++i) CHECK(support::count(html, fmt::format(">drive{}</th>", i)) == 1);
}

TEST_CASE("without drives there is no table") {
    run::phase_summary part;
    part.drives.resize(3);
    CHECK(drive_tables(part, base::seconds(15)) == "");
}

TEST_CASE("two columns and how many times as much") {
    run::drive_summary slow, fast;
    slow.drive = fast.drive = "a.b";
    slow.read.done = {1'000'000, 10, 5'000'000};
    fast.read.done = {4'000'000, 10, 0};
    slow.read.bytes_per_second = 1e6;
    fast.read.bytes_per_second = 18.1e6;
    const std::string html = comparison_table({slow, run::direction::read, "first.copy"},
                                              {fast, run::direction::read, "second.copy"}, base::seconds(15));
    CHECK(markup_error(html) == "");
    CHECK(has(html, "<td data-key=\"first.copy.a.b.read_bytes_per_second\" data-value=\"1000000\">1.00</td>"
                    "<td data-key=\"second.copy.a.b.read_bytes_per_second\" data-value=\"18100000\">18.1</td>"
                    "<td>18.1</td>"));
    CHECK(has(html, "MB/s in windows of 15s"));
    // Nothing is known of latencies: no ratio either.
    CHECK(has(html, "mean latency</th><td class=\"zero\">-</td><td class=\"zero\">-</td><td class=\"zero\">-</td>"));
}

}  // namespace qmpwatch::report
