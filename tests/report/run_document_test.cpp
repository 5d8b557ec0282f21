#include "report/run_document.hpp"

#include "report/some_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>

using namespace qmpwatch;
using base::milliseconds;
using base::seconds;
using report_test::summary_of;

namespace {

const report::section& find(const report::document& in, const std::string& title) {
    const auto found =
        std::find_if(in.begin(), in.end(), [&](const report::section& each) { return each.title == title; });
    REQUIRE_MESSAGE(found != in.end(), title);
    return *found;
}

template <class Block>
const Block& block(const report::section& in, std::size_t which = 0) {
    for (const report::block& each : in.blocks) {
        const auto* found = std::get_if<Block>(&each);
        if (found != nullptr && which-- == 0) return *found;
    }
    throw std::out_of_range("no such block in " + in.title);
}

std::string text_of(const report::section& in) { return block<report::paragraph>(in).text; }

std::string value(const report::facts& list, const std::string& label) {
    for (const report::fact& each : list) {
        if (each.label == label) return each.value;
    }
    return "no such fact";
}

report::document document_of(const run::digest& of) { return report::document_of(of, summary_of(of)); }

}  // namespace

TEST_CASE("times of a run") {
    CHECK(report::format_elapsed(seconds(0)) == "0:00.0");
    CHECK(report::format_elapsed(milliseconds(104'040)) == "1:44.0");
    CHECK(report::format_elapsed(milliseconds(59'960)) == "1:00.0");
    CHECK(report::format_elapsed(milliseconds(3'723'400)) == "1:02:03.4");
    CHECK(report::format_elapsed(milliseconds(-2'900)) == "-0:02.9");
    CHECK(report::format_elapsed(milliseconds(-1)) == "0:00.0");
}

TEST_CASE("how a run ended") {
    run::digest all = report_test::some_run();
    const auto end = [&](std::optional<run::end> how) {
        all.info.ended = how;
        return value(block<report::facts>(document_of(all).front()), "end");
    };
    CHECK(end(std::nullopt) == "cut off: the recorder was killed, or the file is not whole");
    CHECK(end(run::end{run::end_reason::command_exit, 3, {}}) == "the command ended with 3");
    for (const run::end_reason reason : run::end_reasons) {
        const run::end how{reason, 0, {}};
        CAPTURE(run::name(reason));
        CHECK(!end(how).empty());
        CHECK((end(how).find("not complete") == std::string::npos) == how.is_complete());
    }
}

TEST_CASE("a run of which little is known says so") {
    const report::document all = document_of(report_test::some_imported_run());
    const auto& list = block<report::facts>(all.front());
    CHECK(value(list, "host") == "unknown");
    CHECK(value(list, "commit") == "unknown");
    CHECK(value(list, "VM") == "blockstats: QEMU's version and machine unknown");
    CHECK(value(list, "ide0-hd0") == "device unknown");
    CHECK(value(list, "recorded") == "at an unknown time, 45.0s long, 4 samples, one every 15s");
    CHECK(text_of(find(all, "Copy")) ==
          "None: no stream of reads from ide0-hd0, which looks most like an install medium.");
    CHECK(text_of(find(all, "Findings")) == "None: the run does not say what VM it was.");
    CHECK(text_of(find(all, "Stalls")) == "None.");
    const report::document nothing = document_of(run::digest{});
    CHECK(nothing.front().title == "unknown");
    CHECK(text_of(find(nothing, "Copy")) == "None: no drive was read.");
    CHECK(text_of(find(nothing, "Whole run")) == "No drive did anything.");
}

TEST_CASE("of many stalls the longest are listed, the others counted") {
    run::digest all = report_test::some_slow_run();
    CHECK(block<report::table>(find(document_of(all), "Stalls"), 1).rows.size() == 20);
    CHECK(text_of(find(document_of(all), "Stalls")) == "These are the longest; 1 more took 10.0s at most.");
    all.stalls.resize(20);
    CHECK(block<report::table>(find(document_of(all), "Stalls"), 1).rows.size() == 20);
    CHECK_THROWS(text_of(find(document_of(all), "Stalls")));
    for (int i = 0; i < 100; ++i) all.stalls.push_back(all.stalls.front());
    all.stalls.back().length = seconds(64);
    const report::document many = document_of(all);
    const auto& rows = block<report::table>(find(many, "Stalls"), 1).rows;
    CHECK(rows.size() == 20);
    CHECK(std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row[2] == "64.0s"; }) == 1);
    CHECK(text_of(find(many, "Stalls")).find("100 more") != std::string::npos);
}

TEST_CASE("of many marks the user's own are shown first, in the order of time") {
    run::digest all = report_test::some_run();
    all.marks.clear();
    for (int i = 0; i < 50; ++i) {
        run::mark one{run::mark::kind::event, seconds(i), "RESET", {}};
        if (i >= 45) one = {run::mark::kind::marker, seconds(i), "mine", {}};
        all.marks.push_back(one);
    }
    const report::document made = document_of(all);
    const report::section& marks = find(made, "Markers and events");
    const auto& rows = block<report::table>(marks).rows;
    REQUIRE(rows.size() == 20);
    CHECK(rows[14][2] == "RESET");
    CHECK(rows[15][2] == "mine");
    CHECK(rows[19][0] == "0:49.0");
    CHECK(text_of(marks) == "And 30 more.");
}

TEST_CASE("two runs: which is faster, and how many times") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run(),
                      other = report_test::some_imported_run();
    const auto verdict = [](const run::digest& first, const run::digest& second) {
        return text_of(report::document_of(first, summary_of(first), second, summary_of(second)).front());
    };
    CHECK(verdict(slow, fast) ==
          "The second run copied 20.0 times as fast as the first: 74.4 against 3.73 MB/s (means of windows of 15s).");
    CHECK(verdict(fast, slow) ==
          "The first run copied 20.0 times as fast as the second: 74.4 against 3.73 MB/s (means of windows of 15s).");
    CHECK(verdict(fast, fast).starts_with("The second run copied 1.0 times as fast"));
    CHECK(verdict(other, fast) == "The copies cannot be compared: the first run has none.");
    CHECK(verdict(fast, other) == "The copies cannot be compared: the second run has none.");
    CHECK(verdict(other, other) == "The copies cannot be compared: either run has none.");

    const report::document both = report::document_of(slow, summary_of(slow), fast, summary_of(fast));
    const auto& copy = block<report::table>(find(both, "Copy"));
    CHECK(copy.rows[0] == std::vector<std::string>{"time", "257s", "105s", "0.41"});
    const auto& whole = block<report::table>(find(both, "Whole run"));
    CHECK(whole.rows[3] == std::vector<std::string>{"install_media", "lost to stalls", "231s", "0.0s", "0"});
    find(both, "First run: stalls");
    find(both, "Second run: findings");
    find(both, "First run: notes on the file");
    // Without a copy, what is left is compared all the same; a drive that only one has has no ratio.
    const report::document odd = report::document_of(other, summary_of(other), fast, summary_of(fast));
    CHECK(block<report::table>(find(odd, "Whole run")).rows[1] ==
          std::vector<std::string>{"ide0-hd0", "read", "12.3 kB", "-", "-"});
}
