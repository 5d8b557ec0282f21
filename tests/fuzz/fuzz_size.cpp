#include "base/size.hpp"
#include "fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parsed = qmpwatch::base::parse_size(text);
    FUZZ_CHECK(parsed.has_value() || parsed.error().code == qmpwatch::base::errc::usage);
    if (parsed.has_value()) FUZZ_CHECK(*parsed <= 9200000000000000000U);
    return 0;
}
