#include "run/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace qmpwatch::run {

namespace {

/// For the user: an error of the system in words.
std::string reason() { return std::strerror(errno); }

/// gzip with a window as usual. Flushed after each append, so that what was appended can be read after a kill.
class compressor {
public:
    compressor() {
        constexpr int gzip_format = 15 + 16;  // zlib's way to say: the largest window, in a gzip wrapper
        deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, 8, Z_DEFAULT_STRATEGY);
    }
    ~compressor() { deflateEnd(&stream_); }
    compressor(const compressor&) = delete;
    compressor& operator=(const compressor&) = delete;

    std::string compress(std::string_view text, bool is_last) {
        std::string out;
        std::array<unsigned char, 4096> piece{};
        std::string copy(text);  // zlib takes it as not const
        stream_.next_in = reinterpret_cast<Bytef*>(copy.data());
        stream_.avail_in = static_cast<uInt>(copy.size());
        do {
            stream_.next_out = piece.data();
            stream_.avail_out = static_cast<uInt>(piece.size());
            deflate(&stream_, is_last ? Z_FINISH : Z_SYNC_FLUSH);
            out.append(reinterpret_cast<const char*>(piece.data()), piece.size() - stream_.avail_out);
        } while (stream_.avail_out == 0);
        return out;
    }

private:
    z_stream stream_{};
};

}  // namespace

class output::file {
public:
    file(std::string path, int handle) : path_(std::move(path)), handle_(handle) {
        if (path_.ends_with(".gz")) gzip_.emplace();
    }
    ~file() {
        if (handle_ >= 0) ::close(handle_);
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;

    base::result<void> append(std::string_view lines, bool is_last = false) {
        if (failure_) return *failure_;
        if (gzip_) {
            const std::string packed = gzip_->compress(lines, is_last);
            return write(packed);
        }
        return write(lines);
    }

    base::result<void> close() {
        base::result<void> done;
        if (gzip_) done = append("", true);
        if (failure_) done = *failure_;
        const bool is_synced = ::fsync(handle_) == 0 || errno == EINVAL || errno == EROFS;  // pipes cannot
        const int sync_error = errno;
        const bool is_closed = ::close(std::exchange(handle_, -1)) == 0;
        if (done.has_value() && (!is_synced || !is_closed)) {
            if (!is_synced) errno = sync_error;
            done = base::fail(base::errc::io, fmt::format("{}: cannot finish the run file: {}", path_, reason()));
        }
        return done;
    }

private:
    base::result<void> write(std::string_view rest) {
        const auto size = static_cast<off_t>(rest.size());
        while (!rest.empty()) {
            const ssize_t count = ::write(handle_, rest.data(), rest.size());
            if (count >= 0) {
                rest.remove_prefix(static_cast<std::size_t>(count));
            } else if (errno != EINTR) {
                failure_ = base::fail(base::errc::io,
                                      fmt::format("{}: cannot write the run any further: {}; what was recorded until "
                                                  "now is kept",
                                                  path_, reason()));
                // Half a line is no use to anybody. Where it cannot be cut off, readers leave it out.
                if (::ftruncate(handle_, whole_) == 0) ::lseek(handle_, whole_, SEEK_SET);
                return *failure_;
            }
        }
        whole_ += size;
        return {};
    }

    std::string path_;
    int handle_;
    off_t whole_ = 0;  ///< bytes of whole lines
    std::optional<compressor> gzip_;
    std::optional<base::error> failure_;
};

output::output(std::unique_ptr<file> how) : file_(std::move(how)) {}
output::~output() = default;

base::result<std::unique_ptr<output>> output::create(const std::string& path, bool overwrite) {
    const int how = O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL);
    const int handle = ::open(path.c_str(), how, 0644);
    if (handle < 0) {
        if (errno == EEXIST) {
            return base::fail(base::errc::usage,
                              fmt::format("{} exists already: give another name, or --overwrite to replace it", path));
        }
        const base::errc code = errno == EACCES || errno == EPERM ? base::errc::not_permitted : base::errc::io;
        return base::fail(code, fmt::format("cannot create {}: {}", path, reason()));
    }
    return std::unique_ptr<output>(new output(std::make_unique<file>(path, handle)));
}

base::result<void> output::append(std::string_view lines) { return file_->append(lines); }
base::result<void> output::close() { return file_->close(); }

}  // namespace qmpwatch::run
