#include "metrics/own_health.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

namespace qmpwatch::metrics {

TEST_CASE("the own process is known") {
    const own_health health = read_own_health();
    CHECK(health.version == QMPWATCH_VERSION);
    CHECK(health.compiler.size() > 4);
    REQUIRE(health.open_fds);
    REQUIRE(health.max_fds);
    CHECK(*health.open_fds >= 3);
    CHECK(*health.open_fds <= *health.max_fds);
#if defined(__linux__)
    REQUIRE(health.process);
    CHECK(health.process->resident_bytes > 0);
#endif
}

TEST_CASE("one more open file is counted as one") {
    const auto before = read_own_health().open_fds;
    const int file = open("/dev/null", O_RDONLY);
    REQUIRE(file >= 0);
    const auto after = read_own_health().open_fds;
    close(file);
    REQUIRE(before);
    REQUIRE(after);
    CHECK(*after == *before + 1);
    CHECK(read_own_health().open_fds == before);
}

}  // namespace qmpwatch::metrics
