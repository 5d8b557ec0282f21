#include "run/summary.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace qmpwatch::run {

namespace {

/// `values` in order and not empty.
double quantile(const std::vector<double>& values, double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::optional<double> ratio(double part, double whole) {
    if (!(whole > 0)) return std::nullopt;
    return part / whole;
}

direction_summary summarize(const drive_digest& drive, direction way, const phase& part, base::nanoseconds window) {
    const progress& moved = drive.moved;
    direction_summary sum;
    const amount before = moved.amount_at(part.begin, way);
    sum.done = moved.amount_at(part.end, way) - before;

    const auto bytes = static_cast<double>(sum.done.bytes);
    const auto operations = static_cast<double>(sum.done.operations);
    const double seconds = base::in_seconds(part.length());
    sum.bytes_per_second = ratio(bytes, seconds);
    sum.operations_per_second = ratio(operations, seconds);
    sum.mean_bytes = ratio(bytes, operations);
    sum.mean_latency_seconds = ratio(static_cast<double>(sum.done.time_ns) / 1e9, operations);
    if (sum.done.operations > 0) {
        // A drive that came later or went earlier has no windows in which it was not there.
        const base::nanoseconds begin = std::max(part.begin, moved.points().front().elapsed);
        const base::nanoseconds end = std::min(part.end, moved.points().back().elapsed);
        sum.windows = distribution_of(window_rates(moved, way, begin, end, window));
    }
    if (sum.done.bytes > 0) {
        for (std::size_t i = 0; i < reached_shares.size(); ++i) {
            const double wanted = static_cast<double>(before.bytes) + reached_shares[i] * bytes;
            const std::optional<base::nanoseconds> when = moved.reached(wanted, way);
            if (when) sum.reached[i] = std::clamp(*when - part.begin, base::nanoseconds{}, part.length());
        }
    }
    return sum;
}

bool begins_in(const stall_digest& one, const phase& part) {
    return part.drive.empty() || (one.start >= part.begin && one.start < part.end);
}

std::vector<cause_summary> stalls_of(const digest& of, const std::string& drive, const phase& part) {
    std::vector<cause_summary> sums;
    for (const stall::cause which : stall::causes) {
        cause_summary sum{which, 0, {}};
        for (const stall_digest& each : of.stalls) {
            if (each.drive != drive || each.cause != which || !begins_in(each, part)) continue;
            ++sum.count;
            sum.lost += each.length;
        }
        if (sum.count > 0) sums.push_back(sum);
    }
    return sums;
}

drive_summary summarize(const digest& of, const drive_digest& drive, const phase& part, base::nanoseconds window) {
    drive_summary sum;
    sum.drive = drive.drive;
    sum.read = summarize(drive, direction::read, part, window);
    sum.write = summarize(drive, direction::write, part, window);
    sum.stalls = stalls_of(of, drive.drive, part);
    if (!sum.stalls.empty()) {
        sum.bytes_per_second_without_stalls = ratio(static_cast<double>(sum.read.done.bytes + sum.write.done.bytes),
                                                    base::in_seconds(part.length() - sum.lost()));
    }
    return sum;
}

/// QEMU's CPU time by then; between two samples in proportion, before the first and after the last theirs.
double cpu_seconds_at(const std::vector<cpu_point>& cpu, base::nanoseconds elapsed) {
    const auto after =
        std::lower_bound(cpu.begin(), cpu.end(), elapsed,
                         [](const cpu_point& one, base::nanoseconds when) { return one.elapsed < when; });
    if (after == cpu.begin()) return cpu.front().cpu_seconds;
    const cpu_point& before = *std::prev(after);
    if (after == cpu.end()) return before.cpu_seconds;
    const double share = base::in_seconds(elapsed - before.elapsed) / base::in_seconds(after->elapsed - before.elapsed);
    return before.cpu_seconds + share * (after->cpu_seconds - before.cpu_seconds);
}

std::optional<double> cpu_percent(const std::vector<cpu_point>& cpu, const phase& part) {
    if (cpu.empty()) return std::nullopt;
    const base::nanoseconds begin = std::max(part.begin, cpu.front().elapsed);
    const base::nanoseconds end = std::min(part.end, cpu.back().elapsed);
    const double used = cpu_seconds_at(cpu, end) - cpu_seconds_at(cpu, begin);
    if (used < 0) return std::nullopt;
    return ratio(100 * used, base::in_seconds(end - begin));
}

}  // namespace

std::optional<distribution> distribution_of(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    distribution spread;
    spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    spread.median = quantile(values, 0.5);
    spread.p10 = quantile(values, 0.1);
    spread.p90 = quantile(values, 0.9);
    spread.most = values.back();
    spread.windows = values.size();
    return spread;
}

std::vector<double> window_rates(const progress& moved, direction way, base::nanoseconds begin, base::nanoseconds end,
                                 base::nanoseconds window) {
    std::vector<double> rates;
    if (window <= base::nanoseconds{}) return rates;
    double before = moved.bytes_at(begin, way);
    while (begin < end) {
        const base::nanoseconds next = end - begin <= window ? end : begin + window;
        if (next - begin < window / 2 && !rates.empty()) break;
        const double after = moved.bytes_at(next, way);
        rates.push_back((after - before) / base::in_seconds(next - begin));
        before = after;
        begin = next;
    }
    return rates;
}

std::uint64_t drive_summary::stall_count() const {
    std::uint64_t sum = 0;
    for (const cause_summary& each : stalls) sum += each.count;
    return sum;
}

base::nanoseconds drive_summary::lost() const {
    base::nanoseconds sum{};
    for (const cause_summary& each : stalls) sum += each.lost;
    return sum;
}

const drive_summary* summary::copied() const {
    if (copy() == nullptr) return nullptr;
    for (const drive_summary& each : copy()->drives) {
        if (each.drive == copy()->phase.drive) return &each;
    }
    return nullptr;
}

summary summarize(const digest& of, const phases& parts, base::nanoseconds window) {
    summary all;
    all.phases = parts;
    all.window = window;
    std::vector<phase> wanted{parts.whole};
    if (parts.copy) wanted.push_back(*parts.copy);
    for (const phase& part : wanted) {
        phase_summary sum;
        sum.phase = part;
        for (const drive_digest& drive : of.drives) sum.drives.push_back(summarize(of, drive, part, window));
        sum.cpu_percent = cpu_percent(of.cpu, part);
        all.parts.push_back(std::move(sum));
    }
    return all;
}

std::optional<double> speed_ratio(const summary& first, const summary& second) {
    const drive_summary* slow = first.copied();
    const drive_summary* fast = second.copied();
    if (slow == nullptr || fast == nullptr || !slow->read.windows || !fast->read.windows) return std::nullopt;
    return ratio(fast->read.windows->mean, slow->read.windows->mean);
}

}  // namespace qmpwatch::run
