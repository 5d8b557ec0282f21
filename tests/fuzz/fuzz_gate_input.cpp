// Any bytes as the index of a baseline folder and as a metric: what is read is written and read again as the same.
#include "gate/baseline.hpp"
#include "gate/metric.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto index = gate::read_baseline_index(text)) {
        const auto again = gate::read_baseline_index(gate::write_baseline_index(*index));
        FUZZ_CHECK(again.has_value() && *again == *index);
        FUZZ_CHECK(gate::current_baselines(*index, "f00f").size() <= gate::default_baselines);
    }
    if (const auto metric = gate::parse_metric(text)) FUZZ_CHECK(gate::name(*metric) == text);
    return 0;
}
