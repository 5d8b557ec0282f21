#include "view/table.hpp"

#include "base/text.hpp"
#include "support/files.hpp"
#include "support/vms.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace qmpwatch;
using support::some_instant;
using support::state_of;
using view::table_settings;

namespace {

std::vector<std::string> draw(const pipeline::snapshot& state, const table_settings& settings = {}) {
    return view::table(state, settings, some_instant());
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& each : lines) text += each + "\n";
    return text;
}

bool shows(const std::vector<std::string>& lines, std::string_view what) {
    return joined(lines).find(what) != std::string::npos;
}

/// The line that begins (after its indent and escape sequences, if any) with this name; empty when there is none.
std::string line_of(const std::vector<std::string>& lines, std::string_view name) {
    for (const std::string& each : lines) {
        const std::size_t at = each.find(name);
        if (at != std::string::npos && at <= 8) return each;
    }
    return {};
}

pipeline::snapshot three_vms() { return state_of({support::starting_vm(), support::busy_vm(), support::running_vm()}); }

pipeline::snapshot four_vms() {
    return state_of({support::starting_vm(), support::busy_vm(), support::running_vm(), support::stalled_vm()});
}

pipeline::vm_snapshot vm_with(const pipeline::drive_snapshot& drive) {
    pipeline::vm_snapshot vm = support::running_vm();
    vm.drives = {drive};
    return vm;
}

pipeline::vm_snapshot vm_with_drives(std::size_t count) {
    pipeline::vm_snapshot vm = support::running_vm();
    vm.drives.clear();
    for (std::size_t i = 0; i < count; ++i) {
        pipeline::drive_snapshot drive = support::system_drive();
        drive.drive = "drive" + std::to_string(i);
        vm.drives.push_back(drive);
    }
    return vm;
}

}  // namespace

TEST_CASE("the whole table at the usual widths") {
    for (const std::size_t width : {60U, 80U, 120U}) {
        table_settings settings{width, 0, false, "http://127.0.0.1:10977/metrics"};
        const std::string text = joined(draw(four_vms(), settings));
        CHECK(text == support::golden("table_" + std::to_string(width) + ".txt", text));
    }
}

TEST_CASE("no line is wider than the terminal, with and without colour, however narrow it is") {
    for (std::size_t width = 0; width <= 200; ++width) {
        const auto plain = draw(four_vms(), {width, 0, false, "http://127.0.0.1:10977/metrics"});
        for (const std::string& each : plain) {
            CAPTURE(width);
            CAPTURE(each);
            CHECK(base::columns(each) <= width);
        }
        const auto coloured = draw(four_vms(), {width, 0, true, "http://127.0.0.1:10977/metrics"});
        CHECK(coloured.size() == plain.size());
    }
}

TEST_CASE("a narrow terminal loses the least important column first") {
    const auto state = state_of({support::running_vm()});
    const std::vector<std::string_view> order{"bus", "size", "latency", "idle", "device", "IOPS"};
    std::size_t gone = 0;
    for (std::size_t width = 140; width >= 20; --width) {
        const auto lines = draw(state, {width, 0, false, ""});
        const std::string titles = lines[0] + lines[1];
        while (gone < order.size() && titles.find(order[gone]) == std::string::npos) ++gone;
        for (std::size_t i = gone; i < order.size(); ++i) {
            CAPTURE(width);
            CHECK(titles.find(order[i]) != std::string::npos);
        }
    }
    CHECK(gone == order.size());
}

TEST_CASE("a drive's row holds its figures in the order of the titles") {
    const auto lines = draw(state_of({support::running_vm()}), {140, 0, false, ""});
    const std::string row = line_of(lines, "install_media");
    std::size_t at = 0;
    for (const std::string_view cell :
         {"install_media", "usb-storage", "qemu-xhci", "4.10", " 0 ", "62.6", " 0 ", "65.5 kB", "85 us", "3.2s"}) {
        CAPTURE(cell);
        at = row.find(cell, at);
        REQUIRE(at != std::string::npos);
    }
}

TEST_CASE("without a rate there are dashes and never zeros") {
    const auto lines = draw(state_of({support::starting_vm()}), {140, 0, false, ""});
    const std::string row = line_of(lines, "/machine/peripheral/virtio0");
    CHECK(std::count(row.begin(), row.end(), '-') >= 6);
    CHECK(row.find(" 0 ") == std::string::npos);
}

TEST_CASE("the first numbers are announced, counted down from the snapshot's time, and never promised for the past") {
    const auto state = state_of({support::starting_vm()});
    CHECK(shows(draw(state), "first numbers in 12s"));
    base::instant later = some_instant();
    later.steady += base::seconds(5);
    CHECK(shows(view::table(state, {}, later), "first numbers in 7s"));
    later.steady += base::seconds(500);
    CHECK(shows(view::table(state, {}, later), "first numbers in 1s"));
    CHECK_FALSE(shows(draw(state_of({support::running_vm()})), "first numbers"));
}

TEST_CASE("a monitor in trouble says since when and why, in full") {
    const auto lines = draw(state_of({support::busy_vm()}), {60, 0, false, ""});
    CHECK(lines[0].find("desktop  busy for 12s: another client owns the monitor;") == 0);
    CHECK(shows(lines, "unix:/run/desktop.sock"));
    CHECK_FALSE(shows(lines, "MB/s"));  // no drives, no titles

    pipeline::vm_snapshot fresh = support::busy_vm();
    fresh.monitor_detail.clear();
    fresh.monitor_since = some_instant();
    CHECK(draw(state_of({fresh}))[0] == "desktop  busy");
}

TEST_CASE("a very long reason takes three lines and is cut") {
    pipeline::vm_snapshot vm = support::busy_vm();
    for (int i = 0; i < 50; ++i) vm.monitor_detail += " and more";
    const auto lines = draw(state_of({vm}), {60, 0, false, ""});
    CHECK(lines.size() == 5);  // three, a blank one, the footer
    CHECK(lines[2].find("…") != std::string::npos);
}

TEST_CASE("colour is used for what stands out and only when it is wanted") {
    const auto plain = joined(draw(three_vms(), {120, 0, false, ""}));
    CHECK(plain.find('\x1b') == std::string::npos);

    const auto lines = draw(three_vms(), {120, 0, true, ""});
    CHECK(shows(lines, "\x1b[1mwinarm"));
    CHECK(shows(lines, "\x1b[31mbusy"));
    CHECK(shows(lines, "\x1b[33mpaused"));
    CHECK_FALSE(shows(lines, "\x1b[33mrunning"));
    CHECK(line_of(lines, "cd?").find("\x1b[2m") == 0);
    CHECK(line_of(lines, "system").find('\x1b') == std::string::npos);
}

TEST_CASE("a stalled drive says so below its row: age, level, cause, cost and pattern") {
    const auto stalled = draw(state_of({vm_with(support::stalled_media())}), {140, 0, false, ""});
    CHECK(stalled[4] == "  ^ STALLED 8.4s  confirmed lost_completion, 3 stalls, 30.4s lost "
                        "(Windows' 10 s CD time-out on usb-storage)");
    const auto suspected = draw(state_of({vm_with(support::suspected_media())}), {140, 0, false, ""});
    CHECK(suspected[4] == "  ^ STALLED 8.4s  suspected lost_completion (Windows' 10 s CD time-out on usb-storage)");
    const auto narrow = draw(state_of({vm_with(support::stalled_media())}), {60, 0, false, ""});
    CHECK(narrow[4] == "  ^ STALLED 8.4s  confirmed lost_completion, 3 stalls, 30.4…");
}

TEST_CASE("between stalls the level stays below the row; a gap that is not suspected is no stall") {
    pipeline::drive_snapshot drive = support::stalled_media();
    drive.stall.is_suspected = false;
    const auto state = [&] { return draw(state_of({vm_with(drive)}), {140, 0, false, ""}); };
    const std::string expected = "  ^ confirmed lost_completion, 3 stalls, 30.4s lost "
                                 "(Windows' 10 s CD time-out on usb-storage)";
    CHECK(state()[4] == expected);
    drive.stall.is_suspected = true;
    drive.stall.gap_start.reset();
    CHECK(state()[4] == expected);
    drive.stall.would_faster_polling_tell = true;
    drive.stall.level = stall::level::suspected;
    drive.stall.totals.clear();
    drive.stall.pattern = {};
    CHECK(state()[4] == "  ^ suspected lost_completion (poll faster to be sure: --poll 1s)");
}

TEST_CASE("the age of a stall goes on between samples, but not while the VM does not run or answer") {
    pipeline::vm_snapshot vm = vm_with(support::stalled_media());
    base::instant later = some_instant();
    later.steady += base::milliseconds(700);
    const auto line = [&] { return view::table(state_of({vm}), {140, 0, false, ""}, later)[4]; };
    CHECK(line().find("STALLED 9.1s") != std::string::npos);
    vm.run_state = "paused";
    CHECK(line().find("STALLED 8.4s") != std::string::npos);
    vm.run_state = "running";
    vm.monitor = sample::monitor_state::blocked;
    CHECK(joined(view::table(state_of({vm}), {140, 0, false, ""}, later)).find("STALLED 8.4s") != std::string::npos);
    vm.monitor = sample::monitor_state::ready;
    later.steady -= base::seconds(5);
    CHECK(line().find("STALLED 8.4s") != std::string::npos);
}

TEST_CASE("stalls that are over leave a dim line, and a drive without any leaves none") {
    const auto lines = draw(state_of({vm_with(support::recovered_drive())}), {80, 0, true, ""});
    CHECK(lines[4] == "\x1b[2m  ^ 2 stalls, 20.1s lost (slow_backend)\x1b[0m");
    CHECK(draw(state_of({vm_with(support::system_drive())}), {80, 0, false, ""}).size() + 1 == lines.size());
}

TEST_CASE("a stall is red from probable on, yellow while suspected, dim when it is old news") {
    const auto line = [](const pipeline::vm_snapshot& vm) {
        const auto lines = draw(state_of({vm}), {80, 0, true, ""});
        const auto found = std::find_if(lines.begin(), lines.end(),
                                        [](const std::string& each) { return each.find("  ^ ") != std::string::npos; });
        REQUIRE(found != lines.end());
        return *found;
    };
    pipeline::drive_snapshot drive = support::stalled_media();
    CHECK(line(vm_with(drive)).find("\x1b[31m") == 0);
    drive.stall.level = stall::level::probable;
    CHECK(line(vm_with(drive)).find("\x1b[31m") == 0);
    CHECK(line(vm_with(support::suspected_media())).find("\x1b[33m") == 0);
    pipeline::vm_snapshot blocked = vm_with(drive);
    blocked.monitor = sample::monitor_state::blocked;
    CHECK(line(blocked).find("\x1b[2m") == 0);
}

TEST_CASE("a low terminal drops old stalls first, never parts a stall from its drive, and counts what it hides") {
    pipeline::vm_snapshot vm = vm_with_drives(0);
    vm.drives = {support::recovered_drive(), support::stalled_media(), support::stalled_media()};
    const auto state = state_of({vm});
    const std::size_t all = draw(state).size();
    for (std::size_t rows = 1; rows <= all; ++rows) {
        const auto lines = draw(state, {100, rows, false, ""});
        CAPTURE(rows);
        CHECK(lines.size() <= rows);
        const std::string text = joined(lines);
        const auto count = [&](std::string_view what) {
            std::size_t found = 0;
            for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
            return found;
        };
        CHECK(count("install_media") == count("STALLED"));
    }
    CHECK(shows(draw(state, {100, all, false, ""}), "^ 2 stalls"));
    CHECK_FALSE(shows(draw(state, {100, all - 2, false, ""}), "^ 2 stalls"));
    CHECK(shows(draw(state, {100, 8, false, ""}), "... and 1 more drive (1 with stalls)"));
    CHECK(shows(draw(state, {100, 7, false, ""}), "... and 2 more drives (2 with stalls)"));
}

TEST_CASE("rows of a VM that does not answer are dim: their figures are old") {
    pipeline::vm_snapshot vm = support::running_vm();
    vm.monitor = sample::monitor_state::blocked;
    const auto lines = draw(state_of({vm}), {120, 0, true, ""});
    CHECK(line_of(lines, "system").find("\x1b[2m") == 0);
}

TEST_CASE("names from a monitor cannot reach the terminal as they are") {
    const std::string text = joined(draw(state_of({support::running_vm()}), {120, 0, false, ""}));
    CHECK(text.find("cd?[2J?") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);

    pipeline::vm_snapshot vm = support::running_vm();
    vm.identity.vm = "a\x1b]0;b\x07";
    vm.run_state = "\x1b[5m";
    vm.identity.machine = "\x1b[7m";
    vm.identity.version = "\x1b[8m";
    CHECK_FALSE(shows(draw(state_of({vm}), {120, 0, false, ""}), "\x1b"));
}

TEST_CASE("a low terminal never gets more lines than it has rows, and learns what is missing") {
    const auto state = state_of({vm_with_drives(20), support::busy_vm()});
    const std::size_t all = draw(state).size();
    for (std::size_t rows = 1; rows <= all + 2; ++rows) {
        const auto lines = draw(state, {100, rows, false, ""});
        CAPTURE(rows);
        CHECK(lines.size() <= rows);
        if (rows < 24) CHECK(shows(lines, "... and "));
    }
    const auto lines = draw(state, {100, 14, false, ""});
    CHECK(lines.size() == 14);
    CHECK(shows(lines, "... and 1 more VM, 11 more drives"));
    CHECK(shows(lines, "drive8"));
    CHECK_FALSE(shows(lines, "drive9"));
    CHECK(shows(lines, "over the last 15s"));

    const auto one = state_of({vm_with_drives(20)});
    CHECK(shows(draw(one, {100, 24, false, ""}), "drive19"));
    CHECK_FALSE(shows(draw(one, {100, 24, false, ""}), "..."));
    CHECK(shows(draw(one, {100, 23, false, ""}), "... and 2 more drives"));
    CHECK(draw(state, {100, 0, false, ""}).size() == all);
}

TEST_CASE("a QOM path is cut to what tells drives apart") {
    const auto lines = draw(state_of({support::starting_vm()}), {60, 0, false, ""});
    CHECK(shows(lines, "…virtio0/"));
}

TEST_CASE("nothing to show") {
    const auto lines = draw(state_of({}));
    CHECK(lines[0] == "no VM found yet");
    CHECK(shows(lines, "over the last 15s"));

    pipeline::vm_snapshot bare;
    bare.identity.vm = "bare";
    bare.monitor = sample::monitor_state::ready;
    CHECK(draw(state_of({bare}))[0] == "bare  ready");
}
