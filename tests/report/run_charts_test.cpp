#include "report/run_charts.hpp"

#include "report/some_run.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace qmpwatch::report {

namespace {

using support::count;
using support::has;
using support::markup_error;

const run::drive_digest& drive_of(const run::digest& of, std::string_view name) {
    for (const run::drive_digest& each : of.drives) {
        if (each.drive == name) return each;
    }
    throw std::out_of_range(std::string(name));
}

}  // namespace

TEST_CASE("a drive has a chart of its throughput and one of its operations, with its stalls") {
    const run::digest digest = report_test::some_slow_run();
    const std::string html = drive_charts(digest, drive_of(digest, "install_media"), "d0", 3);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "<title id=\"d0-bytes-t\">MB/s of install_media</title>"));
    CHECK(has(html, "<title id=\"d0-operations-t\">IOPS of install_media</title>"));
    CHECK(count(html, "class=\"band lost_completion\"") == 40);
    CHECK(count(html, "class=\"band vm_paused\"") == 2);
    CHECK(has(html, "<title>lost completion, "));
    CHECK(count(html, "class=\"mark marker\"") == 2);
    CHECK_FALSE(has(drive_charts(digest, drive_of(digest, "system"), "d1", 3), "class=\"band lost_completion\""));
}

TEST_CASE("with many drives each chart is coarser") {
    const run::digest digest = report_test::some_slow_run();
    const run::drive_digest& drive = drive_of(digest, "install_media");
    const std::string fine = drive_charts(digest, drive, "d0", 4), coarse = drive_charts(digest, drive, "d0", 32);
    CHECK(markup_error(coarse) == "");
    CHECK(coarse.size() < fine.size());
}

TEST_CASE("the timeline has the copy and all drives that did something") {
    const run::digest digest = report_test::some_slow_run();
    const std::string html = stall_timeline(digest, report_test::summary_of(digest), "t");
    CHECK(markup_error(html) == "");
    CHECK(has(html, ">the copy from install_media</text>"));
    CHECK(has(html, ">install_media</text>"));
    CHECK(has(html, ">system</text>"));
    CHECK(count(html, "class=\"band lost_completion\"") == 20);
    CHECK(stall_timeline({}, {}, "t") == "");
}

TEST_CASE("a timeline of hundreds of drives shows the stalled ones") {
    run::digest digest = report_test::some_run();
    const run::drive_digest copy = drive_of(digest, "system");
    for (int i = 0; i < 200; ++i) {
        digest.drives.push_back(copy);
        digest.drives.back().drive = fmt::format("more{}", i);
    }
    digest.stalls.push_back(digest.stalls.front());
    digest.stalls.back().drive = "more199";
    const std::string html = stall_timeline(digest, report_test::summary_of(digest), "t");
    CHECK(markup_error(html) == "");
    CHECK(has(html, ">more199</text>"));
    CHECK_FALSE(has(html, ">more150</text>"));
    CHECK(has(html, "(40 of "));
}

TEST_CASE("the causes that occur") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    using names = std::vector<std::string_view>;
    CHECK(causes_of({&slow}) == names{"lost_completion", "vm_paused"});
    CHECK(causes_of({&slow, &fast}) == names{"lost_completion", "slow_backend", "vm_paused"});
    CHECK(causes_of({}).empty());
    CHECK(in_words(stall::cause::lost_completion) == "lost completion");
}

TEST_CASE("two copies over their bytes") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const run::summary slow_sum = report_test::summary_of(slow), fast_sum = report_test::summary_of(fast);
    const std::string html = copy_chart(slow, slow_sum, fast, fast_sum);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "<path class=\"curve first\" d=\"M0 "));
    CHECK(has(html, "<path class=\"curve second\" d=\"M0 "));
    CHECK(has(html, ">2 GB</text>"));
    CHECK(count(html, "<title>lost completion, ") == 20);
    CHECK(copy_chart(slow, slow_sum, {}, {}) == "");
    CHECK(copy_chart({}, {}, {}, {}) == "");
}

}  // namespace qmpwatch::report
