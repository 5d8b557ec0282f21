// Any bytes as QEMU's log, cut anywhere: the first byte says how many devices there are and how large the pieces are.
#include "stall/trace_log.hpp"

#include "fuzz/check.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    if (size == 0) return 0;
    const std::size_t devices = data[0] % 3;
    const std::size_t piece = 1 + data[0] / 3;
    std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);

    const base::steady_time start{};
    stall::trace_log in_pieces(devices), at_once(devices);
    at_once.feed(text, start);
    for (std::size_t i = 0; i < text.size(); i += piece) in_pieces.feed(text.substr(i, piece), start);
    FUZZ_CHECK(in_pieces.lines() == at_once.lines());
    FUZZ_CHECK(in_pieces.completed() == at_once.completed());
    FUZZ_CHECK(in_pieces.lost().size() == at_once.lost().size());
    FUZZ_CHECK(at_once.lost().size() <= at_once.completed());
    FUZZ_CHECK(at_once.completed() <= at_once.lines());
    for (const stall::lost_completion& lost : at_once.lost()) FUZZ_CHECK(lost.completed_at <= lost.given_up_at);
    return 0;
}
