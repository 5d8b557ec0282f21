// Rates: what changed per second between two samples of the same drive.
#pragma once

#include "sample/sample.hpp"

#include <optional>

namespace qmpwatch::sample {

/// Change of one kind of operation over a window.
struct operation_rate {
    double bytes_per_second = 0;
    double operations_per_second = 0;
    std::optional<double> mean_bytes;            ///< per operation; none when no operation completed
    std::optional<double> mean_latency_seconds;  ///< per operation; none when no operation completed
};

/// Rates of one drive over one window.
struct drive_rate {
    base::nanoseconds window{};  ///< the real elapsed time that all rates here are divided by
    operation_rate read, write, flush, discard;
    operation_rate all;          ///< reads and writes together
    double busy_ratio = 0;       ///< time spent in completed operations over elapsed time; above 1 with a queue
};

/// True when no counter of `after` is below `before`: same QEMU process, same drive.
bool continues(const drive_counters& before, const drive_counters& after);

/// The rate from `before` to `after`, `elapsed` apart. None without elapsed time or when the counters were reset.
std::optional<drive_rate> rate_between(const drive_counters& before, const drive_counters& after,
                                       base::nanoseconds elapsed);

}  // namespace qmpwatch::sample
