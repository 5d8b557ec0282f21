// Any bytes as the first words of whoever listens. Nothing may be written before a QMP greeting has come.
#include "monitor/session.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch::monitor;
    std::string_view bytes(reinterpret_cast<const char*>(data), size);
    session talk;
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, 5);
        bytes.remove_prefix(piece.size());
        if (talk.receive(piece).has_error()) return 0;
        const std::string written = talk.take_output();
        FUZZ_CHECK(written.empty() || talk.speaks() == protocol::qmp);
        FUZZ_CHECK(written.empty() || written.starts_with(R"({"execute":"qmp_capabilities")"));
    }
    announcement event;
    while (talk.take_event(event)) {
    }
    answer heard;
    FUZZ_CHECK(!talk.take_answer(heard));
    return 0;
}
