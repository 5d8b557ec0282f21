// Listen addresses: whatever is understood comes out again as it went in, apart from leading zeros of the port.
#include "web/listen_address.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto address = web::parse_listen_address(text);
    if (!address) {
        if (address.error().code != base::errc::usage || address.error().message.empty()) std::abort();
        return 0;
    }
    const auto again = web::parse_listen_address(web::to_string(*address));
    if (!again || *again != *address) std::abort();
    return 0;
}
