// What is on the install media of a VM on this host: a fingerprint of each, so that two runs can be told to have read
// the same.
#pragma once

#include "sample/drive.hpp"
#include "sample/vm.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace qmpwatch::app {

/// `sampled-sha256:` and 64 digits: SHA-256 over the file's size (decimal, and a line feed) and then 64 blocks of
/// 64 KiB that are spread evenly from its first byte to its last; over all of it when it is smaller than 4 MiB. Empty
/// when it is no ordinary file, cannot be read, or takes longer than two seconds.
std::string sampled_content(const std::string& path);

/// Finds the media of one VM after the other. A file that is the same as before is not read again.
class medium_contents {
public:
    /// Fills in media.content of drives that look like an install medium, if the VM's QEMU runs on this host. Reads up
    /// to 4 MiB of each file.
    void fill(sample::inventory& drives, const sample::vm_identity& vm);

private:
    /// Device, inode, size, last change: what tells one state of a file from another.
    using file_state = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;
    static std::optional<file_state> state_of(const std::string& path);

    std::map<file_state, std::string> known_;
};

}  // namespace qmpwatch::app
