#include "stall/session.hpp"

#include <algorithm>
#include <cmath>

namespace qmpwatch::stall_test {

std::uint64_t random_numbers::next() {
    // splitmix64, public domain
    std::uint64_t mixed = (state_ += 0x9E3779B97F4A7C15ULL);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
}

double random_numbers::uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double random_numbers::exponential(double mean) { return -mean * std::log(1 - uniform()); }

double random_numbers::log_uniform(double low, double high) { return low * std::exp(uniform() * std::log(high / low)); }

double session_result::reached(stall::level wanted, stall::cause which) const {
    for (const stall::transition& one : said) {
        if (one.cause == which && one.level >= wanted) return seconds_of(one.at.steady);
    }
    return -1;
}

namespace {

/// Operations that complete one after the other.
struct burst {
    double begin = 0, cycle = 0;              ///< the first completion, and from one to the next
    std::uint64_t count = 0, bytes_each = 0;
    double latency = 0, first_latency = 0;
    std::uint64_t operations_before = 0, bytes_before = 0;
    double time_before = 0;
    double last() const { return begin + cycle * static_cast<double>(count - 1); }
};

/// A drive's counters as a function of time, which may not go back.
class timeline {
public:
    void add(burst next) {
        if (!bursts_.empty()) {
            const burst& last = bursts_.back();
            next.operations_before = last.operations_before + last.count;
            next.bytes_before = last.bytes_before + last.count * last.bytes_each;
            next.time_before =
                last.time_before + last.first_latency + last.latency * static_cast<double>(last.count - 1);
        }
        bursts_.push_back(next);
    }

    sample::drive_counters at(double seconds, sample::operation kind) {
        while (place_ + 1 < bursts_.size() && bursts_[place_ + 1].begin <= seconds) ++place_;
        sample::drive_counters counters;
        if (bursts_.empty() || bursts_[place_].begin > seconds) return counters;
        const burst& now = bursts_[place_];
        const auto done = std::min(now.count, static_cast<std::uint64_t>((seconds - now.begin) / now.cycle) + 1);
        const double last = now.begin + now.cycle * static_cast<double>(done - 1);
        auto& sums = counters[kind];
        sums.completed = now.operations_before + done;
        sums.bytes = now.bytes_before + done * now.bytes_each;
        sums.time_ns = static_cast<std::uint64_t>(
            1e9 * (now.time_before + now.first_latency + now.latency * static_cast<double>(done - 1)));
        counters.idle = base::nanoseconds(static_cast<std::int64_t>(1e9 * (seconds - last)));
        return counters;
    }

private:
    std::vector<burst> bursts_;
    std::size_t place_ = 0;
};

struct run_state_at {
    double seconds;
    bool is_running;
};

}  // namespace

session_result run_session(const law& work, std::uint64_t seed, const session_settings& how,
                           stall::detector_settings settings) {
    random_numbers random(seed);
    timeline medium, target;
    std::vector<true_gap> gaps;
    std::vector<run_state_at> pauses;
    double now = random.uniform(0.5, 0.5 + how.start_within);
    double first_latency = 60e-6;
    while (now < how.seconds) {
        const step_of_work step = work(random);
        burst reads;
        reads.bytes_each = step.operation_bytes;
        reads.cycle =
            static_cast<double>(step.operation_bytes) / (step.megabytes_per_second * 1e6) * random.uniform(0.9, 1.1);
        reads.count = step.operations > 0
                          ? step.operations
                          : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(step.burst_seconds / reads.cycle));
        reads.begin = now;
        reads.latency = random.uniform(20e-6, 100e-6);
        reads.first_latency = first_latency;
        medium.add(reads);
        burst writes = reads;
        writes.begin += random.uniform(0.1, 1);
        writes.bytes_each *= 2;
        writes.first_latency = writes.latency;
        target.add(writes);

        const double start = reads.last();
        static constexpr const char* kinds[]{"guest_idle", "csw_lost", "host_stall", "vm_paused"};
        const bool has_pause = step.pause_seconds > 0;
        const double wall = step.gap_seconds + (has_pause ? step.pause_seconds : 0);
        if (has_pause) {
            pauses.push_back({start + step.pause_after, false});
            pauses.push_back({start + step.pause_after + step.pause_seconds, true});
        }
        now = start + wall;
        first_latency = step.gap == why::host ? step.gap_seconds : 60e-6;
        if (wall >= 1.5)
            gaps.push_back({kinds[static_cast<int>(step.gap)], start,
                            step.gap == why::pause ? step.pause_seconds : step.gap_seconds});
    }

    settings.poll = base::nanoseconds(static_cast<std::int64_t>(how.poll * 1e9));
    stall::vm_detector detector(settings);
    session_result result;
    std::vector<stall::transition> said;
    sample::sample poll;
    poll.drives.resize(how.has_target ? 2 : 1);
    poll.drives[0].identity = {"install_media", "usbcd", ""};
    if (how.has_target) poll.drives[1].identity = {"system", "nvme0", ""};
    sample::inventory drives = attached(poll, how.device);
    if (how.has_target) drives[1].attachment.device = "nvme";
    detector.inventory(drives);
    double last_poll = 0;
    std::size_t next_pause = 0;
    for (double beat = random.uniform(0, how.poll); beat < how.seconds;) {
        const double late = random.uniform() < 0.01 ? random.uniform(0.02, 0.06) : random.uniform(0, 0.005);
        const double when = std::max(last_poll, beat + late);
        while (next_pause < pauses.size() && pauses[next_pause].seconds <= when) {
            const run_state_at& change = pauses[next_pause++];
            detector.event({change.is_running ? "RESUME" : "STOP", "", at(change.seconds)}, said);
        }
        poll.at = at(when);
        poll.rtt = base::nanoseconds(static_cast<std::int64_t>(random.uniform(0.3e6, 0.7e6)));
        poll.drives[0].counters = medium.at(when, sample::operation::read);
        if (how.has_target) poll.drives[1].counters = target.at(when, sample::operation::write);
        detector.step(poll, said);
        ++result.polls;
        last_poll = when;
        const double wanted = base::in_seconds(detector.wanted_poll(settings.poll));
        beat += how.is_adaptive ? wanted : how.poll;
    }
    for (stall::transition& one : said) {
        if (one.drive_name == "install_media") result.said.push_back(std::move(one));
    }
    for (const true_gap& gap : gaps) {
        if (gap.start + gap.length + 1.1 < last_poll) result.truth.push_back(gap);
    }
    result.seconds = last_poll;
    const auto& totals = *detector.view(0).totals;
    for (std::size_t which = 0; which < totals.size(); ++which) result.count[which] = totals[which].count;
    result.lost = base::in_seconds(totals[stall::index_of(stall::cause::lost_completion)].lost);
    return result;
}

}  // namespace qmpwatch::stall_test
