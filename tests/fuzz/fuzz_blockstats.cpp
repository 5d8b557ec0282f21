// Any bytes as the reply to query-blockstats.
#include "sample/blockstats.hpp"

#include "base/text.hpp"
#include "sample/rate.hpp"

#include "fuzz/check.hpp"

#include <algorithm>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    // The memory of an earlier poll must make no difference.
    static std::vector<sample::drive_sample> reused;
    std::vector<sample::drive_sample> fresh;
    const bool first = sample::decode_blockstats(text, fresh).has_value();
    const bool second = sample::decode_blockstats(text, reused).has_value();
    FUZZ_CHECK(first == second);
    FUZZ_CHECK(first || fresh.empty());
    FUZZ_CHECK(fresh.size() == reused.size());
    FUZZ_CHECK(fresh.size() <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '{')));
    for (std::size_t index = 0; index < fresh.size(); ++index) {
        FUZZ_CHECK(fresh[index].identity == reused[index].identity);
        FUZZ_CHECK(fresh[index].counters == reused[index].counters);
        const auto& counters = fresh[index].counters;
        FUZZ_CHECK(!counters.idle || counters.idle->count() >= 0);
        FUZZ_CHECK(sample::continues(counters, counters));
        FUZZ_CHECK(sample::rate_between({}, counters, base::seconds(1)).has_value());
        FUZZ_CHECK(base::columns(base::printable(sample::drive_name(fresh[index].identity))) <= size);
    }
    return 0;
}
