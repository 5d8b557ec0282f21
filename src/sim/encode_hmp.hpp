// The human monitor as QEMU writes it, byte for byte: banner, line editor, prompt, and what the info commands print.
#pragma once

#include "sim/scenario.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace qmpwatch::sim {

inline constexpr std::string_view hmp_prompt = "(qemu) ";

/// Banner and first prompt.
void encode_banner(std::string& out, const version& which);

/// QEMU's line editor: it redraws the line after each byte. The cursor is always at the line's end here, and control
/// keys other than backspace and Enter are ignored (7.2 ignores Ctrl-U as well).
class line_editor {
public:
    /// The longest line; more bytes are dropped, as in QEMU.
    static constexpr std::size_t longest_line = 4095;

    /// Takes one byte from the client and appends what is echoed. True on Enter: `line()` is then the command, and the
    /// caller answers and prints the prompt before the next byte.
    bool take(char byte, std::string& echo);

    /// The line that Enter ended.
    const std::string& line() const { return entered_; }

private:
    void redraw(std::string& echo) const;

    std::string text_;
    std::string entered_;
    std::size_t drawn_ = 0;  // where the cursor is
    enum class escape { none, started, in_sequence } escape_ = escape::none;
};

/// One drive of `info blockstats`: a line, or since QEMU 11 a small table; tables are separated by an empty line.
void encode_hmp_blockstats(std::string& out, const drive_spec& drive, const counters& counted,
                           const version& which = {});

/// One entry of `info block`; entries are separated by an empty line.
void encode_hmp_block(std::string& out, const drive_spec& drive);

/// The whole of `info qtree`, shortened to what tells where drives are attached.
void encode_hmp_qtree(std::string& out, const scenario& vm);

/// The line of `info status` for one of QEMU's run states.
void encode_hmp_status(std::string& out, std::string_view status);

}  // namespace qmpwatch::sim
