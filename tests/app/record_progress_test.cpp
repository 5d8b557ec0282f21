#include "app/record_progress.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch;
using namespace std::chrono_literals;

namespace {

sample::sample at(int second, std::uint64_t read_megabytes, std::uint64_t written_megabytes) {
    sample::sample counters;
    counters.at.steady += std::chrono::seconds(second);
    counters.drives = {{{"install_media", "", ""}, {}}, {{"system", "", ""}, {}}};
    counters.drives[0].counters[sample::operation::read] = {read_megabytes * 1000000, read_megabytes, 0, 0, 0, 0};
    counters.drives[1].counters[sample::operation::write] = {
        written_megabytes * 1000000, written_megabytes, 0, 0, 0, 0};
    return counters;
}

}  // namespace

TEST_CASE("what was moved counts from the first sample") {
    app::record_progress progress("install.run", std::nullopt);
    progress.add(at(0, 500, 7));
    progress.add(at(10, 600, 17));
    const auto lines = progress.lines(10s, 100);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0] == "recording for 10s: 100 MB read, 10.0 MB written, into install.run");
    CHECK_FALSE(progress.time_left().has_value());
}

TEST_CASE("a bar and the time that is left at the pace of the last minute") {
    app::record_progress progress("install.run", 1000000000);
    for (int second = 0; second <= 100; ++second) {
        progress.add(at(second, second < 40 ? 0 : static_cast<std::uint64_t>(second - 40) * 5, 0));
    }
    // 300 MB in the last minute, 700 MB left.
    REQUIRE(progress.time_left().has_value());
    CHECK(base::in_seconds(*progress.time_left()) == doctest::Approx(140));
    const auto lines = progress.lines(100s, 60);
    REQUIRE(lines.size() == 2);
    CHECK(lines[1] == "[########.....................]  30 % of 1.00 GB, 2m20s left");
    for (const std::size_t columns : {1U, 5U, 20U, 30U, 200U}) {
        for (const std::string& line : progress.lines(100s, columns)) CHECK(line.size() <= columns + 2);
    }
}

TEST_CASE("a stall leaves no time to tell, and more than expected is the end") {
    app::record_progress progress("x", 10000000);
    progress.add(at(0, 0, 0));
    for (int second = 1; second < 100; ++second) progress.add(at(second, 5, 0));
    CHECK_FALSE(progress.time_left().has_value());
    progress.add(at(101, 12, 0));
    CHECK(progress.time_left() == 0s);
    CHECK(progress.lines(101s, 80)[1].find("100 % of 10.0 MB, 0.0s left") != std::string::npos);
}

TEST_CASE("a new QEMU goes on where the old one was") {
    app::record_progress progress("x", std::nullopt);
    progress.add(at(0, 0, 0));
    progress.add(at(1, 50, 0));
    progress.add(at(2, 1, 0));
    progress.add(at(3, 11, 0));
    CHECK(progress.lines(3s, 80)[0].find("60.0 MB read") != std::string::npos);
}
