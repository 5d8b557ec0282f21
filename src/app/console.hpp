// Standard output: a table in place on a terminal, one line a notice elsewhere.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "pipeline/notice.hpp"
#include "pipeline/snapshot.hpp"
#include "view/table.hpp"
#include "view/terminal.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::app {

class console {
public:
    enum class style { table, text_lines, json_lines };

    /// What fits standard output: a table when it is a terminal that can draw one.
    static style style_for_standard_output(bool json_lines);

    console(style how, std::string metrics_address);

    /// Rates are in the table already; everything else scrolls by above it. Fails when nobody reads any more.
    base::result<void> say(const pipeline::notice& notice);

    /// Writes a line that is no notice, above the table or as it is. Not with JSON Lines: there it is left out.
    base::result<void> print(std::string_view line);

    /// Draws the table again, with more lines below it. Does nothing in the other styles.
    base::result<void> refresh(const pipeline::snapshot& state, base::instant now, std::vector<std::string> below = {});

    bool has_table() const { return terminal_.has_value(); }
    /// The width to write for.
    std::size_t columns() const;

    /// Leaves the screen clean. What is said after it comes below the table.
    base::result<void> close();

private:
    base::result<void> write_line(std::string_view line);

    style style_;
    view::table_settings settings_;
    std::optional<view::terminal> terminal_;
};

/// Writes all of the text to standard output; `closed` when its reader is gone, `io` on other failures.
base::result<void> write_to_standard_output(std::string_view text);

/// The settings of a table that is printed once, on whatever standard output is.
view::table_settings settings_for_standard_output();

}  // namespace qmpwatch::app
