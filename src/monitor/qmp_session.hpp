// A QMP conversation from greeting to close, as a state machine without I/O: bytes in, bytes out.
#pragma once

#include "base/error.hpp"
#include "monitor/answer.hpp"
#include "monitor/json_framer.hpp"
#include "monitor/message.hpp"
#include "monitor/proving.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::monitor {

class qmp_session {
public:
    enum class phase {
        awaiting_greeting,  ///< nothing is written
        negotiating,        ///< qmp_capabilities is on its way
        ready,
    };

    /// Takes what the monitor said. Events are taken in every phase, even before the greeting. An error is final:
    /// `protocol` (not JSON, or QEMU could not read us), `too_large`, `not_a_monitor` (an object that is neither
    /// greeting nor event where the greeting was due).
    base::result<void> receive(std::string_view bytes);

    /// What has to be written now; empty when nothing has to.
    std::string take_output();

    /// Asks a command of the allow-list; `arguments` is the JSON text of an object, or empty. An out-of-band command is
    /// answered even while QEMU's main loop is blocked. Only when ready, else `usage`.
    base::result<ticket> execute(std::string_view command, std::string_view arguments = {}, bool out_of_band = false);

    /// Sends a command that changes the VM, which only `doctor --prove` does. Only when ready, else `usage`.
    base::result<ticket> execute_proving(const proving_command& command);

    /// The next answer to a question that is still open; answers to forgotten ones are dropped.
    bool take_answer(answer& next);
    bool take_event(announcement& next);

    /// The answer to this question is not waited for any more; when it comes, it is dropped.
    void forget(ticket question);

    phase current() const { return phase_; }
    const greeting& greeted() const { return greeting_; }
    bool can_out_of_band() const { return greeting_.offers_oob; }

private:
    base::result<void> handle(const message& heard);
    ticket send(std::string_view command, std::string_view arguments, bool out_of_band);

    json_framer framer_;
    phase phase_ = phase::awaiting_greeting;
    greeting greeting_;
    std::string output_;
    ticket next_ticket_ = 1;  ///< 0 is the negotiation
    std::vector<ticket> open_;
    std::deque<answer> answers_;
    std::deque<announcement> events_;
};

}  // namespace qmpwatch::monitor
