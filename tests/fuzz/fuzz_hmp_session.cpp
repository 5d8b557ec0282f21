// Any bytes as what a human monitor says, before and after a question.
#include "monitor/hmp_session.hpp"

#include "fuzz/check.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch::monitor;
    std::string_view bytes(reinterpret_cast<const char*>(data), size);
    FUZZ_CHECK(shown_by_echo(bytes).size() <= bytes.size());

    hmp_session session;
    (void)session.receive("QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ");
    FUZZ_CHECK(session.current() == hmp_session::phase::ready);
    FUZZ_CHECK(session.execute("info name").has_value());
    FUZZ_CHECK(session.take_output() == "info name\n");
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, 7);
        bytes.remove_prefix(piece.size());
        if (session.receive(piece).has_error()) return 0;
    }
    answer heard;
    int answers = 0;
    while (session.take_answer(heard)) ++answers;
    FUZZ_CHECK(answers <= 1);
    FUZZ_CHECK((answers == 1) == (session.current() == hmp_session::phase::ready));
    return 0;
}
