#include "monitor/allow_list.hpp"

#include <doctest/doctest.h>

using namespace qmpwatch::monitor;

TEST_CASE("commands that only look are allowed") {
    CHECK(is_allowed_qmp("query-blockstats"));
    CHECK(is_allowed_qmp("qom-get"));
    CHECK(is_allowed_hmp("info blockstats"));
    CHECK(is_allowed_qmp("x-query-usb"));
    CHECK(is_allowed_hmp("info qtree"));
    CHECK(is_allowed_hmp("info usb"));
    CHECK(is_allowed_hmp("info jit"));
}

TEST_CASE("anything that could change the VM is not") {
    for (const char* command :
         {"human-monitor-command", "stop", "cont", "quit", "system_reset", "qom-set", "device_del",
          "block-latency-histogram-set", "trace-event-set-state", "trace-event-get-state", "logfile", "blockdev-add",
          "", "QUERY-STATUS", "query-blockstats "}) {
        CAPTURE(command);
        CHECK_FALSE(is_allowed_qmp(command));
    }
    for (const char* line :
         {"stop", "info", "info ", "info blockstats\nstop", "info block -v", "quit", "info  block",
          "qemu-io x read 0 1", "logfile x", "trace-event usb_msd_reset on", "info trace-events", ""}) {
        CAPTURE(line);
        CHECK_FALSE(is_allowed_hmp(line));
    }
}
