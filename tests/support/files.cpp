#include "support/files.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace qmpwatch::support {

namespace {

std::filesystem::path folder(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr)
        throw std::runtime_error(std::string(variable) + " is not set: run the tests with ./dev test");
    return value;
}

}  // namespace

std::string file_content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path fixture_path(std::string_view name) { return folder("QMPWATCH_FIXTURES") / name; }

std::string fixture(std::string_view name) { return file_content(fixture_path(name)); }

std::vector<std::string> fixture_lines(std::string_view name) {
    std::istringstream text(fixture(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

std::string golden(std::string_view name, std::string_view actual) {
    const auto path = folder("QMPWATCH_GOLDEN") / name;
    if (const char* update = std::getenv("QMPWATCH_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
        std::ofstream(path, std::ios::binary) << actual;
    }
    return file_content(path);
}

std::string standard_output_of(const std::function<void()>& action) {
    const temporary_folder folder;
    const std::filesystem::path path = folder.path() / "out";
    std::fflush(stdout);
    const int kept = ::dup(STDOUT_FILENO);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    if (kept < 0 || file < 0) throw std::runtime_error("cannot redirect standard output");
    ::dup2(file, STDOUT_FILENO);
    ::close(file);
    action();
    std::fflush(stdout);
    ::dup2(kept, STDOUT_FILENO);
    ::close(kept);
    return file_content(path);
}

temporary_folder::temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "qmpwatch-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace qmpwatch::support
