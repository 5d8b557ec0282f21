// Phases: the parts of a run in which a drive was busy, found from what it did; above all the copy of an install.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "run/digest.hpp"
#include "run/progress.hpp"
#include "sample/drive.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::run {

/// When a drive does something that lasts.
struct phase_settings {
    /// A stream has, in so much time in which operations completed (silences between them do not count), ...
    base::nanoseconds window = base::seconds(5);
    std::uint64_t operations = 20;                ///< ... so many operations
    std::uint64_t bytes = 1000000;                ///< ... and bytes were moved, as the stall detector says too
    base::nanoseconds pause = base::seconds(90);  ///< longer than any time-out: two phases, not one
};

struct phase {
    /// "copy" for the main one of the install medium, "run" for the whole run, else "read 1", "write 2", ...: counted
    /// for each drive and direction.
    std::string name;
    std::string drive;  ///< the drive whose activity it is; empty for the whole run
    direction way = direction::read;  ///< of no meaning for the whole run
    base::nanoseconds begin{}, end{};  ///< elapsed
    std::uint64_t bytes = 0;  ///< that this drive moved that way in it; 0 for the whole run

    base::nanoseconds length() const { return end - begin; }
};

/// The parts in which the drive moved data that way, in the order of time. Stalls and pauses shorter than
/// `settings.pause` are inside them. The begin is the sample before the first operation, the end is its last
/// completion. A drive that never had a stream has none.
std::vector<phase> find_phases(const drive_digest& drive, direction way, const phase_settings& settings = {});

/// The drive that the system is installed from: `wanted` when it is given (`usage` when the run has no such drive; the
/// sentence lists those it has), else the one that looks most like it: the most bytes read, which count ten times when
/// it is removable, read-only or attached as CD or USB storage, and a tenth when more was written to it. Firmware flash
/// is none. None when nothing was read at all.
base::result<std::optional<std::string>> install_medium(const digest& of, const std::string& wanted = {});

/// True for a drive that an install medium may be in: removable, read-only with something in it, or attached as CD or
/// USB storage.
bool looks_like_a_medium(const sample::drive_info& info);

struct phases {
    phase whole;  ///< the run
    std::optional<phase> copy;  ///< the phase of the medium in which it read most
    std::vector<phase> all;  ///< of all drives and both directions, in the order of time
    std::optional<std::string> medium;
};

/// Errors as install_medium.
base::result<phases> find_all_phases(const digest& of, const std::string& wanted_medium = {},
                                     const phase_settings& settings = {});

}  // namespace qmpwatch::run
