#include "monitor/message.hpp"

#include "base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace qmpwatch::monitor {

namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key) {
    if (!object.is_object()) return {};
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> decode_id(std::string_view text) {
    std::uint64_t id = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return id;
}

greeting decode_greeting(const json& content) {
    greeting result;
    if (!content.is_object()) return result;
    if (const auto version = content.find("version"); version != content.end() && version->is_object()) {
        result.package = text_of(*version, "package");
        if (const auto qemu = version->find("qemu"); qemu != version->end() && qemu->is_object()) {
            const auto part = [&](const char* key) {
                const auto found = qemu->find(key);
                return found != qemu->end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
            };
            result.version = fmt::format("{}.{}.{}", part("major"), part("minor"), part("micro"));
        }
    }
    if (const auto offered = content.find("capabilities"); offered != content.end() && offered->is_array()) {
        for (const json& capability : *offered) {
            if (capability.is_string() && capability.get_ref<const std::string&>() == "oob") result.offers_oob = true;
        }
    }
    return result;
}

}  // namespace

base::result<message> decode_message(const framed_object& object) {
    if (const std::string_view value = object["return"]; !value.empty()) {
        const auto id = decode_id(object["id"]);
        if (!id) return message{stranger{}};
        return message{reply{*id, value}};
    }
    if (const std::string_view name = object["event"]; !name.empty()) {
        const json parsed = base::parse_json(name);
        if (!parsed.is_string()) return base::fail(base::errc::protocol, "an event has no readable name");
        return message{event{parsed.get<std::string>(), object["data"]}};
    }
    if (const std::string_view content = object["error"]; !content.empty()) {
        const json parsed = base::parse_json(content);
        if (!parsed.is_object()) return base::fail(base::errc::protocol, "an error reply cannot be read");
        return message{failure{decode_id(object["id"]), text_of(parsed, "class"), text_of(parsed, "desc")}};
    }
    if (const std::string_view content = object["QMP"]; !content.empty()) {
        const json parsed = base::parse_json(content);
        if (parsed.is_discarded()) return base::fail(base::errc::protocol, "the greeting cannot be read");
        return message{decode_greeting(parsed)};
    }
    return message{stranger{}};
}

}  // namespace qmpwatch::monitor
