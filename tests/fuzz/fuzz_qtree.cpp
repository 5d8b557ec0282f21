// Any bytes as the answer to `info qtree`, and as what QEMU answers to the walk through QOM.
#include "sample/attachment.hpp"

#include "fuzz/check.hpp"

#include <algorithm>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch;
    std::string_view text(reinterpret_cast<const char*>(data), size);

    const auto drives = sample::decode_hmp_qtree(text);
    FUZZ_CHECK(drives.size() <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '"')) / 2);
    for (const sample::qtree_drive& drive : drives) {
        FUZZ_CHECK(!drive.drive.empty());
        FUZZ_CHECK(drive.drive.find('\n') == std::string::npos);
    }

    // The first line is the qdev, the others are the answers; an empty one is a refusal.
    const auto take_line = [&text] {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        return std::string(line);
    };
    sample::attachment_walk walk(take_line());
    int questions = 0;
    while (const sample::qom_question* question = walk.next()) {
        FUZZ_CHECK(++questions <= 12);
        FUZZ_CHECK(question->property == "type" || question->property == "parent_bus");
        std::string answer = take_line();
        walk.answer(answer.empty() ? std::nullopt : std::optional(std::move(answer)));
    }
    FUZZ_CHECK(walk.result().bus.empty() || !walk.result().device.empty());
    return 0;
}
