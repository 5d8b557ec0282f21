#include "client/identify.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <nlohmann/json.hpp>

namespace qmpwatch::client {

namespace {

using nlohmann::json;

std::string text_in(const json& object, std::string_view key) {
    if (!object.is_object()) return {};
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string text_member(std::string_view text, std::string_view key) {
    return base::printable(raw_text_member(text, key));
}

std::string raw_text_member(std::string_view text, std::string_view key) {
    return text_in(base::parse_json(text), key);
}

std::vector<std::string> child_types(std::string_view text) {
    constexpr std::string_view prefix = "child<";
    std::vector<std::string> types;
    const json children = base::parse_json(text);
    if (!children.is_array()) return types;
    for (const json& child : children) {
        const std::string type = text_in(child, "type");
        if (type.starts_with(prefix) && type.ends_with('>')) {
            types.push_back(type.substr(prefix.size(), type.size() - prefix.size() - 1));
        }
    }
    return types;
}

std::vector<std::pair<std::string, bool>> trace_states(std::string_view text) {
    std::vector<std::pair<std::string, bool>> states;
    const json events = base::parse_json(text);
    if (!events.is_array()) return states;
    for (const json& event : events) {
        std::string name = text_in(event, "name");
        const std::string state = text_in(event, "state");
        if (state == "enabled" || state == "disabled") states.emplace_back(std::move(name), state == "enabled");
    }
    return states;
}

std::string first_processor(std::string_view text) {
    const json processors = base::parse_json(text);
    if (!processors.is_array() || processors.empty()) return {};
    return text_in(processors.front(), "qom-path");
}

std::optional<std::string> text_value(std::string_view text) {
    const json value = base::parse_json(text);
    if (!value.is_string()) return std::nullopt;
    return value.get<std::string>();
}

bool kvm_enabled(std::string_view text) {
    const json object = base::parse_json(text);
    if (!object.is_object()) return false;
    const auto found = object.find("enabled");
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::string machine_from_type(std::string_view type) {
    constexpr std::string_view suffix = "-machine";
    if (type.ends_with(suffix)) type.remove_suffix(suffix.size());
    return base::printable(type);
}

std::string line_from_hmp(std::string_view text) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    if (line.starts_with("unknown command") || line.starts_with("Error:")) return {};
    return base::printable(line);
}

std::string run_state_from_hmp(std::string_view text) {
    constexpr std::string_view prefix = "VM status: ";
    std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    if (!line.starts_with(prefix)) return {};
    line.remove_prefix(prefix.size());
    const std::size_t open = line.find('(');
    if (open == std::string_view::npos) return base::printable(line);
    const std::size_t close = line.find(')', open);
    const std::string_view reason = line.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
    // `running (single step mode)` is still running; the reason of a pause is the run state itself.
    return base::printable(line.starts_with("running") ? std::string_view("running") : reason);
}

std::string package_from_hmp(std::string_view text, std::string_view version) {
    std::string line = line_from_hmp(text);
    return line.starts_with(version) ? line.substr(version.size()) : std::string();
}

std::string accelerator_from_hmp(std::string_view text) {
    const std::string line = line_from_hmp(text);
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return {};
    return line.substr(open + 1, close - open - 1);
}

bool kvm_enabled_from_hmp(std::string_view text) { return text.starts_with("kvm support: enabled"); }

}  // namespace qmpwatch::client
