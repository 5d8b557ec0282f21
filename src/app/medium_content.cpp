#include "app/medium_content.hpp"

#include "base/sha256.hpp"
#include "run/phases.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>

namespace qmpwatch::app {

namespace {

constexpr std::int64_t block_count = 64;
constexpr std::int64_t block_bytes = std::int64_t(64) * 1024;
constexpr std::chrono::seconds longest{2};

/// Adds the bytes from there on; false when they are not all there.
bool add_block(int file, std::int64_t from, std::int64_t size, base::sha256& sum) {
    std::array<char, std::size_t(block_bytes)> block;
    while (size > 0) {
        const ssize_t count = ::pread(file, block.data(), static_cast<std::size_t>(size), off_t(from));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        sum.add({block.data(), static_cast<std::size_t>(count)});
        from += count;
        size -= count;
    }
    return true;
}

std::string content_of(int file) {
    struct ::stat facts{};
    if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
    const std::int64_t size = facts.st_size;
    const auto begun = std::chrono::steady_clock::now();
    base::sha256 sum;
    sum.add(fmt::format("{}\n", size));
    const bool is_small = size < block_count * block_bytes;
    // Not (way * i) / 63, which could overflow.
    const std::int64_t way = size - block_bytes, step = way / (block_count - 1), rest = way % (block_count - 1);
    const std::int64_t count = is_small ? (size + block_bytes - 1) / block_bytes : block_count;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t from = is_small ? i * block_bytes : i * step + i * rest / (block_count - 1);
        if (!add_block(file, from, std::min(block_bytes, size - from), sum)) return {};
        // Storage that is this slow is waited for by others already.
        if (std::chrono::steady_clock::now() - begun > longest) return {};
    }
    return "sampled-sha256:" + sum.finish();
}

/// The file as that QEMU sees it: from its own folder, and in its own file system when it is in a container. Linux.
std::string path_for(const std::string& file, int pid) {
    return fmt::format("/proc/{}/{}/{}", pid, file.starts_with('/') ? "root" : "cwd", file);
}

}  // namespace

std::string sampled_content(const std::string& path) {
    // A pipe without a writer must not hold us before it is seen that it is one.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return {};
    std::string content = content_of(file);
    ::close(file);
    return content;
}

std::optional<medium_contents::file_state> medium_contents::state_of(const std::string& path) {
    struct ::stat facts{};
    if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    return file_state(facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime);
}

void medium_contents::fill(sample::inventory& drives, const sample::vm_identity& vm) {
    if (vm.pid == 0) return;
    for (sample::drive_info& drive : drives) {
        if (!drive.media.inserted || !run::looks_like_a_medium(drive)) continue;
        const std::string path = path_for(drive.media.file, vm.pid);
        const std::optional<file_state> state = state_of(path);
        if (!state) continue;
        const auto known = known_.find(*state);
        drive.media.content = known != known_.end() ? known->second : sampled_content(path);
        if (known == known_.end() && !drive.media.content.empty()) known_.emplace(*state, drive.media.content);
    }
}

}  // namespace qmpwatch::app
