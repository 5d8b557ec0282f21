#include "support/files.hpp"

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

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string fixture(std::string_view name) { return read(folder("QMPWATCH_FIXTURES") / name); }

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
    return read(path);
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
