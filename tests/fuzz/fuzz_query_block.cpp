// Any bytes as the reply to query-block.
#include "sample/query_block.hpp"

#include "fuzz/check.hpp"

#include <algorithm>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    const auto drives = sample::decode_query_block(text);
    if (!drives) {
        FUZZ_CHECK(drives.error().code == base::errc::data);
        return 0;
    }
    FUZZ_CHECK(drives->size() <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '{')));
    for (const sample::drive_info& drive : *drives) {
        FUZZ_CHECK(drive.media.inserted || (drive.media.file.empty() && drive.media.format.empty()));
        FUZZ_CHECK(drive.media.file.size() <= size);
    }
    return 0;
}
