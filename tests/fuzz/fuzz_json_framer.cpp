// Any bytes, cut anywhere, through the framer and the message decoder. Whatever it takes for an object and a JSON
// parser reads too must have the same outermost members.
#include "base/json.hpp"
#include "monitor/json_framer.hpp"
#include "monitor/message.hpp"

#include "fuzz/check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace {

using qmpwatch::monitor::framed_object;
using qmpwatch::monitor::json_framer;

/// The texts of all objects, when the bytes come in pieces of this size.
std::vector<std::string> objects(std::string_view bytes, std::size_t piece) {
    json_framer framer;
    framed_object object;
    std::vector<std::string> found;
    while (!bytes.empty()) {
        framer.feed(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        for (;;) {
            const auto whole = framer.next(object);
            if (whole.has_error()) return found;
            if (!*whole) break;
            found.emplace_back(object.text);
            FUZZ_CHECK(object.text.front() == '{');
            FUZZ_CHECK(object.member_count <= framed_object::max_members);
            (void)qmpwatch::monitor::decode_message(object);
            const nlohmann::json parsed = qmpwatch::base::parse_json(object.text);
            if (!parsed.is_object()) continue;
            for (std::size_t i = 0; i < object.member_count; ++i) {
                const nlohmann::json value = qmpwatch::base::parse_json(object.members[i].value);
                FUZZ_CHECK(!value.is_discarded());
                const bool has_escape = object.members[i].key.find('\\') != std::string_view::npos;
                FUZZ_CHECK(has_escape || parsed.contains(object.members[i].key));
            }
        }
    }
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t piece = std::size_t{1} + data[0] % 64;
    FUZZ_CHECK(objects(bytes, piece) == objects(bytes, bytes.size() + 1));
    return 0;
}
