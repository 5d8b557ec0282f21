// Text for people: names made harmless, quantities made short.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::base {

/// The text with every control character and every byte that is not valid UTF-8 replaced by '?'. Whatever comes from a
/// monitor passes through here before it reaches a terminal or a log.
std::string printable(std::string_view text);

/// How many columns the printable text takes: its code points (wide characters count one).
std::size_t columns(std::string_view text);

/// The text cut to at most `width` columns, the last one an ellipsis when something was cut.
std::string shorten(std::string_view text, std::size_t width);

/// Breaks printable text at blanks: the first line at most `first` columns wide, the others `next`, at most `most`
/// lines; the last holds the rest and can be wider, and so can one that begins with a longer word. Never empty.
std::vector<std::string> wrap(std::string_view text, std::size_t first, std::size_t next,
                              std::size_t most = std::string_view::npos);

/// The text wrapped to `width` columns as one paragraph with its line end: `first` stands before the first line, as
/// many blanks before the others. A word that is too long has its line for itself: it may be meant to be copied.
std::string hanging(std::string_view first, std::string_view text, std::size_t width);

/// Megabytes (10^6) for a column, three significant digits: 0, 0.02, 4.10, 54.3, 1230. "-" for none.
std::string format_megabytes(std::optional<double> bytes);

/// A count or a rate, three significant digits: 0, 0.2, 62.6, 1230, 12.3k. "-" for none.
std::string format_count(std::optional<double> count);

/// A size with its unit: 512 B, 64.0 kB, 4.10 MB, 1.23 GB (powers of ten). "-" for none.
std::string format_bytes(std::optional<double> bytes);

/// A latency with its unit: 85 us, 1.23 ms, 10.0 s. "-" for none.
std::string format_latency(std::optional<double> seconds);

}  // namespace qmpwatch::base
