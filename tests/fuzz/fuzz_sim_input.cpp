// What a client may send to a simulated QMP monitor, and its answers.
#include "sim/answer.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace qmpwatch::sim;
    machine vm{scenario{}};
    qmp_input input;
    qmp_conversation agreed{true, true};
    std::string out;
    for (const qmp_request& request : input.feed({reinterpret_cast<const char*>(data), size})) {
        answer_qmp(vm, agreed, request, nanoseconds(0), out);
    }
    return 0;
}
