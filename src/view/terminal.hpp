// The terminal: draws a table in place, lets lines scroll by above it, and leaves a clean screen.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::view {

/// True when a table can be drawn in place: a terminal that knows how to move its cursor. `term` is the variable TERM.
bool supports_table(std::optional<std::string_view> term, bool is_terminal);

/// True when colours may be used: as above, and NO_COLOR is unset or empty (https://no-color.org).
bool supports_colour(std::optional<std::string_view> no_color, std::optional<std::string_view> term, bool is_terminal);

struct terminal_size {
    std::size_t columns = 80;
    std::size_t rows = 24;
};

/// Nothing here waits for a terminal that does not take text (Ctrl-S, a stuck connection): drawings are skipped until
/// what was begun has been taken, notices are kept for later.
class terminal {
public:
    /// Writes what makes a terminal usable again, wherever drawing was interrupted. For a handler of a fatal signal:
    /// write(2) is all it needs.
    static constexpr std::string_view restore_sequence = "\x1b[0m\x1b[?7h\x1b[?25h\r\n";

    /// Draws on `output`, which stays the caller's and must outlive this. SIGPIPE must be ignored.
    explicit terminal(int output);
    ~terminal();
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;

    /// The size now: what the terminal says, else the variable COLUMNS and 24 rows, else 80 by 24.
    terminal_size size() const;

    /// Draws the lines over those of the last time. They have no line ends, and each fits in the width that size()
    /// gave; what does not fit is cut by the terminal. Fails with `closed` once, when the terminal is gone; nothing is
    /// written after that.
    base::result<void> draw(std::vector<std::string> lines);

    /// Writes a line that scrolls by above the table; it may be longer than the terminal is wide, or several lines.
    /// Fails like draw().
    base::result<void> print_above(std::string_view text);

    /// Shows the cursor and goes to a new line; what was drawn last stays. Drawing again begins a new table below.
    base::result<void> close();

private:
    base::result<void> refresh();
    base::result<void> send(int patience_ms);
    std::size_t rows_to_top(std::size_t columns) const;

    int output_;
    int own_ = -1;  ///< the same terminal, opened a second time so that it can be non-blocking
    std::string unsent_;  ///< the rest of a frame that the terminal has not taken yet
    std::string above_;  ///< notices that are not in a frame yet
    std::vector<std::string> lines_;
    std::vector<std::size_t> drawn_;  ///< widths of the lines on the screen, top down
    std::size_t drawn_columns_ = 0;  ///< width of the terminal then
    bool active_ = false;  ///< the cursor is hidden
    bool dead_ = false;
};

}  // namespace qmpwatch::view
