#include "stall/trace_log.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace qmpwatch;
using base::seconds;
using stall::trace_log;

namespace {

base::steady_time at(int second) { return base::steady_time(seconds(second)); }

std::string submit(int tag) {
    return "usb_msd_cmd_submit lun 0, tag 0x" + std::to_string(tag) + ", flags 0x80, len 10, data-len 4096\n";
}
std::string complete(int tag) { return "usb_msd_cmd_complete status 0, tag 0x" + std::to_string(tag) + "\n"; }
std::string status(int tag) { return "usb_msd_send_status status 0, tag 0x" + std::to_string(tag) + ", len 13\n"; }
const std::string reset = "usb_msd_reset \n";

}  // namespace

TEST_CASE("the log of a QEMU 7.2 that has lost one") {
    const std::string all = support::fixture("recordings/trace_csw_lost_qemu72.log");
    for (const std::size_t devices : {std::size_t(1), std::size_t(0)}) {
        trace_log log(devices);
        log.feed(all, at(1));
        REQUIRE(log.lost().size() == 1);
        CHECK(log.lost().front().tag == 0xce);
        CHECK(log.completed() > 0);
        CHECK(log.lines() > log.completed());
    }
    // Cut anywhere it is the same.
    for (const std::size_t piece : {std::size_t(1), std::size_t(7), std::size_t(1000)}) {
        trace_log log;
        for (std::size_t i = 0; i < all.size(); i += piece) log.feed(std::string_view(all).substr(i, piece), at(1));
        CHECK(log.lost().size() == 1);
    }
}

TEST_CASE("commands that go well") {
    trace_log log;
    for (int i = 1; i < 500; ++i) log.feed(submit(i) + complete(i) + status(i), at(i));
    log.feed(reset, at(1000));
    CHECK(log.lost().empty());
    CHECK(log.completed() == 499);
    CHECK(log.lines() == 3 * 499 + 1);
}

TEST_CASE("a loss is found at the reset or at the next command, with its times") {
    trace_log log;
    log.feed(submit(1) + complete(1), at(1));
    CHECK(log.lost().empty());
    log.feed(reset, at(11));
    REQUIRE(log.lost().size() == 1);
    CHECK(log.lost()[0].tag == 1);
    CHECK(log.lost()[0].completed_at == at(1));
    CHECK(log.lost()[0].given_up_at == at(11));
    log.feed(reset + submit(2) + complete(2) + submit(3), at(12));
    REQUIRE(log.lost().size() == 2);
    CHECK(log.lost()[1].tag == 2);
}

TEST_CASE("a command that was cancelled, or never completed, has lost no status") {
    trace_log log;
    log.feed(submit(1) + reset, at(1));
    log.feed(submit(2) + complete(2) + "usb_msd_cmd_cancel tag 0x2\n" + reset, at(2));
    CHECK(log.lost().empty());
    CHECK(log.completed() == 1);
}

TEST_CASE("with several devices only a late reset counts") {
    trace_log log(2);
    log.feed(submit(1) + complete(1) + submit(2) + complete(2) + status(2) + submit(3), at(1));
    CHECK(log.lost().empty());  // 2 and 3 may be the other device's
    log.feed(reset, at(1));
    CHECK(log.lost().empty());  // that, too
    log.feed(reset, at(11));
    REQUIRE(log.lost().size() == 1);
    CHECK(log.lost()[0].tag == 1);
    log.feed(reset, at(12));
    CHECK(log.lost().size() == 1);
}

TEST_CASE("lines with a time before them, and lines that are no trace of ours") {
    trace_log log;
    log.feed("1234@1700000000.123456:usb_msd_cmd_complete status 0, tag 0xab\r\n", at(1));
    log.feed("1234@1700000010.123456:usb_msd_reset \r\n", at(11));
    REQUIRE(log.lost().size() == 1);
    CHECK(log.lost()[0].tag == 0xab);
    const std::uint64_t lines = log.lines();
    log.feed("not_usb_msd_reset \nxusb_msd_cmd_complete tag 0x1\n\n\r\nusb_xhci_run\n", at(12));
    CHECK(log.lines() == lines);
    log.feed("usb_msd_cmd_complete status 0\nusb_msd_cmd_complete tag 0xzz\nusb_msd_cmd_complete tag 0x123456789\n",
             at(12));
    CHECK(log.completed() == 1);
}

TEST_CASE("a line that never ends is dropped, and the next one is read") {
    trace_log log;
    for (int i = 0; i < 1000; ++i) log.feed(std::string(4096, 'x'), at(1));
    log.feed(complete(1), at(1));  // the end of the long line
    CHECK(log.completed() == 0);
    log.feed(complete(2), at(1));
    CHECK(log.completed() == 1);
}

TEST_CASE("a log that makes no sense does not grow without end") {
    trace_log log(2);
    for (int i = 0; i < 5000; ++i) log.feed(complete(i), at(1));
    log.feed(reset, at(11));
    CHECK(log.lost().size() == 64);
}
