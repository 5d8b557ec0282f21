// Any bytes as a size.
#include "base/size.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const auto parsed = base::parse_size(std::string_view(reinterpret_cast<const char*>(data), size));
    FUZZ_CHECK(parsed.has_value() || parsed.error().code == base::errc::usage);
    if (parsed.has_value()) FUZZ_CHECK(*parsed <= 9200000000000000000U);
    return 0;
}
