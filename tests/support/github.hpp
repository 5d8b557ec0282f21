// The environment that GitHub gives to a job, or that it does not: tests may run on GitHub themselves.
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace qmpwatch::support {

class github {
public:
    /// As on any other machine.
    github() {
        for (variable& each : variables_) {
            if (const char* const value = std::getenv(each.name)) each.before = value;
            ::unsetenv(each.name);
        }
    }

    /// As in a job, with its files in a folder.
    explicit github(const std::filesystem::path& folder) : github() {
        summary_ = folder / "summary.md";
        output_ = folder / "output";
        ::setenv("GITHUB_ACTIONS", "true", 1);
        ::setenv("GITHUB_STEP_SUMMARY", summary_.c_str(), 1);
        ::setenv("GITHUB_OUTPUT", output_.c_str(), 1);
    }

    github(const github&) = delete;
    github& operator=(const github&) = delete;
    ~github() {
        for (const variable& each : variables_) {
            if (each.before) {
                ::setenv(each.name, each.before->c_str(), 1);
            } else {
                ::unsetenv(each.name);
            }
        }
    }

    const std::filesystem::path& summary() const { return summary_; }
    const std::filesystem::path& output() const { return output_; }

private:
    struct variable {
        const char* name = "";
        std::optional<std::string> before{};
    };
    std::array<variable, 3> variables_{{{"GITHUB_ACTIONS"}, {"GITHUB_STEP_SUMMARY"}, {"GITHUB_OUTPUT"}}};
    std::filesystem::path summary_, output_;
};

}  // namespace qmpwatch::support
