// Any bytes as /proc/PID/stat.
#include "base/process.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    const auto usage = base::parse_proc_stat(text, {100, 4096, 1'796'000'000});
    if (!usage) {
        FUZZ_CHECK(usage.error().code == base::errc::data);
        return 0;
    }
    FUZZ_CHECK(text.find(')') != std::string_view::npos);
    FUZZ_CHECK(usage->cpu_seconds >= 0);
    FUZZ_CHECK(usage->start_time_seconds >= 1'796'000'000);
    FUZZ_CHECK(usage->state != ' ' && usage->state != '\n');
    return 0;
}
