// A conversation with whatever monitor answers: listens first, finds out whether it is QMP or HMP, then speaks that.
// A state machine without I/O.
#pragma once

#include "base/error.hpp"
#include "monitor/answer.hpp"
#include "monitor/detect.hpp"
#include "monitor/hmp_session.hpp"
#include "monitor/qmp_session.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace qmpwatch::monitor {

class session {
public:
    enum class phase {
        listening,    ///< nothing heard yet, nothing written
        negotiating,  ///< heard who it is, not ready yet
        ready,        ///< a question can be asked
        asking,       ///< HMP only: a question is open and no other can be asked
    };

    /// Takes what was read. An error is final for this connection: `not_a_monitor`, `protocol` or `too_large`.
    base::result<void> receive(std::string_view bytes);

    /// What has to be written now. Empty until it is known who is there.
    std::string take_output();

    /// Asks QMP; `usage` when the other side is not a QMP monitor that is ready, or the command is not on the
    /// allow-list.
    base::result<ticket> execute_qmp(std::string_view command, std::string_view arguments = {},
                                     bool out_of_band = false);

    /// Sends a command that changes the VM, which only `doctor --prove` does; `usage` when the other side is not a QMP
    /// monitor that is ready.
    base::result<ticket> execute_proving(const proving_command& command);

    /// Asks HMP, the same way.
    base::result<ticket> execute_hmp(std::string_view line);

    bool take_answer(answer& next);
    bool take_event(announcement& next);
    void forget(ticket question);

    phase current() const;

    /// Who is there; none while listening.
    std::optional<protocol> speaks() const;

    /// QEMU's version as the greeting or the banner tells it; empty while listening.
    std::string version() const;
    std::string package() const;

    bool can_out_of_band() const;

private:
    std::string first_bytes_;
    std::variant<std::monostate, qmp_session, hmp_session> inner_;
};

}  // namespace qmpwatch::monitor
