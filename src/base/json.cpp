#include "base/json.hpp"

#include <nlohmann/json.hpp>

namespace qmpwatch::base {

namespace {

template <typename Json>
Json parse(std::string_view text) {
    return Json::parse(text, nullptr, false);
}

template <typename Json>
Json parse(std::string_view text, int most_depth) {
    bool is_too_deep = false;
    const auto watch_depth = [&](int depth, typename Json::parse_event_t, Json&) {
        is_too_deep = is_too_deep || depth > most_depth;
        return !is_too_deep;
    };
    Json value = Json::parse(text, watch_depth, false);
    return is_too_deep ? Json(Json::value_t::discarded) : value;
}

template <typename Json>
std::string text_of(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) { return parse<nlohmann::json>(text); }
nlohmann::json parse_json(std::string_view text, int most_depth) { return parse<nlohmann::json>(text, most_depth); }
nlohmann::ordered_json parse_ordered_json(std::string_view text) { return parse<nlohmann::ordered_json>(text); }
nlohmann::ordered_json parse_ordered_json(std::string_view text, int most_depth) {
    return parse<nlohmann::ordered_json>(text, most_depth);
}

bool is_json(std::string_view text) { return nlohmann::json::accept(text); }

std::string json_text(const nlohmann::json& value) { return text_of(value); }
std::string json_text(const nlohmann::ordered_json& value) { return text_of(value); }

}  // namespace qmpwatch::base
