// Any bytes as the address of a Pushgateway.
#include "metrics/push.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto address = metrics::parse_gateway(text);
    if (address.has_error()) {
        FUZZ_CHECK(address.error().code == base::errc::usage);
        return 0;
    }
    const auto again = metrics::parse_gateway(address->host + ":" + address->port);
    FUZZ_CHECK(again.has_value() && *again == *address);
    return 0;
}
