// What the kernel says about processes.
#include "base/process.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <ctime>
#include <limits>

using namespace qmpwatch::base;

namespace {

constexpr kernel_units units{100, 4096, 1'796'000'000};

// utime 3050, stime 1250 ticks; started 8000 ticks after boot; 2 GiB of address space, 51200 pages of memory.
constexpr std::string_view numbers = " 1 4711 4711 0 -1 138412352 25163 0 12 0 3050 1250 7 8 20 0 6 0 8000 2147483648 "
                                     "51200 18446744073709551615 1 1 0 0\n";

std::string status(std::string_view name_and_state) {
    return "4711 (" + std::string(name_and_state) + std::string(numbers);
}

}  // namespace

TEST_CASE("a process status") {
    const auto usage = parse_proc_stat(status("qemu-system-x86) S"), units);
    REQUIRE(usage.has_value());
    CHECK(usage->cpu_seconds == doctest::Approx(43.0));
    CHECK(usage->resident_bytes == 51200 * 4096ULL);
    CHECK(usage->virtual_bytes == 2147483648ULL);
    CHECK(usage->start_time_seconds == doctest::Approx(1'796'000'080.0));
    CHECK(usage->state == 'S');
    CHECK_FALSE(usage->is_stopped());
}

TEST_CASE("a command name may look like the rest of the status") {
    for (const char* name : {"a b", ") R 1 2 3", "((", "))", "", "x\ny", ") S 9 9 9 9 (z"}) {
        const auto usage = parse_proc_stat(status(std::string(name) + ") T"), units);
        REQUIRE_MESSAGE(usage.has_value(), name);
        CHECK(usage->state == 'T');
        CHECK(usage->is_stopped());
        CHECK(usage->virtual_bytes == 2147483648ULL);
    }
}

TEST_CASE("stopped is stopped by a signal or by a debugger") {
    CHECK(parse_proc_stat(status("q) t"), units)->is_stopped());
    CHECK_FALSE(parse_proc_stat(status("q) Z"), units)->is_stopped());
    CHECK_FALSE(parse_proc_stat(status("q) R"), units)->is_stopped());
}

TEST_CASE("a status that is cut or garbled is an error") {
    const std::string whole = status("q) S");
    // The last field that counts ends with the pages of memory.
    const std::size_t needed = whole.find(" 51200") + 2;
    for (std::size_t length = 0; length < needed; ++length) {
        CHECK_FALSE_MESSAGE(parse_proc_stat(whole.substr(0, length), units).has_value(), length);
    }
    CHECK(parse_proc_stat(whole.substr(0, needed), units)->resident_bytes == 5 * 4096ULL);
    for (const char* text :
         {"", "4711 qemu S 1 2 3", "(q) S", "(q) SS 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
          "(q) S 1 1 1 1 1 1 1 1 1 1 -1 1 1 1 1 1 1 1 1 1 1", "(q) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 x 1 1",
          "(q) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 99999999999999999999 1"}) {
        const auto usage = parse_proc_stat(text, units);
        REQUIRE_MESSAGE(!usage.has_value(), text);
        CHECK(usage.error().code == errc::data);
    }
}

#ifdef __linux__

TEST_CASE("the test's own process") {
    const auto usage = read_process(getpid());
    REQUIRE(usage.has_value());
    CHECK(usage->state == 'R');
    CHECK(usage->resident_bytes > 100'000);
    CHECK(usage->virtual_bytes >= usage->resident_bytes);
    const auto present = static_cast<double>(std::time(nullptr));
    CHECK(usage->start_time_seconds > present - 3600);
    CHECK(usage->start_time_seconds < present + 60);

    const auto words = read_command_line(getpid());
    REQUIRE(words.has_value());
    REQUIRE_FALSE(words->empty());
    CHECK(words->front().find("test") != std::string::npos);
}

TEST_CASE("a process that does not exist is absent") {
    for (const int pid : {0, -1, std::numeric_limits<int>::max()}) {
        CHECK(read_process(pid).error().code == errc::absent);
        CHECK(read_command_line(pid).error().code == errc::absent);
    }
    CHECK(read_process(-1).error().message == "there is no process -1");
}

#else

TEST_CASE("another system says that it cannot tell") {
    CHECK(read_process(getpid()).error().code == errc::io);
    CHECK(read_command_line(getpid()).error().code == errc::io);
}

#endif
