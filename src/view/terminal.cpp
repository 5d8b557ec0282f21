// Escape sequences and write(2): the only place that knows of either.
#include "view/terminal.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace qmpwatch::view {

namespace {

constexpr std::size_t most_kept_bytes = 1 << 20;
constexpr int draw_patience_ms = 20;
constexpr int close_patience_ms = 200;

/// Opens the terminal once more, so that non-blocking writes do not change it for the shell, which shares `output`.
/// -1 when that is not possible.
int open_again(int output) {
    std::array<char, 256> path{};
    if (ttyname_r(output, path.data(), path.size()) != 0) return -1;
    return open(path.data(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/// Columns of a line with SGR sequences in it.
std::size_t visible_columns(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = std::min(text.find('m', i), text.size());
        } else {
            plain += text[i];
        }
    }
    return base::columns(plain);
}

}  // namespace

bool supports_table(std::optional<std::string_view> term, bool is_terminal) {
    return is_terminal && term && !term->empty() && *term != "dumb";
}

bool supports_colour(std::optional<std::string_view> no_color, std::optional<std::string_view> term, bool is_terminal) {
    return supports_table(term, is_terminal) && (!no_color || no_color->empty());
}

terminal::terminal(int output) : output_(output), own_(open_again(output)) {}

terminal::~terminal() {
    (void)close();
    if (own_ >= 0) ::close(own_);
}

terminal_size terminal::size() const {
    terminal_size size;
    if (winsize window{}; ioctl(output_, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
        size.columns = window.ws_col;
        size.rows = window.ws_row;
    } else if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
        const std::string_view text(columns);
        std::size_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure == std::errc{} && end == text.data() + text.size() && value > 0) size.columns = value;
    }
    return size;
}

base::result<void> terminal::draw(std::vector<std::string> lines) {
    lines_ = std::move(lines);
    return refresh();
}

base::result<void> terminal::print_above(std::string_view text) {
    if (above_.size() + text.size() <= most_kept_bytes) {
        for (const char each : text) {
            if (each == '\n') above_ += '\r';
            above_ += each;
        }
        above_ += "\r\n";
    }
    return refresh();
}

/// When a terminal gets narrower it breaks lines in two, and the top of the table moves away from the cursor.
std::size_t terminal::rows_to_top(std::size_t columns) const {
    std::size_t rows = 0;
    for (const std::size_t width : drawn_) {
        const bool breaks = columns < drawn_columns_ && columns > 0 && width > columns;
        rows += breaks ? (width + columns - 1) / columns : 1;
    }
    return rows == 0 ? 0 : rows - 1;
}

base::result<void> terminal::refresh() {
    if (auto rest = send(draw_patience_ms); !rest) return rest;
    if (dead_ || !unsent_.empty()) return {};

    const std::size_t columns = size().columns;
    std::string frame;
    if (!active_) frame += "\x1b[?25l";
    frame += '\r';
    if (const std::size_t up = rows_to_top(columns); up > 0) frame += fmt::format("\x1b[{}A", up);
    if (!above_.empty() || lines_.empty()) frame += "\x1b[J";
    frame += above_;
    above_.clear();

    // Without wrapping a line never takes two rows, even if the terminal has become narrower this instant. Lines are
    // erased before they are written: behind a line as wide as the terminal, erasing would take its last character.
    frame += "\x1b[?7l";
    drawn_.clear();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (i > 0) frame += "\r\n";
        frame += i + 1 < lines_.size() ? "\x1b[2K" : "\x1b[J";
        frame += lines_[i];
        drawn_.push_back(visible_columns(lines_[i]));
    }
    frame += "\x1b[?7h";
    drawn_columns_ = columns;
    active_ = true;
    unsent_ = std::move(frame);
    return send(draw_patience_ms);
}

base::result<void> terminal::send(int patience_ms) {
    using clock = std::chrono::steady_clock;
    const int target = own_ >= 0 ? own_ : output_;
    const auto deadline = clock::now() + std::chrono::milliseconds(patience_ms);
    while (!dead_ && !unsent_.empty()) {
        // Asked first, because a write to a terminal that cannot be opened again would wait.
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
        pollfd writable{target, POLLOUT, 0};
        const int ready = poll(&writable, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
        if (ready == 0) break;
        if (ready < 0 && errno == EINTR) continue;
        const ssize_t taken = write(target, unsent_.data(), unsent_.size());
        if (taken >= 0) {
            unsent_.erase(0, static_cast<std::size_t>(taken));
        } else if (errno == EAGAIN) {
            if (clock::now() >= deadline) break;
        } else if (errno != EINTR) {
            dead_ = true;
            return base::fail(base::errc::closed, "the terminal is gone: " + std::generic_category().message(errno));
        }
    }
    return {};
}

base::result<void> terminal::close() {
    if (!active_) return {};
    active_ = false;
    drawn_.clear();
    lines_.clear();
    unsent_ += std::string(above_.empty() ? "" : "\r\n") + above_;
    above_.clear();
    unsent_ += restore_sequence;
    auto sent = send(close_patience_ms);
    unsent_.clear();
    return sent;
}

}  // namespace qmpwatch::view
