#include "base/size.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <array>

namespace qmpwatch::base {

namespace {

struct unit {
    std::string_view name;
    double bytes;
};
constexpr std::array units{unit{"", 1},
                           unit{"B", 1},
                           unit{"kB", 1e3},
                           unit{"MB", 1e6},
                           unit{"GB", 1e9},
                           unit{"TB", 1e12},
                           unit{"KiB", 1024.0},
                           unit{"MiB", 1048576.0},
                           unit{"GiB", 1073741824.0},
                           unit{"TiB", 1099511627776.0}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

result<std::uint64_t> parse_size(std::string_view text) {
    const auto refuse = [&] {
        return fail(errc::usage, fmt::format("'{}' is not a size: write it as 7.6GB or 512MiB", printable(text)));
    };
    std::size_t at = 0;
    double value = 0;
    while (at < text.size() && is_digit(text[at])) value = value * 10 + (text[at++] - '0');
    if (at == 0) return refuse();
    bool has_fraction = false;
    if (at < text.size() && text[at] == '.') {
        double weight = 0.1;
        for (++at; at < text.size() && is_digit(text[at]); weight /= 10) {
            value += weight * (text[at++] - '0');
            has_fraction = true;
        }
        if (!has_fraction) return refuse();
    }
    while (at < text.size() && text[at] == ' ') ++at;
    for (const unit& one : units) {
        if (one.name != text.substr(at)) continue;
        if (has_fraction && one.bytes <= 1) return refuse();
        const double bytes = value * one.bytes;
        if (!(bytes < 9.2e18)) return refuse();
        return static_cast<std::uint64_t>(bytes + 0.5);
    }
    return refuse();
}

}  // namespace qmpwatch::base
