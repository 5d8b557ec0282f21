#include "report/run_html.hpp"

#include "report/some_run.hpp"
#include "support/files.hpp"
#include "support/markup.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace qmpwatch::report {

namespace {

using namespace std::chrono_literals;
using report_test::summary_of;
using support::count;
using support::has;
using support::markup_error;
using support::tagged_values;

constexpr const char* attack = "\"'><script>alert(1)</script>&\x1b[31m\xff";

std::string html_of(const run::digest& digest) { return run_html(digest, summary_of(digest)); }

/// A drive that reads evenly and is sampled once a second.
run::drive_digest reading(std::string name, int seconds, std::uint64_t bytes_per_second) {
    run::drive_digest drive;
    drive.drive = std::move(name);
    for (int now = 0; now <= seconds; ++now) {
        sample::drive_counters counters;
        auto& read = counters[sample::operation::read];
        read.bytes = bytes_per_second * static_cast<std::uint64_t>(now);
        read.completed = 50 * static_cast<std::uint64_t>(now);
        counters.idle = 0ns;
        drive.moved.add(base::seconds(now), counters);
    }
    return drive;
}

run::digest run_of(int seconds) {
    run::digest digest;
    digest.last_sample.steady += base::seconds(seconds);
    digest.samples = static_cast<std::uint64_t>(seconds) + 1;
    return digest;
}

/// Nothing that a browser would fetch, run or send.
void check_self_contained(const std::string& html) {
    for (const char* bad : {"<script", "src=", "@import", "url(http", "href=\"http", "<iframe", "<form", "onload"}) {
        CAPTURE(bad);
        CHECK_FALSE(has(html, bad));
    }
    CHECK(has(html, "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:;"));
}

}  // namespace

TEST_CASE("the page of a run") {
    const std::string html = html_of(report_test::some_slow_run());
    CHECK(markup_error(html) == "");
    check_self_contained(html);
    CHECK(html == support::golden("report.html", html));
}

TEST_CASE("the page of two runs") {
    const run::digest slow = report_test::some_slow_run(), fast = report_test::some_run();
    const std::string html = run_html(slow, summary_of(slow), fast, summary_of(fast));
    CHECK(markup_error(html) == "");
    check_self_contained(html);
    CHECK(html == support::golden("report_two.html", html));
    const auto ratio = run::speed_ratio(summary_of(slow), summary_of(fast));
    REQUIRE(ratio.has_value());
    CHECK(tagged_values(html).at("comparison.speed_ratio") == fmt::format("{}", *ratio));
}

TEST_CASE("it begins with what one wants to know") {
    const std::string slow = html_of(report_test::some_slow_run());
    CHECK(has(slow, "<h1>Read 1.01 GB from install_media (usb-storage) in 257s: 3.91 MB/s</h1>"));
    CHECK(has(slow, "21 stalls took 231s of it: lost completions (201s), the VM was paused (30.0s)."));
    CHECK(has(slow, "This run is not complete: "));
    const std::string fast = html_of(report_test::some_run());
    CHECK(has(fast, "in 105s: 74.4 MB/s</h1>"));
    CHECK(has(fast, "No stall was found in it."));
    CHECK_FALSE(has(fast, "not complete"));
}

TEST_CASE("numbers of the headline are those of the summary") {
    const run::digest digest = report_test::some_run();
    const run::summary sum = summary_of(digest);
    const auto values = tagged_values(run_html(digest, sum));
    REQUIRE(sum.copied() != nullptr);
    const run::direction_summary& read = sum.copied()->read;
    CHECK(values.at("copy.install_media.read_bytes") == fmt::format("{}", read.done.bytes));
    CHECK(values.at("copy.install_media.read_bytes_per_second") == fmt::format("{}", *read.bytes_per_second));
    CHECK(values.at("copy.install_media.read_windows.median_bytes_per_second") ==
          fmt::format("{}", read.windows->median));
    CHECK(values.at("copy.install_media.stalls") == "0");
    CHECK(values.at("copy.seconds") == fmt::format("{}", base::in_seconds(sum.copy()->phase.length())));
    CHECK(values.at("copy.cpu_percent") == fmt::format("{}", *sum.copy()->cpu_percent));
    CHECK(values.count("run.system.written_bytes") == 1);
}

TEST_CASE("what is unknown is said to be unknown") {
    const std::string html = html_of(report_test::some_imported_run());
    CHECK(markup_error(html) == "");
    CHECK(has(html, "<dt>QEMU</dt><dd>unknown</dd>"));
    CHECK(has(html, "<dt>recorded</dt><dd>unknown</dd>"));
    CHECK(has(html, "<dt>end</dt><dd>imported: the log ended</dd>"));
    CHECK_FALSE(has(html, "recorded with"));
    CHECK_FALSE(has(html, "not complete"));
}

TEST_CASE("the options of the findings can be copied") {
    const run::digest digest = report_test::some_slow_run();
    const std::string html = html_of(digest);
    REQUIRE_FALSE(digest.findings.empty());
    CHECK(has(html, "<code>-machine kernel-irqchip=off</code>"));
    CHECK(has(html, fmt::format("data-finding=\"{}\"", digest.findings.front().id)));
}

TEST_CASE("no text of a run reaches the page as markup") {
    run::digest digest = report_test::some_slow_run();
    for (std::string* text :
         {&digest.vm.vm, &digest.vm.name, &digest.vm.uuid, &digest.vm.socket, &digest.vm.protocol, &digest.vm.version,
          &digest.vm.package, &digest.vm.machine, &digest.vm.accelerator, &digest.vm.arch, &digest.info.path,
          &digest.info.about.id, &digest.info.about.qmpwatch, &digest.info.about.host.system,
          &digest.info.about.host.cpu, &digest.info.about.git_commit, &digest.info.about.ci_job}) {
        *text = attack;
    }
    digest.info.about.labels = {{attack, attack}};
    digest.info.notes = {attack};
    for (run::drive_digest& drive : digest.drives) {
        drive.drive = drive.drive + attack;
        drive.info.attachment = {attack, attack};
        drive.info.media.file = drive.info.media.format = attack;
    }
    for (run::stall_digest& one : digest.stalls) {
        one.drive += attack;
        one.pattern = attack;
    }
    for (run::mark& one : digest.marks) one.text = one.detail = attack;
    for (stall::finding& one : digest.findings) {
        one.title = one.proof = attack;
        one.drive = attack;
        one.known = {attack};
        one.remedies = {{attack, attack}};
    }
    const run::summary sum = summary_of(digest);
    for (const std::string& html : {run_html(digest, sum), run_html(digest, sum, digest, sum)}) {
        CHECK(markup_error(html) == "");
        CHECK_FALSE(has(html, "<script"));
        CHECK_FALSE(has(html, "\x1b"));
        CHECK_FALSE(has(html, "\xff"));
        CHECK(has(html, "&lt;script&gt;"));
    }
}

TEST_CASE("runs in which nothing happened") {
    SUBCASE("no drives") {
        const std::string html = html_of(run_of(30));
        CHECK(markup_error(html) == "");
        CHECK(has(html, "<h1>Saw no drive in 30.0s</h1>"));
    }
    SUBCASE("one sample") {
        run::digest digest = run_of(0);
        digest.drives = {reading("system", 0, 0)};
        const std::string html = html_of(digest);
        CHECK(markup_error(html) == "");
        CHECK(has(html, "No drive moved any data in 0.0s"));
    }
    SUBCASE("no operation") {
        run::digest digest = run_of(10);
        digest.drives = {{"system", {}, {}, {}}};
        for (int now = 0; now <= 10; ++now) digest.drives[0].moved.add(base::seconds(now), {});
        const std::string html = html_of(digest);
        CHECK(markup_error(html) == "");
        CHECK(has(html, "No operation on system."));
        CHECK_FALSE(has(html, "<figure"));
    }
    SUBCASE("two of them") {
        const run::digest digest = run_of(0);
        const run::summary sum = summary_of(digest);
        const std::string html = run_html(digest, sum, digest, sum);
        CHECK(markup_error(html) == "");
        CHECK(has(html, "of which one has no copy to compare"));
    }
    SUBCASE("nothing at all") {
        CHECK(markup_error(run_html({}, {})) == "");
        CHECK(markup_error(run_html({}, {}, {}, {})) == "");
    }
}

TEST_CASE("a run of half a minute") {
    run::digest digest = run_of(30);
    digest.drives = {reading("system", 30, 50'000'000)};
    const std::string html = html_of(digest);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "Read 1.50 GB from system in 30.0s: 50.0 MB/s"));
    CHECK(has(html, ">0:05</text>"));
}

TEST_CASE("huge values") {
    run::digest digest = run_of(10);
    digest.drives = {reading("system", 10, std::numeric_limits<std::uint64_t>::max() / 10)};
    const std::string html = html_of(digest);
    CHECK(markup_error(html) == "");
}

TEST_CASE("a day with four drives and many stalls stays small") {
    run::digest digest = run_of(86'400);
    for (int i = 0; i < 4; ++i) {
        digest.drives.push_back(reading(fmt::format("drive{}", i), 86'400, 1'000'000 + static_cast<std::uint64_t>(i)));
        for (int number = 0; number < 5000; ++number) {
            run::stall_digest one;
            one.drive = digest.drives.back().drive;
            one.cause = stall::causes.at(static_cast<std::size_t>(number) % stall::causes.size());
            one.level = stall::level::probable;
            one.start = base::seconds(17 * number);
            one.length = 10s;
            one.pattern = "Windows' 10 s CD time-out on usb-storage";
            digest.stalls.push_back(one);
        }
    }
    for (int number = 0; number < 20'000; ++number) {
        digest.marks.push_back({run::mark::kind::event, base::seconds(4 * number), "RTC_CHANGE", "{\"offset\": 0}"});
    }
    const std::string html = html_of(digest);
    CHECK(html.size() < 2'000'000);
    CHECK(markup_error(html) == "");
    CHECK(has(html, "and 19700 more"));
}

TEST_CASE("a hundred drives") {
    run::digest digest = run_of(600);
    for (int i = 0; i < 100; ++i) digest.drives.push_back(reading(fmt::format("drive{}", i), 600, 1'000'000));
    const std::string html = html_of(digest);
    CHECK(markup_error(html) == "");
    CHECK(html.size() < 2'000'000);
    CHECK(has(html, "Charts of the 32 drives that moved most; 68 more are in the tables."));
    CHECK(count(html, "data-key=\"run.drive99.read_bytes\"") == 1);
}

}  // namespace qmpwatch::report
