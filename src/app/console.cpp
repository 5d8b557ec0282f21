#include "app/console.hpp"

#include "base/text.hpp"
#include "report/notice_lines.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

namespace qmpwatch::app {

namespace {

std::optional<std::string_view> variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string_view>(value) : std::nullopt;
}

bool is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool may_colour() { return view::supports_colour(variable("NO_COLOR"), variable("TERM"), is_terminal()); }

}  // namespace

base::result<void> write_to_standard_output(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EPIPE) {
            return base::fail(base::errc::closed, "nobody reads standard output any more");
        } else if (errno != EINTR && errno != EAGAIN) {
            return base::fail(base::errc::io, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
        }
    }
    return {};
}

view::table_settings settings_for_standard_output() {
    view::table_settings settings;
    settings.columns = 120;
    settings.colour = may_colour();
    if (is_terminal()) settings.columns = view::terminal(STDOUT_FILENO).size().columns;
    return settings;
}

console::style console::style_for_standard_output(bool json_lines) {
    if (json_lines) return style::json_lines;
    return view::supports_table(variable("TERM"), is_terminal()) ? style::table : style::text_lines;
}

console::console(style how, std::string metrics_address) : style_(how) {
    settings_.metrics_address = std::move(metrics_address);
    settings_.colour = may_colour();
    if (style_ == style::table) terminal_.emplace(STDOUT_FILENO);
}

base::result<void> console::write_line(std::string_view line) {
    std::string text(line);
    text += '\n';
    return write_to_standard_output(text);
}

base::result<void> console::say(const pipeline::notice& notice) {
    if (style_ == style::json_lines) return write_line(report::json_line(notice));
    if (style_ == style::text_lines) return write_line(report::text_line(notice));
    if (std::holds_alternative<pipeline::rate_notice>(notice.what)) return {};
    constexpr std::size_t indent = 10;  // as wide as the time
    const std::size_t width = columns();
    std::string text;
    const std::string lines = report::text_line(notice, report::time_style::clock);
    for (std::string_view rest = lines; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::vector<std::string> parts = base::wrap(line, width, width > indent ? width - indent : width);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!text.empty()) text += '\n';
            if (i > 0) text.append(indent, ' ');
            text += parts[i];
        }
    }
    return terminal_ ? terminal_->print_above(text) : write_line(text);
}

base::result<void> console::print(std::string_view line) {
    if (style_ == style::json_lines) return {};
    return terminal_ ? terminal_->print_above(line) : write_line(line);
}

std::size_t console::columns() const {
    return terminal_ ? terminal_->size().columns : settings_for_standard_output().columns;
}

base::result<void> console::refresh(const pipeline::snapshot& state, base::instant now,
                                    std::vector<std::string> below) {
    if (!terminal_) return {};
    const view::terminal_size size = terminal_->size();
    settings_.columns = size.columns;
    settings_.rows = size.rows > below.size() + 1 ? size.rows - below.size() : 1;
    std::vector<std::string> lines = view::table(state, settings_, now);
    for (std::string& line : below) lines.push_back(std::move(line));
    return terminal_->draw(std::move(lines));
}

base::result<void> console::close() {
    if (!terminal_) return {};
    const base::result<void> closed = terminal_->close();
    terminal_.reset();
    return closed;
}

}  // namespace qmpwatch::app
