// Files that tests read: fixtures (what real QEMUs said) and golden files (what we must say).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::support {

/// The whole content of a file. Throws when it cannot be read.
std::string file_content(const std::filesystem::path& path);

/// Where tests/fixtures/NAME is. Throws when nobody says where the fixtures are.
std::filesystem::path fixture_path(std::string_view name);

/// The whole content of tests/fixtures/NAME. Throws when it cannot be read.
std::string fixture(std::string_view name);

/// The lines of tests/fixtures/NAME, without their ends.
std::vector<std::string> fixture_lines(std::string_view name);

/// The content of tests/golden/NAME. With QMPWATCH_UPDATE_GOLDEN=1 in the environment the file is first written with
/// `actual`: look at the difference before you commit it.
std::string golden(std::string_view name, std::string_view actual);

/// What is written to standard output meanwhile.
std::string standard_output_of(const std::function<void()>& action);

/// A folder that is removed with everything in it at the end.
class temporary_folder {
public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace qmpwatch::support
