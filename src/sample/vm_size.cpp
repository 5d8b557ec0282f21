#include "sample/vm_size.hpp"

#include "base/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace qmpwatch::sample {

namespace {

using nlohmann::json;

/// The next line without what ends it and without blanks before it.
std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

}  // namespace

unsigned decode_cpus(std::string_view text) {
    const json reply = base::parse_json(text);
    if (!reply.is_array()) return 0;
    const bool are_objects = std::all_of(reply.begin(), reply.end(), [](const json& one) { return one.is_object(); });
    return are_objects ? static_cast<unsigned>(reply.size()) : 0;
}

unsigned decode_hmp_cpus(std::string_view text) {
    unsigned count = 0;
    while (!text.empty()) {
        std::string_view line = take_line(text);
        if (line.starts_with("* ")) line.remove_prefix(2);
        if (line.starts_with("CPU #")) ++count;
    }
    return count;
}

std::uint64_t decode_memory_size(std::string_view text) {
    const json reply = base::parse_json(text);
    if (!reply.is_object()) return 0;
    const auto size = reply.find("base-memory");
    return size != reply.end() && size->is_number_unsigned() ? size->get<std::uint64_t>() : 0;
}

std::uint64_t decode_hmp_memory_size(std::string_view text) {
    while (!text.empty()) {
        std::string_view line = take_line(text);
        constexpr std::string_view base_memory = "base memory: ";
        if (!line.starts_with(base_memory)) continue;
        line.remove_prefix(base_memory.size());
        std::uint64_t bytes = 0;
        const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), bytes);
        return failure == std::errc{} && end == line.data() + line.size() ? bytes : 0;
    }
    return 0;
}

}  // namespace qmpwatch::sample
