#include "sample/rate.hpp"

namespace qmpwatch::sample {

namespace {

/// What changed in one kind of operation. Subtracted as integers, because a double cannot hold a large counter.
struct difference {
    double bytes = 0;
    double completed = 0;
    double time_ns = 0;

    difference(const operation_counters& before, const operation_counters& after)
        : bytes(static_cast<double>(after.bytes - before.bytes)),
          completed(static_cast<double>(after.completed - before.completed)),
          time_ns(static_cast<double>(after.time_ns - before.time_ns)) {}

    difference& operator+=(const difference& other) {
        bytes += other.bytes;
        completed += other.completed;
        time_ns += other.time_ns;
        return *this;
    }
};

operation_rate per_second(const difference& change, double seconds) {
    operation_rate rate;
    rate.bytes_per_second = change.bytes / seconds;
    rate.operations_per_second = change.completed / seconds;
    if (change.completed > 0) {
        rate.mean_bytes = change.bytes / change.completed;
        rate.mean_latency_seconds = change.time_ns / 1e9 / change.completed;
    }
    return rate;
}

bool continues(const operation_counters& before, const operation_counters& after, bool detailed) {
    if (detailed && (after.failed < before.failed || after.invalid < before.invalid)) return false;
    return after.bytes >= before.bytes && after.completed >= before.completed && after.time_ns >= before.time_ns &&
           after.merged >= before.merged;
}

}  // namespace

bool continues(const drive_counters& before, const drive_counters& after) {
    // The zeros of a monitor that does not report a counter are no reset of it.
    const bool detailed = before.detailed && after.detailed;
    for (const operation kind : operations) {
        if (kind == operation::discard && !detailed) continue;
        if (!continues(before[kind], after[kind], detailed)) return false;
    }
    return true;
}

std::optional<drive_rate> rate_between(const drive_counters& before, const drive_counters& after,
                                       base::nanoseconds elapsed) {
    if (elapsed <= base::nanoseconds::zero() || !continues(before, after)) return std::nullopt;
    const double seconds = base::in_seconds(elapsed);
    const difference read(before[operation::read], after[operation::read]);
    const difference write(before[operation::write], after[operation::write]);
    const difference flush(before[operation::flush], after[operation::flush]);

    drive_rate rate;
    rate.window = elapsed;
    rate.read = per_second(read, seconds);
    rate.write = per_second(write, seconds);
    rate.flush = per_second(flush, seconds);
    difference change = read;
    change += write;
    rate.all = per_second(change, seconds);
    change += flush;
    if (before.detailed && after.detailed) {
        const difference discard(before[operation::discard], after[operation::discard]);
        rate.discard = per_second(discard, seconds);
        change += discard;
    }
    rate.busy_ratio = change.time_ns / 1e9 / seconds;
    return rate;
}

}  // namespace qmpwatch::sample
