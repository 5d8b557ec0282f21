#include "metrics/own_health.hpp"

#include <filesystem>
#include <iterator>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace qmpwatch::metrics {

namespace {

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* compiler = "g++ " __VERSION__;
#else
constexpr const char* compiler = "unknown";
#endif

std::optional<std::uint64_t> count_open_fds() {
#if defined(__linux__)
    constexpr const char* folder = "/proc/self/fd";
#else
    constexpr const char* folder = "/dev/fd";
#endif
    std::error_code failure;
    std::filesystem::directory_iterator entry(folder, failure);
    std::uint64_t count = 0;
    while (!failure && entry != std::filesystem::directory_iterator{}) {
        ++count;
        entry.increment(failure);
    }
    if (failure || count == 0) return std::nullopt;
    return count - 1;  // the one that listed the folder
}

std::optional<std::uint64_t> read_max_fds() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    return limit.rlim_cur;
}

}  // namespace

own_health read_own_health() {
    own_health health{.version = QMPWATCH_VERSION, .compiler = compiler, .process = {}, .open_fds = {}, .max_fds = {}};
    if (auto usage = base::read_process(getpid())) health.process = *usage;
    health.open_fds = count_open_fds();
    health.max_fds = read_max_fds();
    return health;
}

}  // namespace qmpwatch::metrics
