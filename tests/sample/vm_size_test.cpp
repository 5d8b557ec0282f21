// The replies are those of QEMU 7.2, 10.0 and 11.1 with -smp 3 -m 512.
#include "sample/vm_size.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace qmpwatch::sample;

TEST_CASE("virtual CPUs over QMP") {
    CHECK(
        decode_cpus(
            R"([{"thread-id": 688, "props": {"core-id": 0, "thread-id": 0, "socket-id": 0}, )"
            R"("qom-path": "/machine/unattached/device[0]", "cpu-index": 0, "target": "x86_64"}, )"
            R"({"thread-id": 689, "qom-type": "qemu64-x86_64-cpu", "qom-path": "/machine/unattached/device[2]"}, {}])") ==
        3);
    for (const char* odd : {"[]", "{}", "", "[", "5", "null", "[1, 2]", R"([{}, "x"])"}) {
        CAPTURE(odd);
        CHECK(decode_cpus(odd) == 0);
    }
}

TEST_CASE("virtual CPUs over HMP") {
    CHECK(decode_hmp_cpus("* CPU #0: thread_id=688\r\n  CPU #1: thread_id=689\r\n  CPU #2: thread_id=690\r\n") == 3);
    CHECK(decode_hmp_cpus("  CPU #0: thread_id=9 model=qemu64\r\n* CPU #1: thread_id=10 model=qemu64\r\n") == 2);
    CHECK(decode_hmp_cpus("* CPU #0: thread_id=688 (halted)") == 1);
    for (const char* odd : {"", "\r\n", "unknown command: 'info cpus'\r\n", "a CPU #0\r\n", "CPU 0\r\n", "*"}) {
        CAPTURE(odd);
        CHECK(decode_hmp_cpus(odd) == 0);
    }
}

TEST_CASE("memory over QMP") {
    CHECK(decode_memory_size(R"({"base-memory": 536870912, "plugged-memory": 1073741824})") == 536870912);
    CHECK(decode_memory_size(R"({"base-memory": 18446744073709551615})") == std::numeric_limits<std::uint64_t>::max());
    for (const char* odd : {"{}", "[]", "", "{", R"({"base-memory": "1"})", R"({"base-memory": -1})",
                            R"({"base-memory": 1.5})", R"({"plugged-memory": 1})", "536870912"}) {
        CAPTURE(odd);
        CHECK(decode_memory_size(odd) == 0);
    }
}

TEST_CASE("memory over HMP") {
    CHECK(decode_hmp_memory_size("base memory: 536870912\r\nplugged memory: 0\r\n") == 536870912);
    CHECK(decode_hmp_memory_size("plugged memory: 7\nbase memory: 18446744073709551615") ==
          std::numeric_limits<std::uint64_t>::max());
    for (const char* odd : {"", "base memory: \r\n", "base memory: -5\r\n", "base memory: 5 MiB\r\n", "base memory: x",
                            "base memory: 18446744073709551616\r\n", "plugged memory: 5\r\n",
                            "unknown command: 'info memory_size_summary'\r\n"}) {
        CAPTURE(odd);
        CHECK(decode_hmp_memory_size(odd) == 0);
    }
}
