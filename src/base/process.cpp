#include "base/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>
#endif

namespace qmpwatch::base {

namespace {

/// Where the fields of /proc/PID/stat stand behind the command name, counted from the state (proc(5) counts it as 3).
constexpr std::size_t user_ticks_field = 11;
constexpr std::size_t system_ticks_field = 12;
constexpr std::size_t start_ticks_field = 19;
constexpr std::size_t virtual_bytes_field = 20;
constexpr std::size_t resident_pages_field = 21;
constexpr std::size_t fields_needed = 22;

/// The next word; empty at the end.
std::string_view take_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    return word;
}

bool read_number(std::string_view word, std::uint64_t& value) {
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    return failure == std::errc{} && end == word.data() + word.size();
}

#ifdef __linux__

error unreadable(int pid, int number) {
    // ESRCH comes from a read of a process that ended after the file was opened.
    if (number == ENOENT || number == ESRCH) return fail(errc::absent, fmt::format("there is no process {}", pid));
    const std::string message = fmt::format("cannot look at process {}: {}", pid, std::strerror(number));
    return fail(number == EACCES || number == EPERM ? errc::not_permitted : errc::io, message);
}

/// The whole file, or the errno that prevented it.
boost::system::result<std::string, int> read_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    std::string content;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t count = read(file, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const int failure = count < 0 ? errno : 0;
            close(file);
            if (failure != 0) return failure;
            return content;
        }
        content.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

double read_boot_time() {
    const auto content = read_file("/proc/stat");
    if (!content) return 0;
    const std::size_t line = content->find("\nbtime ");
    if (line == std::string::npos) return 0;
    std::string_view rest = std::string_view(*content).substr(line + 7);
    std::uint64_t boot_time = 0;
    return read_number(take_word(rest), boot_time) ? static_cast<double>(boot_time) : 0;
}

const kernel_units& units_of_this_host() {
    static const kernel_units units{static_cast<double>(sysconf(_SC_CLK_TCK)),
                                    static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), read_boot_time()};
    return units;
}

#endif

}  // namespace

result<process_usage> parse_proc_stat(std::string_view text, const kernel_units& units) {
    // The name is in parentheses and may hold any of them, so only the last one counts.
    const std::size_t end_of_name = text.rfind(')');
    if (end_of_name == std::string_view::npos) return fail(errc::data, "the process status has no command name");
    text.remove_prefix(end_of_name + 1);

    const std::string_view state = take_word(text);
    if (state.size() != 1) return fail(errc::data, "the process status has no state");
    std::array<std::uint64_t, fields_needed> fields{};
    for (std::size_t field = 1; field < fields_needed; ++field) {
        const std::string_view word = take_word(text);
        const bool needed = field == user_ticks_field || field == system_ticks_field || field >= start_ticks_field;
        // The other fields may be negative, and nobody asks for them.
        if (word.empty() || (needed && !read_number(word, fields[field]))) {
            return fail(errc::data, fmt::format("field {} of the process status is not a number", field + 3));
        }
    }

    process_usage usage;
    usage.state = state.front();
    usage.cpu_seconds =
        (static_cast<double>(fields[user_ticks_field]) + static_cast<double>(fields[system_ticks_field])) /
        units.ticks_per_second;
    usage.resident_bytes = fields[resident_pages_field] * units.page_bytes;
    usage.virtual_bytes = fields[virtual_bytes_field];
    usage.start_time_seconds =
        units.boot_time_seconds + static_cast<double>(fields[start_ticks_field]) / units.ticks_per_second;
    return usage;
}

result<process_usage> read_process(int pid) {
#ifdef __linux__
    const auto content = read_file(fmt::format("/proc/{}/stat", pid));
    if (!content) return unreadable(pid, content.error());
    return parse_proc_stat(*content, units_of_this_host());
#else
    return fail(errc::io, fmt::format("cannot look at process {}: not supported on this system", pid));
#endif
}

result<std::vector<std::string>> read_command_line(int pid) {
#ifdef __linux__
    const auto content = read_file(fmt::format("/proc/{}/cmdline", pid));
    if (!content) return unreadable(pid, content.error());
    std::vector<std::string> words;
    std::string_view rest = *content;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find('\0'));
        words.emplace_back(word);
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return words;
#else
    return fail(errc::io, fmt::format("cannot read the command line of process {}: not supported on this system", pid));
#endif
}

}  // namespace qmpwatch::base
