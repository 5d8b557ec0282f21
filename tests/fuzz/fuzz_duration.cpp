// Any bytes as a duration, and as text for people.
#include "base/duration.hpp"

#include "base/text.hpp"

#include "fuzz/check.hpp"

#include <algorithm>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    if (const auto span = base::parse_duration(text)) {
        FUZZ_CHECK(span->count() >= 0);
        const auto again = base::parse_duration(base::format_duration(*span));
        FUZZ_CHECK(again.has_value() && *again == *span);
        FUZZ_CHECK(base::format_age(*span).size() <= 5);
    }

    const std::string clean = base::printable(text);
    FUZZ_CHECK(clean.size() <= size);
    FUZZ_CHECK(base::printable(clean) == clean);
    FUZZ_CHECK(std::none_of(clean.begin(), clean.end(), [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x20 || byte == 0x7F;
    }));
    for (const std::size_t width : {0U, 1U, 7U}) {
        FUZZ_CHECK(base::columns(base::shorten(clean, width)) == std::min(width, base::columns(clean)));
    }
    return 0;
}
