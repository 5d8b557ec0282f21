#include "stall/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qmpwatch::stall_test {

namespace {

law idling(std::function<double(random_numbers&)> gap, double burst) {
    return [gap = std::move(gap), burst](random_numbers& random) {
        step_of_work step;
        step.burst_seconds = random.exponential(burst);
        step.gap_seconds = gap(random);
        return step;
    };
}

law losing(double low, double high, double burst) {
    return [low, high, burst](random_numbers& random) {
        step_of_work step;
        step.burst_seconds = random.exponential(burst);
        step.gap_seconds = random.uniform(low, high);
        step.gap = why::loss;
        return step;
    };
}

/// Reads `megabytes`, give or take `spread`, then sleeps.
law reader_with_timer(double sleep, double megabytes, double spread) {
    return [sleep, megabytes, spread](random_numbers& random) {
        step_of_work step;
        const double factor = random.uniform(1 - spread, 1 + spread);
        step.operations = static_cast<std::uint64_t>(megabytes * 1e6 / 65536 * factor);
        step.gap_seconds = sleep + random.uniform(0, 0.01);
        return step;
    };
}

/// Begins every `period` seconds, whatever the work takes.
law periodic_job(double period, std::uint64_t operations, std::uint64_t bytes, double spread) {
    return [=](random_numbers& random) {
        step_of_work step;
        step.operation_bytes = bytes;
        step.operations =
            static_cast<std::uint64_t>(static_cast<double>(operations) * random.uniform(1 - spread, 1 + spread));
        step.gap_seconds = period - static_cast<double>(step.operations * bytes) / 46e6 + random.uniform(-0.005, 0.005);
        return step;
    };
}

}  // namespace

std::vector<model> idle_models() {
    std::vector<model> models;
    for (const double burst : {1.0, 5.0}) {
        const auto named = [&](const char* name) { return fmt::format("{}, bursts of {:.0f} s", name, burst); };
        models.push_back(
            {named("log-uniform 1 to 60 s"), idling([](auto& random) { return random.log_uniform(1, 60); }, burst)});
        models.push_back(
            {named("log-uniform 1 to 20 s"), idling([](auto& random) { return random.log_uniform(1, 20); }, burst)});
        models.push_back(
            {named("exponential, mean 10 s"), idling([](auto& random) { return random.exponential(10); }, burst)});
        models.push_back(
            {named("exponential, mean 3 s"), idling([](auto& random) { return random.exponential(3); }, burst)});
        models.push_back({named("8.0 to 8.3 s"), idling([](auto& random) { return random.uniform(8.0, 8.3); }, burst)});
    }
    models.push_back({"a job every 10 s, 20 small reads", periodic_job(10, 20, 4096, 0.1)});
    models.push_back({"a job every 10 s, 20 MB", periodic_job(10, 305, 65536, 0.003)});
    models.push_back({"an application reads a sector every 10 s", periodic_job(10, 1, 2048, 0)});
    return models;
}

std::vector<model> adversarial_models() {
    std::vector<model> models;
    models.push_back(
        {"uniform 5 to 12 s, bursts of 1 s", idling([](auto& random) { return random.uniform(5, 12); }, 1)});
    models.push_back({"an application reads 2 MB, sleeps 10 s", reader_with_timer(10, 2, 0)});
    models.push_back({"an application reads 2 MB give or take a fifth, sleeps 10 s", reader_with_timer(10, 2, 0.2)});
    models.push_back({"a job every 10 s, 20 MB give or take a fifth", periodic_job(10, 305, 65536, 0.2)});
    return models;
}

std::vector<model> loss_models() {
    std::vector<model> models;
    models.push_back({"10.0 to 10.15 s, bursts of 1 s", losing(10, 10.15, 1)});
    models.push_back({"10.0 to 10.15 s, bursts of 1.6 s", losing(10, 10.15, 1.6)});
    models.push_back({"10.0 to 10.15 s, bursts of 0.08 s", losing(10, 10.15, 0.08)});
    models.push_back({"10.9 to 10.95 s, bursts of 1 s", losing(10.9, 10.95, 1)});
    models.push_back({"10 to 11 s (a timer that ticks every second), bursts of 1 s", losing(10, 11, 1)});
    models.push_back({"30.7 s, Linux on usb-storage, bursts of 1 s", losing(30.7, 30.75, 1)});
    models.push_back({"30.7 s, Linux on nvme, bursts of 1 s", losing(30.7, 30.75, 1), "nvme"});
    models.push_back({"3.0 to 3.1 s, firmware, bursts of 1 s", losing(3.0, 3.1, 1)});
    models.push_back({"10.0 to 10.15 s, attachment unknown, bursts of 1 s", losing(10, 10.15, 1), ""});
    return models;
}

double tally::quantile(double which) const {
    if (seconds_to_confirm.empty()) return std::nan("");
    const double place = which * static_cast<double>(seconds_to_confirm.size() - 1);
    return seconds_to_confirm[static_cast<std::size_t>(place + 0.5)];
}

double tally::share_within(double seconds) const {
    const auto end = std::upper_bound(seconds_to_confirm.begin(), seconds_to_confirm.end(), seconds);
    return share(static_cast<std::uint64_t>(end - seconds_to_confirm.begin()));
}

tally run_many(const model& one, std::uint64_t sessions, const session_settings& how) {
    tally sum;
    session_settings settings = how;
    settings.device = one.device;
    for (std::uint64_t seed = 0; seed < sessions; ++seed) {
        const session_result result = run_session(one.work, seed + 1, settings);
        ++sum.sessions;
        if (result.reached(stall::level::probable) >= 0) ++sum.probable;
        const double confirmed = result.reached(stall::level::confirmed);
        if (confirmed >= 0) ++sum.confirmed;
        const auto first = std::find_if(result.truth.begin(), result.truth.end(),
                                        [](const true_gap& gap) { return gap.kind == "csw_lost"; });
        std::uint64_t ended = 0;  // before it was confirmed
        for (const true_gap& gap : result.truth) {
            if (gap.kind != "csw_lost") continue;
            ++sum.losses;
            if (gap.start + gap.length <= confirmed) ++ended;
        }
        if (first != result.truth.end() && confirmed >= 0) {
            sum.seconds_to_confirm.push_back(confirmed - first->start);
            if (ended <= 2) ++sum.by_second;
            if (ended <= 3) ++sum.by_third;
        }
        sum.counted += result.count[stall::index_of(stall::cause::lost_completion)];
    }
    std::sort(sum.seconds_to_confirm.begin(), sum.seconds_to_confirm.end());
    return sum;
}

namespace {

stall::cause cause_of(const std::string& kind) {
    return kind == "csw_lost"     ? stall::cause::lost_completion
           : kind == "host_stall" ? stall::cause::slow_backend
                                  : stall::cause::vm_paused;
}

struct score {
    std::size_t truth = 0, found = 0, missed = 0, wrong = 0, out_of_bounds = 0;
    double start_error = 0, length_error = 0;
    stall::level reached = stall::level::none;
    double reached_after = 0;
};

score compare(const std::string& name, const std::vector<frame>& frames, std::size_t every, std::size_t first) {
    stall::detector_settings settings;
    settings.poll = base::milliseconds(500) * static_cast<int>(every);
    look how;
    how.every = every;
    how.first = first;
    const auto said = replay(frames, how, settings);
    std::vector<true_gap> truth;
    double last_poll = 0;
    for (std::size_t index = first; index < frames.size(); index += every) last_poll = frames[index].seconds;
    for (const true_gap& gap : load_truth(fmt::format("recordings/{}_0.5s.truth.json", name))) {
        if (gap.kind != "guest_idle" && gap.start + gap.length < last_poll) truth.push_back(gap);
    }
    score result;
    result.truth = truth.size();
    std::vector<bool> is_found(truth.size(), false);
    for (const stall::transition& one : said) {
        if (one.level > result.reached) {
            result.reached = one.level;
            const double start = truth.empty() ? frames[0].seconds : truth[0].start;
            result.reached_after = seconds_of(one.at.steady) - start;
        }
        if (one.what != stall::change::closed) continue;
        bool is_true = false;
        for (std::size_t index = 0; index < truth.size(); ++index) {
            const double error = std::abs(seconds_of(one.start.steady) - truth[index].start);
            if (is_found[index] || error > 0.5 || one.cause != cause_of(truth[index].kind)) continue;
            is_found[index] = is_true = true;
            ++result.found;
            result.start_error = std::max(result.start_error, error);
            const double length = truth[index].length;
            result.length_error = std::max(result.length_error, std::abs(base::in_seconds(one.length) - length));
            // The truth is when the guest's reset began; the retried read completes some milliseconds later.
            const double slack = one.cause == stall::cause::vm_paused ? 0.55 : 0.02;
            if (length < base::in_seconds(one.length_min) - slack ||
                length > base::in_seconds(one.length_max) + slack) {
                ++result.out_of_bounds;
            }
        }
        if (!is_true) ++result.wrong;
    }
    result.missed = result.truth - result.found;
    return result;
}

}  // namespace

std::string recordings_table() {
    std::string text = "| recording | poll | stalls | found | missed | false | outside bounds | worst start error | "
                       "worst length error | level | after |\n"
                       "|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const char* name : {"csw", "csw_qemu11", "hoststall", "pause", "idle", "throttle", "healthy"}) {
        const auto frames = load(fmt::format("recordings/{}_0.5s.jsonl", name));
        for (const std::size_t every : {1U, 2U, 4U, 30U}) {
            if (frames.size() < 10 * every) continue;
            score all;
            std::size_t phases = 0;
            for (std::size_t first = 0; first < every; first += every == 30 ? 7 : 1, ++phases) {
                const score one = compare(name, frames, every, first);
                all.truth += one.truth;
                all.found += one.found;
                all.missed += one.missed;
                all.wrong += one.wrong;
                all.out_of_bounds += one.out_of_bounds;
                all.start_error = std::max(all.start_error, one.start_error);
                all.length_error = std::max(all.length_error, one.length_error);
                if (first == 0 || one.reached < all.reached) {
                    all.reached = one.reached;
                    all.reached_after = one.reached_after;
                } else if (one.reached == all.reached) {
                    all.reached_after = std::max(all.reached_after, one.reached_after);
                }
            }
            const std::string phase = phases > 1 ? fmt::format(" ({} phases)", phases) : "";
            const bool has_stalls = all.found > 0;
            text += fmt::format("| {} | {} s{} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name,
                                static_cast<double>(every) / 2, phase, all.truth, all.found, all.missed, all.wrong,
                                all.out_of_bounds, has_stalls ? fmt::format("{:.1f} ms", 1000 * all.start_error) : "-",
                                has_stalls ? fmt::format("{:.2f} s", all.length_error) : "-", stall::name(all.reached),
                                all.reached == stall::level::none ? "-" : fmt::format("{:.1f} s", all.reached_after));
        }
    }
    return text;
}

std::string simulation_tables(std::uint64_t sessions) {
    std::string text = fmt::format("{} sessions of 10 minutes each; shares of sessions.\n\n"
                                   "| idling | poll | probable | confirmed |\n|---|---|---|---|\n",
                                   sessions);
    const auto rows = [&](const std::vector<model>& models, const char* mark) {
        for (const model& one : models) {
            for (const double poll : {0.5, 1.0, 2.0, 15.0}) {
                session_settings how;
                how.poll = poll;
                const tally sum = run_many(one, sessions, how);
                text += fmt::format("| {}{} | {} s | {:.2f} % | {:.2f} % |\n", one.name, mark, poll,
                                    100 * sum.share(sum.probable), 100 * sum.share(sum.confirmed));
            }
        }
    };
    rows(idle_models(), "");
    rows(adversarial_models(), " (adversarial)");
    text += "\n| losses | poll | probable | confirmed | by the 2nd | by the 3rd | within 35 s | median | 95 % | worst "
            "| losses | counted |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const model& one : loss_models()) {
        for (const double poll : {0.5, 1.0, 2.0, 15.0}) {
            session_settings how;
            how.poll = poll;
            const std::uint64_t fewer = std::max<std::uint64_t>(1, sessions / 5);
            const tally sum = run_many(one, fewer, how);
            const bool has_times = !sum.seconds_to_confirm.empty();
            const auto time = [&](double which) {
                return has_times ? fmt::format("{:.1f} s", sum.quantile(which)) : "-";
            };
            text += fmt::format(
                "| {} | {} s | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {} | {} | {} | {} | {} |\n",
                one.name, poll, 100 * sum.share(sum.probable), 100 * sum.share(sum.confirmed),
                100 * sum.share(sum.by_second), 100 * sum.share(sum.by_third), 100 * sum.share_within(35), time(0.5),
                time(0.95), time(1), sum.losses, sum.counted);
        }
    }
    return text;
}

}  // namespace qmpwatch::stall_test
