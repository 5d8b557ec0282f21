// Recordings that people hand to `simulate --play`.
#include "sim/load.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (auto series = qmpwatch::sim::read_recording(text)) {
        const auto shared = std::make_shared<const qmpwatch::sim::recording>(std::move(*series));
        qmpwatch::sim::recorded_load(shared, 0, 1.5, true).at(std::chrono::seconds(5));
    }
    return 0;
}
