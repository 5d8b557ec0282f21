#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace qmpwatch::base {

namespace {

struct code_point {
    char32_t value = 0;
    std::size_t length = 0;  ///< in bytes; 0 when the text does not start with valid UTF-8
};

constexpr std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

/// The first code point of a text that is not empty. Overlong forms, surrogates and values above 10FFFF are invalid.
code_point first_code_point(std::string_view text) {
    const std::uint8_t lead = byte_at(text, 0);
    if (lead < 0x80) return {lead, 1};
    std::size_t length = 0;
    char32_t value = 0;
    char32_t least = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2, value = lead & 0x1FU, least = 0x80;
    } else if ((lead & 0xF0U) == 0xE0) {
        length = 3, value = lead & 0x0FU, least = 0x800;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4, value = lead & 0x07U, least = 0x10000;
    }
    if (length == 0 || text.size() < length) return {};
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte_at(text, at) & 0xC0U) != 0x80) return {};
        value = (value << 6U) | (byte_at(text, at) & 0x3FU);
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least || value > 0x10FFFF || surrogate) return {};
    return {value, length};
}

bool is_harmful(char32_t value) {
    if (value < 0x20 || (value >= 0x7F && value <= 0x9F)) return true;
    // Line breaks and marks that turn the direction of writing: they let a name pose as other text.
    if (value == 0x200E || value == 0x200F || (value >= 0x2028 && value <= 0x202E)) return true;
    return (value >= 0x2066 && value <= 0x2069) || value == 0xFEFF;
}

constexpr bool continues_code_point(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0U) == 0x80; }

constexpr std::string_view none = "-";

bool can_be_shown(std::optional<double> value) { return value && std::isfinite(*value) && *value >= 0; }

double round_to_three_digits(double value) {
    if (value == 0) return 0;
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 2);
    // The step of a value at the edge of what a double holds may be 0 or infinite: then there is nothing to round.
    const double rounded = std::round(value / step) * step;
    return std::isfinite(rounded) ? rounded : value;
}

/// Three significant digits, at most two of them decimals: 0.02, 4.10, 54.3, 1230.
std::string three_digits(double value) {
    const double rounded = round_to_three_digits(value);
    if (rounded < 9.995) return fmt::format("{:.2f}", rounded);
    if (rounded < 99.95) return fmt::format("{:.1f}", rounded);
    return fmt::format("{:.0f}", rounded);
}

/// Too little to show and still not nothing.
constexpr double least_shown = 0.005;
constexpr std::string_view below_least = "<0.01";

struct prefix {
    double factor;
    std::string_view name;
};

/// The largest prefix with which the value, once rounded, has at least one digit before the point.
const prefix& choose(const auto& prefixes, double value) {
    const double rounded = round_to_three_digits(value);
    for (const prefix& candidate : prefixes) {
        if (rounded >= candidate.factor) return candidate;
    }
    return prefixes.back();
}

}  // namespace

std::string printable(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const code_point next = first_code_point(text);
        const std::size_t length = next.length == 0 ? 1 : next.length;
        if (next.length == 0 || is_harmful(next.value)) {
            clean += '?';
        } else {
            clean += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return clean;
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    for (const char byte : text) {
        if (!continues_code_point(byte)) ++count;
    }
    return count;
}

std::string shorten(std::string_view text, std::size_t width) {
    if (columns(text) <= width) return std::string(text);
    if (width == 0) return {};
    std::size_t end = 0;
    for (std::size_t taken = 0; end < text.size(); ++end) {
        if (continues_code_point(text[end])) continue;
        if (taken == width - 1) break;
        ++taken;
    }
    return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> wrap(std::string_view text, std::size_t first, std::size_t next, std::size_t most) {
    std::vector<std::string> lines;
    for (std::size_t width = first; lines.size() + 1 < most && columns(text) > width; width = next) {
        // The last blank that leaves a line of the width, or else the first one.
        std::size_t space = text.find(' ');
        for (std::size_t at = space; at != std::string_view::npos; at = text.find(' ', at + 1)) {
            if (columns(text.substr(0, at)) > width) break;
            space = at;
        }
        if (space == std::string_view::npos) break;
        lines.emplace_back(text.substr(0, space));
        text.remove_prefix(space + 1);
    }
    lines.emplace_back(text);
    return lines;
}

std::string hanging(std::string_view first, std::string_view text, std::size_t width) {
    const std::size_t indent = columns(first);
    const std::size_t room = width > indent ? width - indent : 0;
    std::string out(first);
    bool is_first = true;
    for (const std::string& line : wrap(text, room, room)) {
        if (!is_first) out.append(indent, ' ');
        is_first = false;
        out += line;
        out += '\n';
    }
    return out;
}

std::string format_megabytes(std::optional<double> bytes) {
    if (!can_be_shown(bytes)) return std::string(none);
    if (*bytes == 0) return "0";
    const double megabytes = *bytes / 1e6;
    return megabytes < least_shown ? std::string(below_least) : three_digits(megabytes);
}

std::string format_count(std::optional<double> count) {
    if (!can_be_shown(count)) return std::string(none);
    if (*count == 0) return "0";
    if (*count < least_shown) return std::string(below_least);
    static constexpr std::array<prefix, 4> prefixes{{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}, {1, ""}}};
    const prefix& chosen = choose(prefixes, *count);
    // Only the choice of k waits for 10000; its factor is a thousand.
    std::string text = three_digits(*count / (chosen.name == "k" ? 1e3 : chosen.factor));
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text.append(chosen.name);
}

std::string format_bytes(std::optional<double> bytes) {
    if (!can_be_shown(bytes)) return std::string(none);
    static constexpr std::array<prefix, 6> prefixes{
        {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}};
    const prefix& chosen = choose(prefixes, *bytes);
    if (chosen.factor == 1) return fmt::format("{:.0f} B", *bytes);
    return fmt::format("{} {}", three_digits(*bytes / chosen.factor), chosen.name);
}

std::string format_latency(std::optional<double> seconds) {
    if (!can_be_shown(seconds)) return std::string(none);
    static constexpr std::array<prefix, 3> prefixes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
    const double value = *seconds;
    // Compared in microseconds: 1e-3 itself is not exact, and 1 ms must not become 1000 us.
    const double microseconds = round_to_three_digits(value * 1e6);
    if (microseconds >= 1e6) return fmt::format("{} {}", three_digits(value), prefixes[0].name);
    if (microseconds >= 1e3) return fmt::format("{} {}", three_digits(value * 1e3), prefixes[1].name);
    if (microseconds > 0 && microseconds < 0.5) return "<1 us";
    return fmt::format("{:.0f} {}", microseconds, prefixes[2].name);
}

}  // namespace qmpwatch::base
