#include "app/whole_file.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace qmpwatch::app {

namespace {

base::error failure(const std::string& path, int number) {
    const auto code =
        number == EACCES || number == EPERM || number == EROFS ? base::errc::not_permitted : base::errc::io;
    return base::fail(code, fmt::format("cannot write {}: {}", base::printable(path), std::strerror(number)));
}

/// 0, or why not. Closes the file in any case.
int write_and_close(int file, std::string_view text, bool to_disk) {
    int problem = 0;
    while (problem == 0 && !text.empty()) {
        const ssize_t count = ::write(file, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            problem = errno;
        }
    }
    if (problem == 0 && to_disk && ::fsync(file) != 0) problem = errno;
    if (::close(file) != 0 && problem == 0) problem = errno;
    return problem;
}

}  // namespace

base::result<void> write_whole_file(const std::string& path, std::string_view text) {
    std::error_code ignored;
    const std::filesystem::file_status what = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(what)) {
        return base::fail(base::errc::usage, fmt::format("{} is a folder: name a file in it", base::printable(path)));
    }
    if (std::filesystem::exists(what) && !std::filesystem::is_regular_file(what)) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return failure(path, errno);
        if (const int problem = write_and_close(file, text, false); problem != 0) return failure(path, problem);
        return {};
    }
    // Behind a symbolic link it is the file that is replaced.
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
    const std::string name = real.empty() ? path : real.string();
    const std::string temporary = fmt::format("{}.{}.tmp", name, ::getpid());
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return failure(path, errno);
    int problem = write_and_close(file, text, true);
    if (problem == 0 && ::rename(temporary.c_str(), name.c_str()) != 0) problem = errno;
    if (problem == 0) return {};
    ::unlink(temporary.c_str());
    return failure(path, problem);
}

base::result<void> append_to_file(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 && errno == EISDIR) {
        return base::fail(base::errc::usage, fmt::format("{} is a folder: name a file in it", base::printable(path)));
    }
    if (file < 0) return failure(path, errno);
    if (const int problem = write_and_close(file, text, false); problem != 0) return failure(path, problem);
    return {};
}

}  // namespace qmpwatch::app
