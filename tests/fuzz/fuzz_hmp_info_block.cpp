// Any bytes as the answer to `info block`.
#include "sample/query_block.hpp"

#include "fuzz/check.hpp"

#include <algorithm>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    const sample::inventory drives = sample::decode_hmp_info_block(text);
    // Every drive takes a line, and an empty line in front of the next one.
    FUZZ_CHECK(drives.size() <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) / 2 + 1);
    for (const sample::drive_info& drive : drives) {
        FUZZ_CHECK(drive.media.inserted || (drive.media.file.empty() && drive.media.format.empty()));
        FUZZ_CHECK(drive.identity.device.find('\n') == std::string::npos);
        FUZZ_CHECK(drive.media.file.find('\n') == std::string::npos);
        FUZZ_CHECK(drive.attachment == sample::attachment{});
    }
    return 0;
}
