// The detector's contract: guards, causes that are measured, drives that come and go, what it says and when.
#include "stall/detector.hpp"
#include "stall/bench.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace qmpwatch;
using namespace qmpwatch::stall;
using namespace qmpwatch::stall_test;

namespace {

/// Streams and loses so many completions of 10 s each, with bursts of different lengths between.
void lose(bench& drive, int times) {
    drive.stream(5);
    for (int index = 0; index < times; ++index) drive.gap(10.03, 1.5 + 0.5 * ((index * 7) % 5));
}

level highest(const bench& drive) {
    level most = level::none;
    for (const transition& one : drive.said) most = std::max(most, one.level);
    return most;
}

}  // namespace

TEST_CASE("a pattern goes from suspected over probable to confirmed, and is cleared when it ends") {
    bench drive;
    lose(drive, 1);
    INFO(describe(drive.said));
    REQUIRE(drive.heard(change::suspected).size() == 1);
    CHECK(base::in_seconds(drive.heard(change::suspected)[0].length) <= 8.5);
    CHECK(drive.detector.view(0).level == level::probable);
    CHECK(drive.detector.view(0).cause == cause::lost_completion);
    REQUIRE(drive.detector.view(0).pattern != nullptr);
    CHECK(drive.detector.view(0).pattern->name == "Windows' 10 s CD time-out on usb-storage");
    lose(drive, 2);
    CHECK(drive.detector.view(0).level == level::confirmed);
    CHECK(drive.count(cause::lost_completion) == 3);
    const auto closed = drive.heard(change::closed);
    REQUIRE(closed.size() == 3);
    CHECK(closed[2].count == 3);
    CHECK(std::abs(base::in_seconds(closed[2].lost) - 30.09) < 0.3);
    drive.stream(70);
    CHECK(drive.detector.view(0).level == level::none);
    REQUIRE(drive.heard(change::cleared).size() == 1);
    CHECK(drive.count(cause::lost_completion) == 3);
}

TEST_CASE("a level also ends when nothing happens any more") {
    bench drive;
    lose(drive, 3);
    drive.quiet(400);
    CHECK(drive.detector.view(0).level == level::none);
    CHECK(drive.heard(change::cleared).size() == 1);
    CHECK(!drive.detector.view(0).gap_start);
}

TEST_CASE("the last gap of a copy is withdrawn and not counted") {
    bench drive;
    drive.stream(10);
    drive.quiet(30);
    INFO(describe(drive.said));
    REQUIRE(drive.said.size() == 2);
    CHECK(drive.said[0].what == change::suspected);
    CHECK(drive.said[1].what == change::withdrawn);
    CHECK(base::in_seconds(drive.said[1].length) < 12.1);
    CHECK(drive.detector.view(0).level == level::none);
    CHECK(drive.count(cause::lost_completion) == 0);
}

TEST_CASE("the age of an open gap is shown, and polls are wanted faster") {
    bench drive(1);
    drive.stream(5);
    CHECK(drive.detector.view(0).is_streaming);
    CHECK(drive.detector.wanted_poll(base::seconds(1)) == base::seconds(1));
    drive.quiet(6);
    const drive_view open = drive.detector.view(0);
    REQUIRE(open.gap_start);
    CHECK(std::abs(seconds_of(open.gap_start->steady) - drive.last) < 0.001);
    CHECK(std::abs(base::in_seconds(open.gap_age) - (drive.now - drive.last)) < 0.001);
    CHECK(drive.detector.wanted_poll(base::seconds(1)) == base::milliseconds(500));
    drive.quiet(10.1);
    CHECK(drive.detector.wanted_poll(base::seconds(1)) == base::milliseconds(100));
    CHECK(drive.detector.wanted_poll(base::milliseconds(50)) == base::milliseconds(50));
    drive.quiet(11.4);
    CHECK(drive.detector.wanted_poll(base::seconds(1)) == base::milliseconds(250));
    drive.quiet(90);
    CHECK(drive.detector.wanted_poll(base::seconds(1)) == base::seconds(1));
}

TEST_CASE("gaps before the pattern is probable count later, once, at their own times") {
    bench drive(0.5, "");
    lose(drive, 1);
    CHECK(drive.count(cause::lost_completion) == 0);
    const double first_start = drive.last;
    lose(drive, 2);
    const auto closed = drive.heard(change::closed);
    INFO(describe(drive.said));
    REQUIRE(closed.size() == 3);
    CHECK(closed[0].is_retroactive);
    CHECK(!closed[1].is_retroactive);
    CHECK(seconds_of(closed[0].start.steady) < first_start);
    CHECK(seconds_of(closed[0].start.steady) < seconds_of(closed[1].start.steady));
    for (std::size_t index = 0; index < closed.size(); ++index) CHECK(closed[index].count == index + 1);
}

TEST_CASE("a host that was slow is named, and what it did before is remembered while the next gap is open") {
    bench drive;
    drive.stream(5);
    drive.gap(10, 3, 10.01);
    REQUIRE(drive.heard(change::closed).size() == 1);
    CHECK(drive.heard(change::closed)[0].cause == cause::slow_backend);
    CHECK(drive.detector.view(0).levels[index_of(cause::slow_backend)] == level::probable);
    drive.gap(10, 3, 10.01);
    REQUIRE(drive.heard(change::suspected).size() == 2);
    CHECK(drive.heard(change::suspected)[1].cause == cause::slow_backend);
    CHECK(highest(drive) == level::probable);
}

TEST_CASE("operations that took a part of the gap leave the cause unknown") {
    bench drive;
    drive.stream(5);
    drive.gap(10, 3, 3);
    REQUIRE(drive.heard(change::closed).size() == 1);
    CHECK(drive.heard(change::closed)[0].cause == cause::unknown);
    CHECK(drive.count(cause::unknown) == 1);
}

TEST_CASE("an I/O error names the gap, by event and by counter") {
    bench heard;
    heard.stream(5);
    heard.event("BLOCK_IO_ERROR", R"({"device": "install_media", "operation": "read"})");
    heard.gap(10);
    CHECK(heard.count(cause::io_error) == 1);
    bench counted;
    counted.stream(5);
    counted.quiet(10);
    counted.reads().failed += 1;
    counted.gap(10);
    CHECK(counted.count(cause::io_error) == 1);
    bench other;
    other.counters.drives.push_back({{"other", "", ""}, {}});
    other.look();
    other.stream(5);
    other.event("BLOCK_IO_ERROR", R"({"device": "other", "operation": "read"})");
    other.gap(10.03);
    CHECK(other.count(cause::io_error) == 0);
    CHECK(other.count(cause::lost_completion) == 1);
}

TEST_CASE("a pause is a pause, also in the middle of the stream") {
    bench drive;
    drive.stream(5);
    drive.event("STOP");
    drive.quiet(10);
    drive.event("RESUME");
    drive.gap(drive.now - drive.last + 0.05);
    INFO(describe(drive.said));
    REQUIRE(drive.heard(change::closed).size() == 1);
    CHECK(drive.heard(change::closed)[0].cause == cause::vm_paused);
    CHECK(std::abs(base::in_seconds(drive.heard(change::closed)[0].length) - 10) < 0.6);
    CHECK(drive.heard(change::suspected).empty());
}

TEST_CASE("a poll that comes late spoils the gap that ends with it, and only that") {
    bench drive;
    drive.stream(5);
    drive.quiet(9);
    drive.now = drive.last + 11;
    drive.complete(0.9);
    drive.look();
    drive.stream(2);
    CHECK(drive.count(cause::lost_completion) == 0);
    REQUIRE(!drive.heard(change::withdrawn).empty());
    bench inside;
    inside.stream(5);
    inside.quiet(2);
    inside.now += 4;  // late, but nothing completed meanwhile: the idle time shows it
    inside.look();
    inside.gap(10.03);
    CHECK(inside.count(cause::lost_completion) == 1);
}

TEST_CASE("a clock that jumps spoils the gap") {
    bench drive;
    drive.stream(5);
    drive.quiet(5);
    drive.now += 0.5;
    drive.counters.at = at(drive.now);
    drive.counters.at.wall += std::chrono::hours(8);
    drive.counters.drives[0].counters.idle =
        base::nanoseconds(static_cast<std::int64_t>(1e9 * (drive.now - drive.last)));
    drive.detector.step(drive.counters, drive.said);
    drive.gap(10.03);
    CHECK(drive.count(cause::lost_completion) == 0);
    CHECK(highest(drive) == level::none);
}

TEST_CASE("idle time that ran on while the clock stood still is the host's sleep") {
    bench drive;
    drive.stream(5);
    drive.quiet(3);
    drive.last -= 7;  // asleep: the drive's clock went on
    drive.gap(drive.now - drive.last + 0.2);
    CHECK(drive.count(cause::lost_completion) == 0);
}

TEST_CASE("counters that fall start anew") {
    bench drive;
    lose(drive, 2);
    const std::uint64_t before = drive.count(cause::lost_completion);
    drive.reads() = {};
    drive.reads().completed = 5;
    drive.now += 0.5;
    drive.last = drive.now - 0.1;
    drive.look();
    CHECK(drive.detector.view(0).level == level::none);
    CHECK(drive.count(cause::lost_completion) == before);
    drive.gap(10.03);
    CHECK(drive.count(cause::lost_completion) == before);  // there was no stream before it
}

TEST_CASE("a reset of the guest forgets the pattern but not the totals") {
    bench drive;
    lose(drive, 3);
    REQUIRE(drive.detector.view(0).level == level::confirmed);
    drive.event("RESET");
    CHECK(drive.heard(change::cleared).size() == 1);
    CHECK(drive.detector.view(0).level == level::none);
    CHECK(drive.count(cause::lost_completion) == 3);
    lose(drive, 1);
    CHECK(drive.detector.view(0).level == level::probable);
    CHECK(drive.count(cause::lost_completion) == 4);
}

TEST_CASE("an answer that takes ten seconds is QEMU's trouble, not the drive's") {
    bench drive;
    drive.stream(5);
    drive.now += 10.5;
    drive.rtt = 10;
    drive.complete(0.1);
    drive.look();
    drive.rtt = 0.0005;
    drive.stream(3);
    INFO(describe(drive.said));
    REQUIRE(drive.heard(change::closed).size() == 1);
    CHECK(drive.heard(change::closed)[0].cause == cause::monitor_blocked);
    CHECK(std::abs(base::in_seconds(drive.heard(change::closed)[0].length) - 10) < 0.6);
    CHECK(drive.count(cause::lost_completion) == 0);
}

TEST_CASE("a late answer counts as blocked, unless the drive worked on") {
    for (const bool works_on : {false, true}) {
        bench drive;
        drive.stream(5);
        drive.now += 10.5;
        drive.complete(works_on ? 10.4 : 0.1);
        drive.detector.poll_ended({sample::poll_outcome::timed_out, base::seconds(10), {}});
        drive.look();
        drive.stream(3);
        CHECK(drive.count(cause::monitor_blocked) == (works_on ? 0 : 1));
        CHECK(drive.count(cause::lost_completion) == 0);
    }
}

TEST_CASE("block jobs and migrations are no reason for an alarm") {
    bench drive;
    drive.stream(5);
    drive.event("JOB_STATUS_CHANGE", R"({"id": "backup0", "status": "running"})");
    for (int index = 0; index < 4; ++index) drive.gap(10.03, 1 + index);
    CHECK(drive.said.empty());
    drive.event("JOB_STATUS_CHANGE", R"({"id": "backup0", "status": "concluded"})");
    drive.stream(2);
    lose(drive, 1);
    CHECK(drive.count(cause::lost_completion) == 1);
}

TEST_CASE("a drive that is unplugged takes its suspicion along, and finds its totals when it comes back") {
    bench drive;
    lose(drive, 2);
    drive.quiet(9);
    REQUIRE(drive.said.back().what == change::suspected);
    const auto kept = drive.counters.drives;
    drive.counters.drives.clear();
    drive.counters.at = at(drive.now + 0.5);
    drive.detector.step(drive.counters, drive.said);
    CHECK(drive.detector.size() == 0);
    CHECK(drive.said.back().is_gone);
    CHECK(drive.heard(change::withdrawn).size() == 1);
    drive.counters.drives = kept;
    drive.now += 1;
    drive.look();
    REQUIRE(drive.detector.size() == 1);
    CHECK(drive.count(cause::lost_completion) == 2);
    CHECK(drive.detector.view(0).level == level::none);
}

TEST_CASE("another medium gives the drive another node name, not another history") {
    bench drive;
    lose(drive, 1);
    drive.counters.drives[0].identity.node_name = "#block2";
    drive.gap(10.03, 2);
    CHECK(drive.detector.view(0).level == level::confirmed);
    CHECK(drive.count(cause::lost_completion) == 2);
}

TEST_CASE("drives keep their histories when their order changes, and one name is never two drives") {
    bench drive;
    drive.counters.drives.push_back({{"install_media", "other", ""}, {}});
    drive.look();
    lose(drive, 1);
    REQUIRE(drive.detector.size() == 2);
    CHECK(drive.detector.view(0).drive == "install_media");
    CHECK(drive.detector.view(1).drive == "install_media (2)");
    CHECK((*drive.detector.view(1).totals)[index_of(cause::lost_completion)].count == 0);
    drive.counters.drives[1].identity = {"system", "", ""};
    drive.look();
    std::swap(drive.counters.drives[0], drive.counters.drives[1]);
    drive.counters.at = at(drive.now + 0.1);
    drive.detector.step(drive.counters, drive.said);
    CHECK(drive.detector.view(1).drive == "install_media");
    CHECK((*drive.detector.view(1).totals)[index_of(cause::lost_completion)].count == 1);
}

TEST_CASE("a lost connection ends everything but the totals") {
    bench drive;
    lose(drive, 3);
    drive.quiet(9);
    drive.detector.connection_lost(at(drive.now), drive.said);
    CHECK(drive.detector.size() == 0);
    CHECK(drive.heard(change::withdrawn).size() == 1);
    CHECK(drive.heard(change::cleared).size() == 1);
    CHECK(drive.detector.wanted_poll(base::seconds(1)) == base::seconds(1));
    drive.now += 60;
    drive.look();
    CHECK(drive.count(cause::lost_completion) == 3);
}

TEST_CASE("a drive at its own limit is throttled, and only when the limit is known") {
    for (const double limit : {0.0, 20.0, 1000.0}) {
        bench drive;
        drive.rate = 20;
        drive.detector.limits({{drive.counters.drives[0].identity, limit, 0}});
        for (int index = 0; index < 40; ++index) {
            drive.now += 0.5;
            drive.complete(0.5, 0.49);
            drive.look();
        }
        CHECK((drive.detector.view(0).levels[index_of(cause::throttled)] == level::probable) ==
              (limit > 0 && limit < 100));
        CHECK(drive.heard(change::closed).empty());
        drive.quiet(10);
        CHECK(drive.detector.view(0).levels[index_of(cause::throttled)] == level::none);
    }
}

TEST_CASE("HMP tells less, and says so") {
    bench drive;
    drive.counters.drives[0].counters.detailed = false;
    drive.look();
    CHECK(drive.detector.view(0).is_told_less);
    lose(drive, 2);
    CHECK(drive.detector.view(0).level == level::confirmed);
    // Over HMP a failed operation shows in the idle time alone.
    drive.stream(3);
    drive.quiet(5);
    drive.last = drive.now - 0.2;
    drive.look();
    drive.gap(10.03);
    CHECK(drive.count(cause::lost_completion) == 2);
}

TEST_CASE("a drive that was never accessed is not judged") {
    bench drive;
    drive.quiet(100);
    CHECK(drive.said.empty());
    CHECK(drive.detector.view(0).level == level::none);
    CHECK(!drive.detector.view(0).is_streaming);
    drive.last = drive.now;
    drive.gap(10);  // the first access ever
    CHECK(drive.heard(change::closed).empty());
}

TEST_CASE("time that goes back is ignored, and samples without time between do no harm") {
    bench drive;
    drive.stream(5);
    drive.now -= 3;
    drive.look();
    drive.now += 3;
    drive.look();
    drive.look();
    drive.gap(10.03);
    CHECK(drive.count(cause::lost_completion) == 1);
}

TEST_CASE("the inventory may come after the samples, and a device without such time-outs has no such pattern") {
    bench late(0.5, "");
    late.stream(5);
    late.detector.inventory(attached(late.counters, "usb-storage"));
    late.gap(10.03);
    CHECK(late.detector.view(0).level == level::probable);
    bench fast(0.5, "nvme");
    fast.stream(5);
    for (int index = 0; index < 6; ++index) fast.gap(3.1, 1.3 + index);
    CHECK(fast.said.empty());
}
