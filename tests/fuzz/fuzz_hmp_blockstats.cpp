// Any bytes as the answer to `info blockstats`.
#include "sample/blockstats.hpp"

#include "fuzz/check.hpp"

#include <algorithm>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    std::vector<sample::drive_sample> drives;
    const bool fine = sample::decode_hmp_blockstats(text, drives).has_value();
    FUZZ_CHECK(fine || drives.empty());
    FUZZ_CHECK(drives.size() <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
    sample::inventory known;
    for (const sample::drive_sample& drive : drives) {
        FUZZ_CHECK(drive.identity.device.find('\n') == std::string::npos);
        FUZZ_CHECK(drive.identity.qdev.empty() && drive.identity.node_name.empty());
        FUZZ_CHECK(!drive.counters.idle || drive.counters.idle->count() > 0);
        known.push_back({{drive.identity.device, "q", "n"}, {}, {}});
    }
    FUZZ_CHECK(sample::identify_by_inventory(drives, known));
    for (const sample::drive_sample& drive : drives) FUZZ_CHECK(drive.identity.qdev == "q");
    known.emplace_back();
    FUZZ_CHECK(!sample::identify_by_inventory(drives, known));
    return 0;
}
