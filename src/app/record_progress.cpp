#include "app/record_progress.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "sample/drive.hpp"
#include "sample/rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qmpwatch::app {

namespace {

constexpr base::seconds pace_over{60};
constexpr std::size_t widest_bar = 40;

}  // namespace

void record_progress::add(const sample::sample& counters) {
    using sample::operation;
    for (const sample::drive_sample& seen : counters.drives) {
        const std::string name = sample::drive_name(seen.identity);
        auto known = std::find_if(drives_.begin(), drives_.end(), [&](const drive& one) { return one.name == name; });
        if (known == drives_.end()) known = drives_.insert(drives_.end(), {name, {}, 0, 0});
        if (known->last && sample::continues(*known->last, seen.counters)) {
            known->read += seen.counters[operation::read].bytes - (*known->last)[operation::read].bytes;
            known->written += seen.counters[operation::write].bytes - (*known->last)[operation::write].bytes;
        }
        known->last = seen.counters;
    }
    pace_.emplace_back(counters.at.steady, most_read());
    while (pace_.size() > 2 && pace_[1].first <= counters.at.steady - pace_over) pace_.pop_front();
}

std::uint64_t record_progress::most_read() const {
    std::uint64_t most = 0;
    for (const drive& one : drives_) most = std::max(most, one.read);
    return most;
}

std::optional<base::nanoseconds> record_progress::time_left() const {
    if (!expected_ || pace_.size() < 2) return std::nullopt;
    const auto [begin, before] = pace_.front();
    const auto [end, now] = pace_.back();
    if (now >= *expected_) return base::nanoseconds(0);
    const double seconds = base::in_seconds(end - begin);
    if (now <= before || seconds <= 0) return std::nullopt;
    const double left = static_cast<double>(*expected_ - now) * seconds / static_cast<double>(now - before);
    constexpr double longest = 3600.0 * 24 * 365;
    return std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(std::min(left, longest)));
}

std::vector<std::string> record_progress::lines(base::nanoseconds since_start, std::size_t columns) const {
    std::uint64_t read = 0, written = 0;
    for (const drive& one : drives_) {
        read += one.read;
        written += one.written;
    }
    std::vector<std::string> lines;
    lines.push_back(
        base::shorten(fmt::format("recording for {}: {} read, {} written, into {}", base::format_age(since_start),
                                  base::format_bytes(static_cast<double>(read)),
                                  base::format_bytes(static_cast<double>(written)), base::printable(file_)),
                      columns));
    if (!expected_) return lines;
    const double share =
        *expected_ == 0 ? 1 : std::min(1.0, static_cast<double>(most_read()) / static_cast<double>(*expected_));
    const std::optional<base::nanoseconds> left = time_left();
    const std::string rest =
        fmt::format(" {:3.0f} % of {}{}", std::floor(100 * share), base::format_bytes(static_cast<double>(*expected_)),
                    left ? fmt::format(", {} left", base::format_age(*left)) : "");
    const std::size_t room = columns > rest.size() + 2 ? std::min(widest_bar, columns - rest.size() - 2) : 0;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(room));
    lines.push_back(base::shorten(
        room == 0 ? rest.substr(1)
                  : fmt::format("[{}{}]{}", std::string(filled, '#'), std::string(room - filled, '.'), rest),
        columns));
    return lines;
}

}  // namespace qmpwatch::app
