// Any text after --socket.
#include "client/address.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch::client;
    const auto parsed = parse_target(std::string_view(reinterpret_cast<const char*>(data), size));
    if (parsed.has_error()) {
        FUZZ_CHECK(!parsed.error().message.empty());
        return 0;
    }
    const address& where = parsed->where;
    FUZZ_CHECK(where.type == address::kind::tcp ? where.port > 0 && !where.host.empty() : !where.path.empty());
    FUZZ_CHECK(parsed->is_pattern || where.path.size() < 108);
    return 0;
}
