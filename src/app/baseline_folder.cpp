#include "app/baseline_folder.hpp"

#include "app/whole_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "gate/comparable.hpp"
#include "run/digest.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace qmpwatch::app {

namespace {

namespace files = std::filesystem;
using base::errc;
using base::printable;

std::string content_of(const files::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    return text;
}

std::string index_path(const std::string& folder) { return path_in(folder, std::string(gate::baseline_index_name)); }

base::result<void> check_folder(const std::string& folder) {
    std::error_code failure;
    const files::file_status what = files::status(folder, failure);
    if (!files::exists(what)) {
        const bool is_absent = !failure || what.type() == files::file_type::not_found;
        return base::fail(is_absent ? errc::absent : errc::not_permitted,
                          is_absent ? fmt::format("there is no folder {}", printable(folder))
                                    : fmt::format("cannot open {}: {}", printable(folder), failure.message()));
    }
    if (!files::is_directory(what)) {
        return base::fail(errc::usage, fmt::format("{} is no folder", printable(folder)));
    }
    return {};
}

/// Two that change one folder take turns. The lock goes with the object, and with the process.
class folder_lock {
public:
    static base::result<folder_lock> take(const std::string& folder) {
        const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int problem = file < 0 ? errno : 0;
        while (problem == 0 && ::flock(file, LOCK_EX) != 0) {
            if (errno != EINTR) problem = errno;
        }
        // A file system without locks is as good as one user's.
        if (file < 0) {
            return base::fail(problem == EACCES ? errc::not_permitted : errc::io,
                              fmt::format("cannot open {}: {}", printable(folder), std::strerror(problem)));
        }
        return folder_lock(file);
    }
    folder_lock(folder_lock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    folder_lock& operator=(folder_lock&&) = delete;
    folder_lock(const folder_lock&) = delete;
    folder_lock& operator=(const folder_lock&) = delete;
    ~folder_lock() {
        if (file_ >= 0) ::close(file_);
    }

private:
    explicit folder_lock(int file) : file_(file) {}
    int file_;
};

/// A run that is to be accepted.
struct candidate {
    std::string path;
    gate::accepted_run entry;
    bool is_there = false;  ///< its file is in the folder already
    std::optional<std::size_t> retired_as;  ///< its place in the index
};

bool is_in(const std::string& folder, const files::path& file) {
    std::error_code ignored;
    const files::path parent = file.has_parent_path() ? file.parent_path() : files::path(".");
    return files::equivalent(folder, parent, ignored);
}

/// 2026-11-30-0123456789abcdef.run: nothing of the name that somebody else gave.
std::string name_for(const run::run_info& info, const std::string& sha256, std::string_view content) {
    constexpr std::size_t day = 10, digits = 16;
    const std::string date =
        info.about.has_wall_clock ? base::rfc3339(info.about.start.wall).substr(0, day) : std::string("undated");
    // The id stands in a file that anybody may have written.
    const bool is_id = !info.about.id.empty() && info.about.id.size() <= 2 * digits &&
                       info.about.id.find_first_not_of("0123456789abcdef") == std::string::npos;
    const bool is_gzip = content.starts_with("\x1f\x8b");
    return fmt::format("{}-{}.run{}", date, is_id ? info.about.id : sha256.substr(0, digits), is_gzip ? ".gz" : "");
}

base::result<candidate> examine(const std::string& folder, const std::string& path, const acceptance& how,
                                base::wall_time now) {
    if (path == "-") return base::fail(errc::usage, "runs are accepted from files, not from standard input");
    base::result<std::string> sum = base::sha256_of_file(path);
    if (sum.has_error()) return sum.error();
    const base::result<run::digest> read = run::read_digest(path);
    if (read.has_error()) return read.error();
    const run::run_info& info = read->info;
    if (!info.is_imported) {
        if (!info.ended) {
            return base::fail(errc::data, fmt::format("{} has no end: it is still being recorded, or its recorder was "
                                                      "killed; record it again",
                                                      printable(path)));
        }
        if (!info.ended->is_complete() && !how.allow_incomplete) {
            return base::fail(errc::data, fmt::format("{} did not come to its own end ({}): it tells less than others; "
                                                      "--allow-incomplete accepts it all the same",
                                                      printable(path), run::name(info.ended->reason)));
        }
    }
    candidate made;
    made.path = path;
    made.entry.sha256 = *sum;
    made.entry.id = info.about.id;
    const gate::fingerprint of = gate::fingerprint_of_run(*read, how.medium);
    made.entry.fingerprint = of.hash;
    made.entry.fingerprint_text = of.text;
    if (info.about.has_wall_clock) made.entry.recorded = base::rfc3339(info.about.start.wall);
    made.entry.accepted = base::rfc3339(now);
    made.entry.note = how.note;
    made.is_there = is_in(folder, path);
    made.entry.file =
        made.is_there ? files::path(path).filename().string() : name_for(info, *sum, content_of(path).substr(0, 2));
    return made;
}

bool is_same_run(const gate::accepted_run& one, const gate::accepted_run& other) {
    return one.sha256 == other.sha256 || (!one.id.empty() && one.id == other.id);
}

base::result<void> check_twins(std::vector<candidate>& all, const gate::baseline_index& index) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (!is_same_run(all[i].entry, all[k].entry)) continue;
            return base::fail(
                errc::data, fmt::format("{} and {} are the same run", printable(all[k].path), printable(all[i].path)));
        }
        for (std::size_t k = 0; k < index.size(); ++k) {
            if (!is_same_run(all[i].entry, index[k])) continue;
            if (index[k].retired.empty()) {
                return base::fail(errc::data, fmt::format("{} is accepted already, as {}", printable(all[i].path),
                                                          printable(index[k].file)));
            }
            all[i].retired_as = k;
        }
    }
    return {};
}

/// Removes the copies again unless they are to stay.
class copies {
public:
    copies() = default;
    copies(const copies&) = delete;
    copies& operator=(const copies&) = delete;
    ~copies() {
        std::error_code ignored;
        for (const std::string& each : made_) files::remove(each, ignored);
    }

    base::result<void> make(const std::string& from, const std::string& to, const std::string& sha256) {
        const std::string text = content_of(from);
        if (base::sha256_hex(text) != sha256) {
            return base::fail(errc::data, fmt::format("{} changed while it was read: try again", printable(from)));
        }
        std::error_code ignored;
        const bool was_there = files::exists(to, ignored);
        const base::result<void> written = write_whole_file(to, text);
        if (written.has_value() && !was_there) made_.push_back(to);
        return written;
    }
    void keep() { made_.clear(); }

private:
    std::vector<std::string> made_;
};

base::result<std::size_t> find_run(const gate::baseline_index& index, const std::string& folder,
                                   const std::string& name) {
    constexpr std::size_t fewest_digits = 4;
    const files::path path(name);
    const bool may_be_file = !path.has_parent_path() || is_in(folder, path);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < index.size(); ++i) {
        if (may_be_file && path.filename() == index[i].file) return i;
        if (name.size() >= fewest_digits && index[i].id.starts_with(name)) found.push_back(i);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        return base::fail(errc::data, fmt::format("{} is no run of {}: name one by its file or by the first characters "
                                                  "of its id (qmpwatch baseline list)",
                                                  printable(name), printable(folder)));
    }
    return base::fail(errc::data,
                      fmt::format("the ids of {} runs begin with {}: give more of it", found.size(), printable(name)));
}

}  // namespace

std::string path_in(const std::string& folder, const std::string& file) {
    return (files::path(folder) / file).string();
}

base::result<std::optional<gate::baseline_index>> read_index(const std::string& folder) {
    if (const auto good = check_folder(folder); good.has_error()) return good.error();
    const std::string path = index_path(folder);
    std::error_code ignored;
    if (!files::exists(files::symlink_status(path, ignored))) return std::optional<gate::baseline_index>();
    std::ifstream file(path, std::ios::binary);
    if (!file || files::is_directory(path, ignored)) {
        return base::fail(errc::io, fmt::format("cannot read {}", printable(path)));
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    base::result<gate::baseline_index> index = gate::read_baseline_index(text);
    if (index.has_error()) {
        return base::fail(index.error().code, fmt::format("{}: {}", printable(path), index.error().message));
    }
    return std::optional(std::move(*index));
}

base::result<gate::baseline_index> read_needed_index(const std::string& folder) {
    base::result<std::optional<gate::baseline_index>> index = read_index(folder);
    if (index.has_error()) return index.error();
    if (*index) return std::move(**index);
    return base::fail(errc::data, fmt::format("{} has no {}: nothing was accepted there yet (qmpwatch baseline accept "
                                              "DIR RUN...)",
                                              printable(folder), gate::baseline_index_name));
}

base::result<std::vector<std::string>> runs_in(const std::string& folder) {
    if (const auto good = check_folder(folder); good.has_error()) return good.error();
    std::vector<std::string> made;
    std::error_code failure;
    for (files::directory_iterator each(folder, failure), end; !failure && each != end; each.increment(failure)) {
        const std::string name = each->path().filename().string();
        std::error_code ignored;
        if ((name.ends_with(".run") || name.ends_with(".run.gz")) && !each->is_directory(ignored)) {
            made.push_back(each->path().string());
        }
    }
    if (failure) {
        return base::fail(errc::io, fmt::format("cannot read {}: {}", printable(folder), failure.message()));
    }
    if (made.empty()) {
        return base::fail(errc::data, fmt::format("{} has no runs in it (*.run or *.run.gz)", printable(folder)));
    }
    std::sort(made.begin(), made.end());
    return made;
}

base::result<void> check_file(const std::string& folder, const gate::accepted_run& accepted) {
    const std::string path = path_in(folder, accepted.file);
    const base::result<std::string> sum = base::sha256_of_file(path);
    const std::string remedy = fmt::format("bring it back, or take it out with: qmpwatch baseline retire {} {}",
                                           printable(folder), printable(accepted.file));
    if (sum.has_error()) return base::fail(sum.error().code, fmt::format("{}: {}", sum.error().message, remedy));
    if (*sum != accepted.sha256) {
        return base::fail(errc::data,
                          fmt::format("{} is not what was accepted, its SHA-256 differs: {}", printable(path), remedy));
    }
    return {};
}

base::result<std::vector<gate::accepted_run>> accept_runs(const std::string& folder,
                                                          const std::vector<std::string>& paths, const acceptance& how,
                                                          base::wall_time now) {
    // What is wrong with the runs is said before a folder is made for them.
    std::vector<candidate> all;
    for (const std::string& path : paths) {
        base::result<candidate> one = examine(folder, path, how, now);
        if (one.has_error()) return one.error();
        all.push_back(std::move(*one));
    }
    gate::baseline_index nothing;
    if (const auto good = check_twins(all, nothing); good.has_error()) return good.error();
    std::error_code failure;
    files::create_directories(folder, failure);
    if (failure && !files::exists(folder)) {
        return base::fail(errc::io, fmt::format("cannot make the folder {}: {}", printable(folder), failure.message()));
    }
    const auto lock = folder_lock::take(folder);
    if (lock.has_error()) return lock.error();
    base::result<std::optional<gate::baseline_index>> before = read_index(folder);
    if (before.has_error()) return before.error();
    gate::baseline_index index = before->value_or(gate::baseline_index{});
    if (const auto good = check_twins(all, index); good.has_error()) return good.error();

    copies files_made;
    std::vector<gate::accepted_run> added;
    for (candidate& each : all) {
        if (each.retired_as && check_file(folder, index[*each.retired_as]).has_value()) {
            each.entry.file = index[*each.retired_as].file;
        } else if (!each.is_there) {
            const std::string to = path_in(folder, each.entry.file);
            if (const auto good = files_made.make(each.path, to, each.entry.sha256); good.has_error()) {
                return good.error();
            }
        }
        if (each.retired_as) index[*each.retired_as].file.clear();
        added.push_back(each.entry);
    }
    index.erase(
        std::remove_if(index.begin(), index.end(), [](const gate::accepted_run& each) { return each.file.empty(); }),
        index.end());
    index.insert(index.end(), added.begin(), added.end());
    const auto written = write_whole_file(index_path(folder), gate::write_baseline_index(index));
    if (written.has_error()) return written.error();
    files_made.keep();
    return added;
}

base::result<std::vector<gate::accepted_run>> retire_runs(const std::string& folder,
                                                          const std::vector<std::string>& names, bool remove,
                                                          base::wall_time now) {
    if (const auto good = check_folder(folder); good.has_error()) return good.error();
    const auto lock = folder_lock::take(folder);
    if (lock.has_error()) return lock.error();
    base::result<gate::baseline_index> index = read_needed_index(folder);
    if (index.has_error()) return index.error();
    std::vector<gate::accepted_run> retired;
    for (const std::string& name : names) {
        const base::result<std::size_t> place = find_run(*index, folder, name);
        if (place.has_error()) return place.error();
        gate::accepted_run& its = (*index)[*place];
        // With its file still there, taking that away is all that is left to do.
        std::error_code ignored;
        if (!its.retired.empty() && !(remove && files::exists(path_in(folder, its.file), ignored))) {
            return base::fail(errc::data, fmt::format("{} is retired already", printable(its.file)));
        }
        if (its.retired.empty()) its.retired = base::rfc3339(now);
        retired.push_back(its);
    }
    const auto written = write_whole_file(index_path(folder), gate::write_baseline_index(*index));
    if (written.has_error()) return written.error();
    for (const gate::accepted_run& each : retired) {
        std::error_code failure;
        if (remove) files::remove(path_in(folder, each.file), failure);
        if (failure) {
            return base::fail(errc::io, fmt::format("{} is retired, but cannot be deleted: {}", printable(each.file),
                                                    failure.message()));
        }
    }
    return retired;
}

}  // namespace qmpwatch::app
