// Drives that never existed, sample by sample: for tests of what is made of samples.
#pragma once

#include "base/clock.hpp"
#include "run/digest.hpp"
#include "sample/sample.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace qmpwatch::run_test {

inline base::nanoseconds at(double seconds) { return base::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)); }

/// Does what it is told, and is sampled all the while.
class synthetic_drive {
public:
    /// Begins with a sample at `start` seconds.
    explicit synthetic_drive(std::string name, std::string device = "nvme", double start = 0)
        : now_(start), idle_since_(start) {
        digest_.drive = std::move(name);
        digest_.info.identity.device = digest_.drive;
        digest_.info.attachment.device = std::move(device);
        digest_.info.media.inserted = true;
        sample();
    }

    double step = 1;           ///< seconds from sample to sample
    bool tells_idle = true;
    double request = 65536;    ///< bytes of an operation
    double latency = 0.0005;   ///< seconds of an operation

    /// Moves so many bytes per second for that long.
    synthetic_drive& move(double seconds, double read_bytes_per_second, double write_bytes_per_second = 0) {
        const double end = now_ + seconds;
        while (now_ < end - 1e-9) {
            const double span = std::min(step, end - now_);
            now_ += span;
            add(sample::operation::read, read_, span * read_bytes_per_second);
            add(sample::operation::write, write_, span * write_bytes_per_second);
            idle_since_ = now_;
            sample();
        }
        return *this;
    }

    synthetic_drive& rest(double seconds) {
        const double end = now_ + seconds;
        while (now_ < end - 1e-9) {
            now_ += std::min(step, end - now_);
            sample();
        }
        return *this;
    }

    /// A new QEMU process.
    synthetic_drive& reset() {
        counters_ = {};
        read_ = write_ = 0;
        return *this;
    }

    double now() const { return now_; }
    run::drive_digest& digest() { return digest_; }

private:
    void add(sample::operation kind, double& sum, double bytes) {
        sum += bytes;
        sample::operation_counters& counters = counters_[kind];
        counters.bytes = static_cast<std::uint64_t>(sum + 0.5);
        counters.completed = static_cast<std::uint64_t>(sum / request + 0.5);
        counters.time_ns = static_cast<std::uint64_t>(static_cast<double>(counters.completed) * latency * 1e9);
    }
    void sample() {
        counters_.idle = std::nullopt;
        if (tells_idle) counters_.idle = at(now_ - idle_since_);
        digest_.moved.add(at(now_), counters_);
        digest_.counters = counters_;
    }

    double now_, idle_since_, read_ = 0, write_ = 0;
    sample::drive_counters counters_;
    run::drive_digest digest_;
};

/// A run of these drives, as long as the longest of them.
template <class... Drives>
run::digest run_of(Drives&... drives) {
    run::digest all;
    double end = 0;
    ((all.drives.push_back(drives.digest()), end = std::max(end, drives.now())), ...);
    all.last_sample.steady += at(end);
    return all;
}

}  // namespace qmpwatch::run_test
