#include "app/whole_file.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <iterator>
#include <string>

using namespace qmpwatch;
using app::append_to_file;
using app::write_whole_file;

namespace {

std::ptrdiff_t files_in(const std::filesystem::path& folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
}

}  // namespace

TEST_CASE("a file is written, and replaced") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "report.html").string();
    REQUIRE(write_whole_file(path, "one\n").has_value());
    CHECK(support::file_content(path) == "one\n");
    const std::string large(3'000'000, 'x');
    REQUIRE(write_whole_file(path, large).has_value());
    CHECK(support::file_content(path) == large);
    REQUIRE(write_whole_file(path, "").has_value());
    CHECK(support::file_content(path).empty());
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("the mode is that of any new file") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "report.html").string();
    const mode_t mask = ::umask(022);
    REQUIRE(write_whole_file(path, "one\n").has_value());
    ::umask(mask);
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0644));
}

TEST_CASE("behind a symbolic link the file is replaced, not the link") {
    const support::temporary_folder folder;
    const auto file = folder.path() / "file", link = folder.path() / "link";
    REQUIRE(write_whole_file(file.string(), "one").has_value());
    std::filesystem::create_symlink(file, link);
    REQUIRE(write_whole_file(link.string(), "two").has_value());
    CHECK(std::filesystem::is_symlink(link));
    CHECK(support::file_content(file) == "two");
}

TEST_CASE("what cannot be written says so and leaves nothing behind") {
    const support::temporary_folder folder;
    const auto in_folder = write_whole_file(folder.path().string(), "x");
    REQUIRE(in_folder.has_error());
    CHECK(in_folder.error().code == base::errc::usage);
    const auto nowhere = write_whole_file((folder.path() / "no" / "file").string(), "x");
    REQUIRE(nowhere.has_error());
    CHECK(nowhere.error().code == base::errc::io);
    CHECK(nowhere.error().message.find("No such file") != std::string::npos);
    CHECK(files_in(folder.path()) == 0);
    // A device that is always full: no temporary file, and the error arrives.
    CHECK(write_whole_file("/dev/full", "x").has_error());
    CHECK(write_whole_file("/dev/null", "x").has_value());
}

TEST_CASE("a text is added at the end of a file, which is made where there is none") {
    const support::temporary_folder folder;
    const std::string path = (folder.path() / "summary.md").string();
    REQUIRE(append_to_file(path, "one\n").has_value());
    REQUIRE(append_to_file(path, "two\n").has_value());
    CHECK(support::file_content(path) == "one\ntwo\n");
    CHECK(append_to_file(folder.path().string(), "x").error().code == base::errc::usage);
    CHECK(append_to_file((folder.path() / "no" / "file").string(), "x").error().code == base::errc::io);
    CHECK(append_to_file("/dev/full", "x").has_error());
}
