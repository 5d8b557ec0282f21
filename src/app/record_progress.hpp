// How far a recording is, in a line or two below the table.
#pragma once

#include "base/clock.hpp"
#include "sample/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qmpwatch::app {

class record_progress {
public:
    /// `expected` are the bytes that the drive which is read most will have read at the end; none when nobody knows.
    record_progress(std::string file, std::optional<std::uint64_t> expected)
        : file_(std::move(file)), expected_(expected) {}

    /// Takes the counters of one instant; instants must not go back.
    void add(const sample::sample& counters);

    /// The lines, none wider than `columns`: since when, how much was moved, into which file; with an expectation also
    /// a bar and the time that is left at the pace of the last minute.
    std::vector<std::string> lines(base::nanoseconds since_start, std::size_t columns) const;

    /// What is left at that pace; none without an expectation, or while nothing is read.
    std::optional<base::nanoseconds> time_left() const;

private:
    struct drive {
        std::string name;
        std::optional<sample::drive_counters> last;
        std::uint64_t read = 0, written = 0;
    };
    std::uint64_t most_read() const;

    std::string file_;
    std::optional<std::uint64_t> expected_;
    std::vector<drive> drives_;
    std::deque<std::pair<base::steady_time, std::uint64_t>> pace_;  ///< of the last minute: when, how much
};

}  // namespace qmpwatch::app
