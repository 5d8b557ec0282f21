// What a simulated drive has counted at a given moment: generated from a few numbers, or played from a recording.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qmpwatch::sim {

using base::nanoseconds;

/// The numbers that query-blockstats prints for one drive. All cumulative but `idle_ns`.
struct counters {
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t unmap_bytes = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t flushes = 0;
    std::uint64_t unmaps = 0;
    std::uint64_t read_ns = 0;
    std::uint64_t write_ns = 0;
    std::uint64_t flush_ns = 0;
    std::uint64_t unmap_ns = 0;
    std::uint64_t reads_merged = 0;
    std::uint64_t writes_merged = 0;
    std::uint64_t unmaps_merged = 0;
    std::uint64_t failed_reads = 0;
    std::uint64_t failed_writes = 0;
    std::uint64_t failed_flushes = 0;
    std::uint64_t failed_unmaps = 0;
    std::uint64_t invalid_reads = 0;
    std::uint64_t invalid_writes = 0;
    std::uint64_t invalid_flushes = 0;
    std::uint64_t invalid_unmaps = 0;
    std::uint64_t highest_write_offset = 0;
    std::optional<std::uint64_t> idle_ns;  ///< since the last completed operation; none before the first

    friend bool operator==(const counters&, const counters&) = default;
};

/// One direction of I/O: one operation at a time, back to back.
struct stream_spec {
    double bytes_per_second = 0;               ///< 0: no I/O in this direction
    std::uint64_t operation_bytes = 64 * 1024;  ///< size of each operation, above 0
    nanoseconds latency{60'000};                ///< mean; each operation takes 0.5 to 1.5 times that
};

/// What interrupts the stream again and again.
enum class gap_kind {
    none,
    idle,             ///< the guest wants nothing
    lost_completion,  ///< an operation is counted, its completion never reaches the guest, which waits and repeats it
    host_stall,  ///< the host holds one operation: it is counted at the end with the whole gap as its latency
};

struct load_spec {
    stream_spec read;
    stream_spec write;
    gap_kind gap = gap_kind::none;
    nanoseconds gap_every = std::chrono::seconds(12);  ///< mean time of I/O between two gaps (0.5 to 1.5 times that)
    nanoseconds gap_length = std::chrono::seconds(10);  ///< at least; up to 1.5 % more
    std::uint64_t seed = 1;  ///< same seed, same numbers
};

/// Operations one after the other, with seeded jitter. Costs about 20 ns for each simulated operation.
class generated_load {
public:
    explicit generated_load(const load_spec& spec);

    /// The counters at `when`, measured from the VM's start. `when` must not go back: earlier is answered as the
    /// latest.
    counters at(nanoseconds when);

    /// Nothing happened between `from` and `until` (the VM was paused); an operation in flight is completed after that.
    void freeze(nanoseconds from, nanoseconds until);

private:
    class random_numbers {
    public:
        explicit random_numbers(std::uint64_t seed) : state_(seed) {}
        /// Evenly between `low` and `high`.
        double between(double low, double high);

    private:
        std::uint64_t state_;
    };
    struct stream {
        stream_spec spec;
        random_numbers random;
        random_numbers gap_random;  // both streams of a drive draw the same gaps
        nanoseconds start{0};  // of the operation in flight
        nanoseconds end{0};  // its completion
        nanoseconds gap_from{0};
        nanoseconds gap_until{0};
    };

    void plan_gap(stream& which) const;
    void plan_operation(stream& which, nanoseconds earliest) const;
    void run(stream& which, nanoseconds until, std::uint64_t& bytes, std::uint64_t& operations, std::uint64_t& time);

    load_spec spec_;
    stream read_;
    stream write_;
    counters counted_;
    nanoseconds now_{0};
    nanoseconds last_completion_{-1};
};

/// One drive in one line of a recording.
struct recorded_drive {
    std::string device;  ///< the backend's name, may be empty
    std::string qdev;  ///< may be empty
    std::string node_name;  ///< may be empty
    counters counted;
};

/// A series of replies to query-blockstats or `info blockstats` with their times.
struct recording {
    struct line {
        nanoseconds at{0};  ///< since the first line
        std::vector<recorded_drive> drives;
    };
    struct event {
        nanoseconds at{0};
        std::string name;
        std::string data;  ///< JSON text of its data, or empty
    };
    struct status {
        nanoseconds at{0};
        std::string name;  ///< QEMU's run state from here on
    };
    std::vector<line> lines;  ///< never empty in a recording that was read
    std::vector<event> events;  ///< in the order of time
    std::vector<status> statuses;  ///< in the order of time, changes only

    nanoseconds length() const { return lines.empty() ? nanoseconds(0) : lines.back().at; }
};

/// Reads JSON Lines in any of three forms: {"t","status","events","blockstats"}, {"t","return"} with {"t","event"}
/// among them, and {"t","text"} with HMP's text; `t` in seconds. Lines of other forms are skipped. `data` when a line
/// is not a JSON object, or none holds counters. At most a million lines are read.
base::result<recording> read_recording(std::string_view text);

/// One drive of a recording, in real time. Between two lines the counters hold and the idle time grows, as in QEMU.
class recorded_load {
public:
    /// `index` is the drive's place in the recording's first line; it is followed by its names. `speed` above 0
    /// compresses all durations. After the last line the counters hold, or with `loop` the series starts again.
    recorded_load(std::shared_ptr<const recording> series, std::size_t index, double speed, bool loop);

    counters at(nanoseconds when) const;

private:
    std::shared_ptr<const recording> series_;
    std::size_t index_;
    double speed_;
    bool loop_;
};

using load = std::variant<generated_load, recorded_load>;

}  // namespace qmpwatch::sim
