// A time of day is looked for first; what stands to the left and to the right of it says which day and where.
#include "run/stamp.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

namespace qmpwatch::run {
namespace {

using base::nanoseconds;
using base::seconds;

constexpr std::size_t longest_look = 160;
constexpr std::string_view blanks = " \t";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

/// The number that the whole of the text is.
std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || !is_digit(text.front()) || failure != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::string_view take_digits(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
}

void skip(std::string_view& text, std::string_view what) {
    text.remove_prefix(std::min(text.find_first_not_of(what), text.size()));
}

/// Takes `.25` or `,25`, down to the nanosecond; none when there is no fraction.
std::optional<nanoseconds> take_fraction(std::string_view& text) {
    if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return std::nullopt;
    text.remove_prefix(1);
    nanoseconds value{};
    nanoseconds unit = std::chrono::milliseconds(100);
    for (const char digit : take_digits(text)) {
        value += unit * (digit - '0');
        unit /= 10;
    }
    return value;
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

/// Seconds since 1970 lie between 2001 and 2286; `date +%s%N` and its kind write them in smaller units.
std::optional<nanoseconds> unix_time(std::string_view digits) {
    std::int64_t unit = 1'000'000'000;
    for (const std::size_t length : {10U, 13U, 16U, 19U}) {
        if (digits.size() == length && digits.front() != '0') {
            const auto number = whole_number(digits);
            if (!number || *number > std::numeric_limits<std::int64_t>::max() / unit) return std::nullopt;
            return nanoseconds(*number * unit);
        }
        unit /= 1000;
    }
    return std::nullopt;
}

/// What follows must not make something else of the number: `1764555269:` is one, 2026-12-01 and 12:00:00 are none.
bool ends_number(std::string_view rest) {
    if (rest.empty()) return true;
    if (is_word(rest.front())) return false;
    const bool may_join = std::string_view(":-/.").find(rest.front()) != std::string_view::npos;
    return !may_join || rest.size() == 1 || blanks.find(rest[1]) != std::string_view::npos;
}

/// Unix seconds or t=12.5 at the beginning of the line.
std::optional<stamp> leading_number(std::string_view line) {
    skip(line, " \t=-#*[](){}<>|~:@'\"");
    bool is_named = false;
    const std::string_view word =
        line.substr(0, static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_letter) - line.begin()));
    for (const std::string_view name : {"t", "T", "time", "ts", "elapsed", "at"}) is_named = is_named || word == name;
    if (is_named) {
        line.remove_prefix(word.size());
        skip(line, blanks);
        const bool has_sign = !line.empty() && (line.front() == '=' || line.front() == ':');
        if (has_sign) line.remove_prefix(1);
        is_named = has_sign || word == "at";
        skip(line, blanks);
    }
    if (!is_named && !word.empty()) return std::nullopt;

    const std::string_view digits = take_digits(line);
    if (digits.empty()) return std::nullopt;
    stamp found;
    const std::optional<nanoseconds> fraction = take_fraction(line);
    found.has_fraction = fraction.has_value() || digits.size() > 10;
    if (is_named && line.starts_with('s')) line.remove_prefix(1);
    if (!ends_number(line)) return std::nullopt;
    if (const auto since_1970 = unix_time(digits)) {
        found.what = stamp::kind::wall_clock;
        found.value = *since_1970 + fraction.value_or(nanoseconds{});
        return found;
    }
    if (!is_named || digits.size() > 9) return std::nullopt;
    found.value = seconds(*whole_number(digits)) + fraction.value_or(nanoseconds{});
    return found;
}

// --- Days ------------------------------------------------------------------------------------------------------------

struct day {
    int year = 0;  ///< 0: not said
    int month = 0, number = 0;
};

constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun",
                                                  "jul", "aug", "sep", "oct", "nov", "dec"};

/// 1 to 12 for Dec, december, DEC; else 0.
int month_of(std::string_view word) {
    if (word.size() < 3) return 0;
    std::array<char, 3> begin{};
    for (std::size_t index = 0; index < begin.size(); ++index) {
        if (!is_letter(word[index])) return 0;
        begin[index] = static_cast<char>(word[index] | 0x20);
    }
    const auto found = std::find(months.begin(), months.end(), std::string_view(begin.data(), begin.size()));
    return found == months.end() ? 0 : static_cast<int>(found - months.begin()) + 1;
}

int year_of(std::string_view word) {
    const auto number = whole_number(word);
    return word.size() == 4 && number && *number >= 1970 && *number < 2200 ? static_cast<int>(*number) : 0;
}

int day_of(std::string_view word) {
    const auto number = whole_number(word);
    return word.size() <= 2 && number && *number >= 1 && *number <= 31 ? static_cast<int>(*number) : 0;
}

/// 2026-12-01 at the end of the text.
std::optional<day> dashed_day(std::string_view text) {
    if (text.size() < 10 || (text.size() > 10 && is_word(text[text.size() - 11]))) return std::nullopt;
    text.remove_prefix(text.size() - 10);
    const auto month = whole_number(text.substr(5, 2));
    if ((text[4] != '-' && text[4] != '/') || text[7] != text[4] || !month || *month < 1 || *month > 12) {
        return std::nullopt;
    }
    const day found{year_of(text.substr(0, 4)), static_cast<int>(*month), day_of(text.substr(8, 2))};
    if (found.year == 0 || found.number == 0) return std::nullopt;
    return found;
}

/// Takes the last word from the text, cut at blanks and commas.
std::string_view take_last_word(std::string_view& text) {
    const std::size_t last = text.find_last_not_of(" \t,");
    if (last == std::string_view::npos) return {};
    text = text.substr(0, last + 1);
    const std::size_t blank = text.find_last_of(" \t,[(");
    const std::string_view word = blank == std::string_view::npos ? text : text.substr(blank + 1);
    text.remove_suffix(word.size());
    return word;
}

/// `Dec  1`, `1 Dec`, `01 Dec 2026` at the end of the text.
std::optional<day> named_day(std::string_view text) {
    day found;
    std::string_view word = take_last_word(text);
    if (found.year = year_of(word); found.year > 0) word = take_last_word(text);
    const std::string_view before = take_last_word(text);
    found.month = month_of(word);
    found.number = day_of(before);
    if (found.month == 0) {
        found.month = month_of(before);
        found.number = day_of(word);
    }
    if (found.month == 0 || found.number == 0) return std::nullopt;
    return found;
}

/// Days since 1970 in the Gregorian calendar.
std::optional<seconds> since_1970(const day& date) {
    const std::chrono::year_month_day calendar{std::chrono::year(date.year),
                                               std::chrono::month(static_cast<unsigned>(date.month)),
                                               std::chrono::day(static_cast<unsigned>(date.number))};
    if (!calendar.ok()) return std::nullopt;
    return seconds(std::chrono::sys_days(calendar).time_since_epoch());
}

// --- Times of day ----------------------------------------------------------------------------------------------------

/// Minutes east of UTC. Names that stand for several zones (CST, IST, BST) are not among them.
constexpr std::pair<std::string_view, int> zones[] = {
    {"Z", 0},      {"z", 0},      {"UTC", 0},    {"GMT", 0},    {"UT", 0},     {"WET", 0},     {"WEST", 60},
    {"CET", 60},   {"CEST", 120}, {"EET", 120},  {"EEST", 180}, {"MSK", 180},  {"EST", -300},  {"EDT", -240},
    {"CDT", -300}, {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420}, {"AKST", -540}, {"AKDT", -480},
    {"HST", -600}, {"JST", 540},  {"KST", 540},  {"AEST", 600}, {"AEDT", 660}, {"ACST", 570},  {"ACDT", 630},
    {"AWST", 480}, {"NZST", 720}, {"NZDT", 780},
};

std::string_view take_word(std::string_view& text) {
    skip(text, blanks);
    const auto end = std::find_if_not(text.begin(), text.end(), is_word);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

/// Takes a zone: Z, UTC, +01:00, +0100, -05. None when it is not known; then a name is taken all the same.
std::optional<std::chrono::minutes> take_zone(std::string_view& text) {
    std::string_view rest = text;
    skip(rest, blanks);
    if (rest.size() > 2 && (rest[0] == '+' || rest[0] == '-') && is_digit(rest[1]) && is_digit(rest[2])) {
        const int sign = rest[0] == '-' ? -1 : 1;
        rest.remove_prefix(1);
        int minutes = ((rest[0] - '0') * 10 + (rest[1] - '0')) * 60;
        rest.remove_prefix(2);
        if (rest.size() > 2 && rest[0] == ':' && is_digit(rest[1])) rest.remove_prefix(1);
        if (rest.size() > 1 && is_digit(rest[0]) && is_digit(rest[1])) {
            minutes += (rest[0] - '0') * 10 + (rest[1] - '0');
            rest.remove_prefix(2);
        }
        if (minutes > 14 * 60 || (!rest.empty() && is_word(rest.front()))) return std::nullopt;
        text = rest;
        return std::chrono::minutes(sign * minutes);
    }
    const std::string_view word = take_word(rest);
    if (word.empty() || word.size() > 5 || !is_letter(word.front())) return std::nullopt;
    text = rest;
    for (const auto& [name, minutes] : zones) {
        if (word == name) return std::chrono::minutes(minutes);
    }
    return std::nullopt;
}

/// HH:MM:SS at the beginning of the text, which is taken.
std::optional<seconds> take_clock(std::string_view& text) {
    std::array<std::int64_t, 3> parts{};
    std::string_view rest = text;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (index > 0) {
            if (!rest.starts_with(':')) return std::nullopt;
            rest.remove_prefix(1);
        }
        const std::string_view digits = take_digits(rest);
        if (digits.empty() || digits.size() > 2 || (index > 0 && digits.size() != 2)) return std::nullopt;
        parts[index] = *whole_number(digits);
    }
    if (parts[0] > 23 || parts[1] > 59 || parts[2] > 60) return std::nullopt;
    text = rest;
    return seconds(parts[0] * 3600 + parts[1] * 60 + parts[2]);
}

/// The time of day at `place` of the line, if one is there.
std::optional<stamp> clock_at(std::string_view line, std::size_t place) {
    std::string_view before = line.substr(0, place);
    std::string_view after = line.substr(place);
    const auto clock = take_clock(after);
    if (!clock) return std::nullopt;
    const std::optional<nanoseconds> fraction = take_fraction(after);
    if (!after.empty() && (after.front() == ':' || is_digit(after.front()))) return std::nullopt;  // an address

    // 2026-12-01T02:14:29 and 2026-12-01_02:14:29 as well as with blanks.
    std::optional<day> date;
    if (!before.empty() && (before.back() == 'T' || before.back() == 't' || before.back() == '_')) {
        date = dashed_day(before.substr(0, before.size() - 1));
        if (!date) return std::nullopt;
    } else if (!before.empty() && (is_word(before.back()) || before.back() == ':' || before.back() == '.')) {
        return std::nullopt;
    } else {
        std::string_view trimmed = before.substr(0, before.find_last_not_of(" \t,") + 1);
        date = dashed_day(trimmed);
        if (!date) date = named_day(before);
    }

    stamp found;
    found.value = *clock + fraction.value_or(nanoseconds{});
    found.has_fraction = fraction.has_value();
    std::string_view rest = after;
    if (const std::string_view half = take_word(rest); half == "AM" || half == "PM" || half == "am" || half == "pm") {
        if (*clock >= std::chrono::hours(13) || *clock < std::chrono::hours(1)) return std::nullopt;
        if (*clock >= std::chrono::hours(12)) found.value -= std::chrono::hours(12);
        if (half.front() == 'P' || half.front() == 'p') found.value += std::chrono::hours(12);
        after = rest;
    }
    std::optional<std::chrono::minutes> zone;
    if (date) zone = take_zone(after);
    if (date && date->year == 0) date->year = year_of(take_word(after));
    if (!date || date->year == 0) {
        found.what = stamp::kind::time_of_day;
        return found;
    }
    const auto midnight = since_1970(*date);
    if (!midnight) return std::nullopt;
    found.what = zone ? stamp::kind::wall_clock : stamp::kind::local_clock;
    found.value += *midnight - zone.value_or(std::chrono::minutes(0));
    if (found.value < nanoseconds(0)) return std::nullopt;
    return found;
}

}  // namespace

std::optional<stamp> find_stamp(std::string_view line) {
    line = line.substr(0, longest_look);
    if (const auto number = leading_number(line)) return number;
    for (std::size_t place = 0; place < line.size(); ++place) {
        if (!is_digit(line[place])) continue;
        if (const auto clock = clock_at(line, place)) return clock;
        while (place + 1 < line.size() && is_digit(line[place + 1])) ++place;
    }
    return std::nullopt;
}

}  // namespace qmpwatch::run
