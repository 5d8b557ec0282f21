#include "run/source.hpp"

#include "base/duration.hpp"
#include "run/import.hpp"
#include "run/run_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace qmpwatch::run {

namespace {

/// A monitor's answer has at most 16 MiB, and a line of a run is shorter than the answer it was made of.
constexpr std::size_t longest_line = std::size_t(32) << 20;
constexpr std::size_t largest_import = std::size_t(1) << 30;

/// A file, plain or gzip, piece by piece.
class unpacked_file {
public:
    static base::result<unpacked_file> open(const std::string& path) {
        int handle = -1;
        if (path == "-") {
            handle = ::dup(STDIN_FILENO);
        } else {
            handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        }
        if (handle < 0) {
            const base::errc code = errno == ENOENT   ? base::errc::absent
                                    : errno == EACCES ? base::errc::not_permitted
                                                      : base::errc::io;
            return base::fail(code, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
        }
        struct stat about{};
        if (::fstat(handle, &about) == 0 && S_ISDIR(about.st_mode)) {
            ::close(handle);
            return base::fail(base::errc::data, fmt::format("{} is a folder: give the file of a run", path));
        }
        gzFile file = gzdopen(handle, "rb");
        if (file == nullptr) {
            ::close(handle);
            return base::fail(base::errc::io, fmt::format("cannot open {}: out of memory", path));
        }
        return unpacked_file(file);
    }
    ~unpacked_file() {
        if (file_ != nullptr) gzclose_r(file_);
    }
    unpacked_file(unpacked_file&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
    unpacked_file& operator=(unpacked_file&&) = delete;

    /// Appends the next piece; false at the end, or where it cannot be read any further: then there is a fault.
    bool read_into(std::string& text) {
        std::array<char, 65536> piece{};
        const int count = gzread(file_, piece.data(), static_cast<unsigned>(piece.size()));
        if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
        int code = Z_OK;
        const char* why = gzerror(file_, &code);
        if (code == Z_BUF_ERROR) {
            fault_ = "its gzip stream is cut short: what was left of it was read";
        } else if (code == Z_ERRNO) {
            fault_ = fmt::format("it could not be read to its end: {}", std::strerror(errno));
        } else if (code < 0) {
            fault_ = fmt::format("its gzip stream is damaged and was read up to there ({})", why);
        }
        return count > 0;
    }
    const std::string& fault() const { return fault_; }

private:
    explicit unpacked_file(gzFile file) : file_(file) {}

    gzFile file_;
    std::string fault_;
};

/// The lines of a run file as they come.
class run_lines {
public:
    run_lines(run_info& info, const std::function<void(const header&)>& begin,
              const std::function<void(const happening&)>& hear)
        : info_(info), begin_(begin), hear_(hear) {}

    /// False when nothing after it is to be read.
    base::result<bool> take(std::string_view line, bool is_whole) {
        ++number_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!reader_) return take_header(line);
        if (line.empty()) return true;
        if (reader_->ended()) {
            info_.notes.push_back("there are lines after its end: they were left out");
            return false;
        }
        const base::result<std::optional<happening>> read = reader_->read(line);
        if (read.has_error()) {
            if (!is_whole) {
                info_.notes.push_back("its last line is torn and was left out");
            } else if (line.find("\"header\"") != std::string_view::npos && line_reader::read_header(line)) {
                info_.notes.push_back(fmt::format(
                    "another run begins at line {}: it was left out, put it into a file of its own", number_));
                return false;
            } else if (faults_++ == 0) {
                first_fault_ = fmt::format("line {} was left out: {}", number_, read.error().message);
            }
            return true;
        }
        if (*read) {
            if (std::holds_alternative<sample::sample>(**read)) has_sample_ = true;
            if (const auto at = time_of(**read)) last_ = at->steady;
            hear_(**read);
        }
        return true;
    }

    void finish() {
        if (faults_ > 0) {
            info_.notes.push_back(faults_ == 1 ? first_fault_
                                               : fmt::format("{} (and {} more lines)", first_fault_, faults_ - 1));
        }
        if (!reader_) return;
        info_.ended = reader_->ended();
        if (!info_.ended) {
            info_.notes.push_back(
                fmt::format("it has no end: the recorder was killed, or the file was cut, {} after the start",
                            base::format_length(last_ - info_.about.start.steady)));
        }
    }
    bool has_header() const { return reader_.has_value(); }
    bool has_sample() const { return has_sample_; }

private:
    base::result<bool> take_header(std::string_view line) {
        const base::result<header> about = line_reader::read_header(line);
        if (about.has_error()) return about.error();
        info_.about = *about;
        last_ = about->start.steady;
        reader_.emplace(*about);
        begin_(info_.about);
        return true;
    }

    run_info& info_;
    const std::function<void(const header&)>& begin_;
    const std::function<void(const happening&)>& hear_;
    std::optional<line_reader> reader_;
    std::size_t number_ = 0, faults_ = 0;
    std::string first_fault_;
    bool has_sample_ = false;
    base::steady_time last_{};
};

base::result<void> read_run_file(unpacked_file& file, std::string text, run_lines& lines) {
    bool goes_on = true;
    for (bool is_at_end = false; goes_on;) {
        std::string_view rest = text;
        for (std::size_t end = rest.find('\n'); goes_on && end != std::string_view::npos; end = rest.find('\n')) {
            const base::result<bool> taken = lines.take(rest.substr(0, end), true);
            if (taken.has_error()) return taken.error();
            goes_on = *taken;
            rest.remove_prefix(end + 1);
        }
        text.erase(0, text.size() - rest.size());
        if (is_at_end || !goes_on) break;
        if (text.size() > longest_line) {
            return base::fail(base::errc::data, fmt::format("it has a line of more than {} MiB", longest_line >> 20));
        }
        is_at_end = !file.read_into(text);
    }
    if (goes_on && !text.empty()) {
        const base::result<bool> taken = lines.take(text, false);
        if (taken.has_error()) return taken.error();
    }
    lines.finish();
    return {};
}

constexpr const char* what_is_a_run =
    "it is neither a run that qmpwatch record wrote, nor a log of `info blockstats` with times between, nor JSON Lines "
    "of query-blockstats replies";

}  // namespace

base::result<run_info> read_run(const std::string& path, const std::function<void(const header&)>& begin,
                                const std::function<void(const happening&)>& hear) {
    base::result<unpacked_file> file = unpacked_file::open(path);
    if (file.has_error()) return file.error();
    const std::string shown = path == "-" ? "standard input" : path;
    const auto refuse = [&](const std::string& why) {
        return base::fail(base::errc::data, fmt::format("{}: {}", shown, why));
    };

    run_info info;
    info.path = path;
    std::string text;
    while (text.size() < 65536 && file->read_into(text)) {
    }
    if (text.empty()) return refuse(file->fault().empty() ? "it is empty" : file->fault());
    const content kind = recognize(text);
    if (kind == content::unknown) return refuse(what_is_a_run);
    if (kind == content::run_file) {
        run_lines lines(info, begin, hear);
        const base::result<void> read = read_run_file(*file, std::move(text), lines);
        if (read.has_error()) return refuse(read.error().message);
        if (!file->fault().empty()) info.notes.push_back(file->fault());
        if (!lines.has_sample()) return refuse("it holds no sample: nothing was recorded of the VM's drives");
        return info;
    }

    while (file->read_into(text)) {
        if (text.size() > largest_import) return refuse(fmt::format("it is larger than {} MiB", largest_import >> 20));
    }
    base::result<imported> other = kind == content::json_lines ? import_json_lines(text) : import_hmp_log(text);
    if (other.has_error()) return refuse(other.error().message);
    info.is_imported = true;
    info.about = other->about;
    info.notes = std::move(other->notes);
    if (!file->fault().empty()) info.notes.push_back(file->fault());
    begin(info.about);
    bool has_sample = false;
    base::instant last = info.about.start;
    for (const happening& one : other->story) {
        if (std::holds_alternative<sample::sample>(one)) has_sample = true;
        if (const auto at = time_of(one)) last = *at;
        hear(one);
    }
    if (!has_sample) return refuse("it holds no counters of any drive");
    end how;
    how.reason = end_reason::imported;
    how.at = last;
    info.ended = how;
    return info;
}

}  // namespace qmpwatch::run
