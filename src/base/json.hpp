// Reading and writing of JSON texts, compiled once: in each file that needs them the library's parser takes a second.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace qmpwatch::base {

/// One value from outside. Never throws: what is no JSON, or nested deeper than `most_depth`, gives a value that
/// is_discarded(), which is of no type. Without `most_depth` the depth is the caller's to limit.
nlohmann::json parse_json(std::string_view text);
nlohmann::json parse_json(std::string_view text, int most_depth);
/// The same; objects keep the order of their members.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text, int most_depth);

/// Whether the text is one JSON value.
bool is_json(std::string_view text);

/// The value in one line. Never throws: bytes that are not valid UTF-8 are replaced by U+FFFD.
std::string json_text(const nlohmann::json& value);
std::string json_text(const nlohmann::ordered_json& value);

}  // namespace qmpwatch::base
