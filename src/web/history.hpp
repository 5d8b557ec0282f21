// What the live page remembers of the last minutes, so that its charts begin before it was opened.
#pragma once

#include "base/clock.hpp"
#include "pipeline/snapshot.hpp"
#include "report/activity.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace qmpwatch::web {

/// One drive's last minutes. Times are those of the steady clock.
struct drive_history {
    struct stall {
        base::nanoseconds start{}, length{};
        qmpwatch::stall::cause cause = qmpwatch::stall::cause::unknown;
        bool is_open = false;  ///< suspected, and still going on; its length is its age
    };
    std::deque<report::activity_point> points;
    std::deque<stall> stalls;
    std::uint64_t stalls_before = 0;       ///< counted when the open one began
    base::nanoseconds lost_before{};
};

/// Bounded in time and in drives.
class history {
public:
    static constexpr base::nanoseconds kept = base::seconds(600);
    static constexpr base::nanoseconds apart = base::milliseconds(900);  ///< samples closer than this are skipped
    static constexpr std::size_t most_drives = 64;  ///< the first ones; the others have no charts

    /// Takes what is new in the snapshot. Snapshots must not go back in time.
    void take(const pipeline::snapshot& state);

    /// Null when nothing is known of it.
    const drive_history* find(const std::string& vm, const std::string& drive) const;

private:
    void take(drive_history& of, const pipeline::drive_snapshot& drive, base::nanoseconds at);

    std::map<std::pair<std::string, std::string>, drive_history> drives_;  ///< by VM and drive
};

}  // namespace qmpwatch::web
