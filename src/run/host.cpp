#include "run/host.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <thread>

namespace qmpwatch::run {

namespace {

#ifdef __APPLE__
std::string system_value(const char* name) {
    std::array<char, 256> value{};
    std::size_t size = value.size() - 1;
    return sysctlbyname(name, value.data(), &size, nullptr, 0) == 0 ? std::string(value.data()) : std::string();
}
#endif

}  // namespace

std::string cpu_model(std::string_view cpuinfo) {
    while (!cpuinfo.empty()) {
        const std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
        cpuinfo.remove_prefix(std::min(line.size() + 1, cpuinfo.size()));
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string_view::npos)
            return std::string(line.substr(colon + 2));
    }
    return {};
}

host_facts read_host() {
    host_facts host;
    utsname system{};
    if (uname(&system) == 0) host.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
#ifdef __APPLE__
    host.cpu = system_value("machdep.cpu.brand_string");
#else
    std::ifstream file("/proc/cpuinfo");
    host.cpu = cpu_model(std::string(std::istreambuf_iterator<char>(file), {}));
#endif
    host.cpus = std::thread::hardware_concurrency();
    return host;
}

void take_origin(header& about, const environment& variable) {
    for (const char* name : {"GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION", "GIT_COMMIT", "BUILDKITE_COMMIT",
                             "CIRCLE_SHA1", "TRAVIS_COMMIT"}) {
        if (const auto value = variable(name); value && about.git_commit.empty()) about.git_commit = *value;
    }
    const auto server = variable("GITHUB_SERVER_URL"), repository = variable("GITHUB_REPOSITORY"),
               job = variable("GITHUB_RUN_ID");
    if (server && repository && job) about.ci_job = fmt::format("{}/{}/actions/runs/{}", *server, *repository, *job);
    for (const char* name :
         {"CI_JOB_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "TRAVIS_JOB_WEB_URL"}) {
        if (const auto value = variable(name); value && about.ci_job.empty()) about.ci_job = *value;
    }
}

}  // namespace qmpwatch::run
