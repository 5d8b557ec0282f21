// What the simulated monitor answers: one QMP request or one HMP line at a time, without I/O.
#pragma once

#include "sim/machine.hpp"
#include "sim/qmp_input.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::sim {

/// What a QMP connection has agreed on.
struct qmp_conversation {
    bool negotiated = false;
    bool out_of_band = false;
};

/// True when the request must be answered at once, even while the main loop is blocked.
bool is_out_of_band(const qmp_request& request, const qmp_conversation& where);

/// Appends the reply to `out`, ending with \r\n; the misbehaviours of the VM that change the reply's JSON are applied.
void answer_qmp(machine& vm, qmp_conversation& where, const qmp_request& request, nanoseconds now, std::string& out);

/// Appends what the command prints, without echo and prompt; nothing for an empty line.
void answer_hmp(machine& vm, std::string_view line, nanoseconds now, std::string& out);

}  // namespace qmpwatch::sim
