#include "run/host.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace qmpwatch::run;

TEST_CASE("the CPU's name") {
    CHECK(cpu_model("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t: a b\nprocessor\t: 1\n") ==
          "Some CPU @ 3 GHz");
    CHECK(cpu_model("processor\t: 0\nCPU implementer\t: 0x41\n") == "");
    CHECK(cpu_model("") == "");
}

TEST_CASE("this host") {
    const host_facts host = read_host();
    CHECK(host.system.find(' ') != std::string::npos);
    CHECK(host.cpus > 0);
}

TEST_CASE("what CI systems say") {
    const auto origin = [](const std::map<std::string, std::string>& variables) {
        header about;
        take_origin(about, [&](const char* name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        });
        return std::pair(about.git_commit, about.ci_job);
    };
    CHECK(origin({}) == std::pair<std::string, std::string>());
    CHECK(origin({{"GITHUB_SHA", "abc"},
                  {"GITHUB_SERVER_URL", "https://hub.example"},
                  {"GITHUB_REPOSITORY", "me/vm"},
                  {"GITHUB_RUN_ID", "7"}}) ==
          std::pair<std::string, std::string>("abc", "https://hub.example/me/vm/actions/runs/7"));
    CHECK(origin({{"CI_COMMIT_SHA", "def"}, {"CI_JOB_URL", "https://lab.example/j/1"}}) ==
          std::pair<std::string, std::string>("def", "https://lab.example/j/1"));
    CHECK(origin({{"GIT_COMMIT", "123"}, {"BUILD_URL", "http://jenkins.example/9/"}}) ==
          std::pair<std::string, std::string>("123", "http://jenkins.example/9/"));
}
