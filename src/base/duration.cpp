#include "base/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace qmpwatch::base {

namespace {

struct unit {
    std::string_view name;
    std::int64_t nanoseconds;
};

constexpr std::int64_t one_millisecond = 1'000'000;
constexpr std::int64_t one_second = 1'000 * one_millisecond;
constexpr std::int64_t one_minute = 60 * one_second;
constexpr std::int64_t one_hour = 60 * one_minute;
constexpr std::int64_t one_day = 24 * one_hour;

// "ms" stands before "m", which is its beginning.
constexpr std::array<unit, 4> units{{{"ms", one_millisecond}, {"h", one_hour}, {"m", one_minute}, {"s", one_second}}};

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

struct part {
    std::int64_t value = 0;  ///< in nanoseconds
    std::int64_t unit = 0;   ///< of which it was given, in nanoseconds
};

constexpr std::string_view expected = "expected a number with a unit (ms, s, m, h), such as 500ms, 15s or 1m30s";

/// Takes one number with its unit off the front of `text`.
std::optional<part> take_part(std::string_view& text) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    std::int64_t whole = 0;
    while (!text.empty() && is_digit(text.front())) {
        const std::int64_t digit = text.front() - '0';
        if (whole > (most - digit) / 10) return std::nullopt;
        whole = whole * 10 + digit;
        text.remove_prefix(1);
    }
    std::int64_t fraction = 0;
    std::int64_t scale = 1;
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        if (text.empty() || !is_digit(text.front())) return std::nullopt;
        while (!text.empty() && is_digit(text.front())) {
            // Nine digits reach down to the nanoseconds of a second; more would overflow below.
            if (scale < one_second) {
                fraction = fraction * 10 + (text.front() - '0');
                scale *= 10;
            }
            text.remove_prefix(1);
        }
    }
    for (const unit& known : units) {
        if (!text.starts_with(known.name)) continue;
        text.remove_prefix(known.name.size());
        const std::int64_t part_of_unit =
            known.nanoseconds / scale * fraction + known.nanoseconds % scale * fraction / scale;
        if (whole > (most - part_of_unit) / known.nanoseconds) return std::nullopt;
        return part{whole * known.nanoseconds + part_of_unit, known.nanoseconds};
    }
    return std::nullopt;
}

}  // namespace

result<nanoseconds> parse_duration(std::string_view text) {
    std::string_view rest = text;
    std::int64_t sum = 0;
    std::int64_t last_unit = std::numeric_limits<std::int64_t>::max();
    do {
        const auto next = take_part(rest);
        // Units in falling order, each once: 1m1m or 30s1m is more likely a slip than a wish.
        if (!next || next->unit >= last_unit || sum > std::numeric_limits<std::int64_t>::max() - next->value) {
            return fail(errc::usage, fmt::format("'{}' is not a duration: {}", text, expected));
        }
        sum += next->value;
        last_unit = next->unit;
    } while (!rest.empty());
    return nanoseconds(sum);
}

std::string format_duration(nanoseconds span) {
    std::int64_t rest = std::max<std::int64_t>(span.count(), 0);
    if (rest == 0) return "0s";

    // 1.5, never 1.500: the digits behind the point that say something.
    const auto decimal = [](std::int64_t value, std::int64_t unit) {
        std::string text = fmt::format("{}.{:0{}}", value / unit, value % unit, unit == one_second ? 9 : 6);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
        return text;
    };
    if (rest < one_second) return decimal(rest, one_millisecond) + "ms";

    std::string text;
    if (const std::int64_t hours = rest / one_hour; hours > 0) text += fmt::format("{}h", hours);
    rest %= one_hour;
    if (const std::int64_t minutes = rest / one_minute; minutes > 0) text += fmt::format("{}m", minutes);
    rest %= one_minute;
    if (rest > 0) text += decimal(rest, one_second) + "s";
    return text;
}

std::string format_age(nanoseconds span) {
    const std::int64_t age = std::max<std::int64_t>(span.count(), 0);
    const std::int64_t whole_seconds = age / one_second;
    if (age < 10 * one_second) return fmt::format("{}.{}s", whole_seconds, age % one_second / (one_second / 10));
    if (age < one_minute) return fmt::format("{}s", whole_seconds);
    const std::int64_t minutes = age / one_minute;
    if (minutes < 10) return fmt::format("{}m{:02}s", minutes, whole_seconds % 60);
    if (age < one_hour) return fmt::format("{}m", minutes);
    const std::int64_t hours = age / one_hour;
    if (hours < 10) return fmt::format("{}h{:02}m", hours, minutes % 60);
    if (hours < 48) return fmt::format("{}h", hours);
    return fmt::format("{}d", std::min<std::int64_t>(age / one_day, 9999));
}

std::string format_length(nanoseconds span) {
    constexpr std::int64_t tenth = one_second / 10;
    const std::int64_t length = std::max<std::int64_t>(span.count(), 0);
    const auto rounded = [&](std::int64_t unit) { return length / unit + (length % unit >= unit / 2 ? 1 : 0); };
    const std::int64_t tenths = rounded(tenth), whole_seconds = rounded(one_second), minutes = rounded(one_minute);
    if (tenths < 1000) return fmt::format("{}.{}s", tenths / 10, tenths % 10);
    if (whole_seconds < 600) return fmt::format("{}s", whole_seconds);
    if (whole_seconds < 3600) return fmt::format("{}m{:02}s", whole_seconds / 60, whole_seconds % 60);
    return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

}  // namespace qmpwatch::base
