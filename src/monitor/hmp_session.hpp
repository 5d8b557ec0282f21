// A conversation with the human monitor, as a state machine without I/O. Its line editor echoes every character with
// escape codes; the answer is what stands between the echo and the next prompt.
#pragma once

#include "base/error.hpp"
#include "monitor/answer.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace qmpwatch::monitor {

class hmp_session {
public:
    static constexpr std::size_t max_bytes = std::size_t{16} << 20;  ///< of one answer

    enum class phase {
        awaiting_prompt,  ///< nothing is written
        ready,            ///< at the prompt
        asking,           ///< one command is on its way; HMP takes one at a time
    };

    /// Takes what the monitor said. `too_large` above the bounds, `protocol` when the echo is not what was sent.
    base::result<void> receive(std::string_view bytes);

    std::string take_output();

    /// Asks a line of the allow-list. Only when ready, else `usage`.
    base::result<ticket> execute(std::string_view line);

    bool take_answer(answer& next);

    /// The answer to this question is not waited for any more. The session stays `asking` until it has come all the
    /// same: a line editor cannot tell two answers apart.
    void forget(ticket question);

    phase current() const { return phase_; }

    /// From the banner: 7.2.22.
    const std::string& version() const { return version_; }

private:
    phase phase_ = phase::awaiting_prompt;
    std::string heard_;
    std::size_t echo_end_ = 0;  ///< where the answer begins, 0 while the echo is not over
    std::string asked_;
    std::string output_;
    std::string version_;
    ticket next_ticket_ = 1;
    std::optional<ticket> open_;
    std::deque<answer> answers_;
};

/// What the line editor's echo shows in the end: escape codes carried out. The text after the last redraw.
std::string shown_by_echo(std::string_view echo);

}  // namespace qmpwatch::monitor
