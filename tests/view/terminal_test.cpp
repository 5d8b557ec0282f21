#include "view/terminal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

using namespace qmpwatch;

namespace {

/// As much of a terminal as the sequences need: text, CR, LF, cursor up, erasing, wrapping, the cursor's visibility.
class screen {
public:
    screen(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows, std::string(columns, ' ')) {}

    void feed(std::string_view bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const char each = bytes[i];
            if (each == '\x1b') {
                const std::size_t end = bytes.find_first_not_of("[?0123456789;", i + 1);
                REQUIRE(end != std::string_view::npos);
                control(bytes.substr(i + 2, end - i - 2), bytes[end]);
                i = end;
            } else if (each == '\r') {
                column_ = 0;
            } else if (each == '\n') {
                line_feed();
            } else {
                put(each);
            }
        }
    }

    std::string line(std::size_t row) const {
        const std::string& text = rows_.at(row);
        return text.substr(0, text.find_last_not_of(' ') + 1);
    }
    const std::vector<std::string>& scrolled() const { return scrolled_; }
    bool cursor_visible = true;
    bool wraps = true;
    std::size_t cursor_row() const { return row_; }
    std::size_t cursor_column() const { return column_; }

private:
    void control(std::string_view parameter, char what) {
        if (what == 'A') {
            const auto up = static_cast<std::size_t>(std::atoi(std::string(parameter).c_str()));
            row_ -= std::min(row_, up);
        } else if (what == 'K') {
            REQUIRE(parameter == "2");
            rows_[row_].assign(columns_, ' ');
        } else if (what == 'J') {
            rows_[row_].replace(column_, std::string::npos, columns_ - std::min(column_, columns_), ' ');
            for (std::size_t i = row_ + 1; i < rows_.size(); ++i) rows_[i].assign(columns_, ' ');
        } else if (what == 'h' || what == 'l') {
            if (parameter == "?25") cursor_visible = what == 'h';
            if (parameter == "?7") wraps = what == 'h';
        } else {
            REQUIRE(what == 'm');
        }
    }

    void line_feed() {
        if (row_ + 1 < rows_.size()) {
            ++row_;
            return;
        }
        scrolled_.push_back(rows_.front());
        rows_.erase(rows_.begin());
        rows_.emplace_back(columns_, ' ');
    }

    void put(char each) {
        if (column_ == columns_) {
            if (wraps) {
                column_ = 0;
                line_feed();
            } else {
                --column_;
            }
        }
        rows_[row_][column_++] = each;
    }

    std::size_t columns_, row_ = 0, column_ = 0;
    std::vector<std::string> rows_, scrolled_;
};

/// A pseudo terminal; what is written to it can be read back.
class pseudo_terminal {
public:
    pseudo_terminal(unsigned short columns, unsigned short rows) : controller_(posix_openpt(O_RDWR | O_NOCTTY)) {
        REQUIRE(controller_ >= 0);
        REQUIRE(grantpt(controller_) == 0);
        REQUIRE(unlockpt(controller_) == 0);
        const char* path = ptsname(controller_);
        REQUIRE(path != nullptr);
        device_ = open(path, O_RDWR | O_NOCTTY);
        REQUIRE(device_ >= 0);
        fcntl(controller_, F_SETFL, O_NONBLOCK);
        resize(columns, rows);
    }
    ~pseudo_terminal() {
        hang_up();
        close(device_);
    }
    pseudo_terminal(const pseudo_terminal&) = delete;
    pseudo_terminal& operator=(const pseudo_terminal&) = delete;

    int device() const { return device_; }

    void resize(unsigned short columns, unsigned short rows) {
        winsize size{};
        size.ws_col = columns;
        size.ws_row = rows;
        REQUIRE(ioctl(device_, TIOCSWINSZ, &size) == 0);
    }

    void hang_up() {
        if (controller_ >= 0) close(controller_);
        controller_ = -1;
    }

    std::string read_all() {
        std::string text;
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = read(controller_, buffer.data(), buffer.size())) > 0;) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
        }
        return text;
    }

private:
    int controller_, device_ = -1;
};

}  // namespace

TEST_CASE("what a terminal can do follows from TERM and NO_COLOR") {
    CHECK(view::supports_table("xterm-256color", true));
    CHECK_FALSE(view::supports_table("dumb", true));
    CHECK_FALSE(view::supports_table("", true));
    CHECK_FALSE(view::supports_table(std::nullopt, true));
    CHECK_FALSE(view::supports_table("xterm", false));

    CHECK(view::supports_colour(std::nullopt, "xterm", true));
    CHECK(view::supports_colour("", "xterm", true));
    CHECK_FALSE(view::supports_colour("1", "xterm", true));
    CHECK_FALSE(view::supports_colour("0", "xterm", true));
    CHECK_FALSE(view::supports_colour(std::nullopt, "dumb", true));
    CHECK_FALSE(view::supports_colour(std::nullopt, "xterm", false));
}

TEST_CASE("a table is drawn in place, shrinks and grows, and stays at the end") {
    pseudo_terminal pty(20, 10);
    screen shown(20, 10);
    shown.feed("$ qmpwatch\r\n");
    {
        view::terminal terminal(pty.device());
        CHECK(terminal.size().columns == 20);
        CHECK(terminal.size().rows == 10);
        REQUIRE(terminal.draw({"one", "two", "three"}).has_value());
        shown.feed(pty.read_all());
        CHECK_FALSE(shown.cursor_visible);
        CHECK(shown.wraps);
        CHECK(shown.line(3) == "three");

        REQUIRE(terminal.draw({"eins"}).has_value());
        shown.feed(pty.read_all());
        CHECK(shown.line(1) == "eins");
        CHECK(shown.line(2).empty());
        CHECK(shown.line(3).empty());

        REQUIRE(terminal.draw({"un", "deux"}).has_value());
        shown.feed(pty.read_all());
    }
    shown.feed(pty.read_all());
    CHECK(shown.line(0) == "$ qmpwatch");
    CHECK(shown.line(1) == "un");
    CHECK(shown.line(2) == "deux");
    CHECK(shown.cursor_visible);
    CHECK(shown.cursor_row() == 3);
    CHECK(shown.cursor_column() == 0);
}

TEST_CASE("lines as wide as the terminal keep their last character, wider ones are cut") {
    pseudo_terminal pty(10, 5);
    screen shown(10, 5);
    view::terminal terminal(pty.device());
    for (int i = 0; i < 3; ++i) REQUIRE(terminal.draw({"0123456789", "abcdefghijKLM", "9876543210"}).has_value());
    shown.feed(pty.read_all());
    CHECK(shown.line(0) == "0123456789");
    CHECK(shown.line(1).substr(0, 9) == "abcdefghi");
    CHECK(shown.line(2) == "9876543210");
    CHECK(shown.line(3).empty());
}

TEST_CASE("a table as high as the terminal does not scroll") {
    pseudo_terminal pty(10, 3);
    screen shown(10, 3);
    view::terminal terminal(pty.device());
    for (int i = 0; i < 5; ++i) REQUIRE(terminal.draw({"a", "b", "c"}).has_value());
    shown.feed(pty.read_all());
    CHECK(shown.line(0) == "a");
    CHECK(shown.line(2) == "c");
    CHECK(shown.scrolled().empty());
}

TEST_CASE("notices scroll by above the table, whole") {
    pseudo_terminal pty(10, 4);
    screen shown(10, 4);
    view::terminal terminal(pty.device());
    REQUIRE(terminal.draw({"a", "b", "c"}).has_value());
    REQUIRE(terminal.print_above("first").has_value());
    REQUIRE(terminal.print_above("second is long").has_value());
    REQUIRE(terminal.print_above("x\ny").has_value());
    shown.feed(pty.read_all());
    CHECK(shown.line(0) == "y");
    CHECK(shown.line(1) == "a");
    CHECK(shown.line(3) == "c");
    REQUIRE(shown.scrolled().size() == 4);
    CHECK(shown.scrolled()[0].substr(0, 5) == "first");
    CHECK(shown.scrolled()[1] == "second is ");
    CHECK(shown.scrolled()[2].substr(0, 4) == "long");
    CHECK(shown.scrolled()[3].substr(0, 1) == "x");
}

TEST_CASE("the cursor goes up by the rows that broken lines take after the terminal became narrower") {
    pseudo_terminal pty(20, 10);
    view::terminal terminal(pty.device());
    REQUIRE(terminal.draw({std::string("\x1b[1m") + std::string(20, 'x') + "\x1b[0m", "yyyyy", "zzz"}).has_value());
    pty.read_all();
    pty.resize(8, 10);
    REQUIRE(terminal.draw({"x", "y", "z"}).has_value());
    CHECK(pty.read_all().find("\x1b[4A") != std::string::npos);  // 3 + 1 + 1 rows
    REQUIRE(terminal.draw({"x", "y", "z"}).has_value());
    CHECK(pty.read_all().find("\x1b[2A") != std::string::npos);
}

TEST_CASE("closing gives the screen back, once, and a new table begins below") {
    pseudo_terminal pty(20, 10);
    screen shown(20, 10);
    view::terminal terminal(pty.device());
    REQUIRE(terminal.close().has_value());
    CHECK(pty.read_all().empty());  // nothing was drawn, nothing to give back

    REQUIRE(terminal.draw({"old"}).has_value());
    REQUIRE(terminal.close().has_value());
    REQUIRE(terminal.close().has_value());
    REQUIRE(terminal.draw({"new"}).has_value());
    shown.feed(pty.read_all());
    CHECK(shown.line(0) == "old");
    CHECK(shown.line(1) == "new");
    CHECK_FALSE(shown.cursor_visible);
    shown.feed(view::terminal::restore_sequence);
    CHECK(shown.cursor_visible);
    CHECK(shown.wraps);
}

TEST_CASE("a terminal that takes nothing costs no time and loses no notice") {
    pseudo_terminal pty(80, 24);
    screen shown(80, 24);
    view::terminal terminal(pty.device());
    REQUIRE(tcflow(pty.device(), TCOOFF) == 0);  // Ctrl-S
    REQUIRE(terminal.print_above("notice").has_value());
    for (int i = 0; i < 5; ++i) REQUIRE(terminal.draw({"stale"}).has_value());
    CHECK(pty.read_all().empty());
    REQUIRE(tcflow(pty.device(), TCOON) == 0);
    REQUIRE(terminal.draw({"fresh"}).has_value());
    shown.feed(pty.read_all());
    CHECK(shown.line(0) == "notice");
    CHECK(shown.line(1) == "fresh");
}

TEST_CASE("a frame that is taken bit by bit arrives whole") {
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_NONBLOCK) == 0);
    const std::vector<std::string> big(2000, std::string(70, 'x'));
    std::string all;
    {
        view::terminal terminal(ends[1]);
        for (int i = 0; i < 12; ++i) {
            REQUIRE(terminal.draw(big).has_value());
            std::array<char, 30'000> buffer{};
            const ssize_t got = read(ends[0], buffer.data(), buffer.size());
            REQUIRE(got > 0);
            all.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }
    const std::size_t second = all.find("\x1b[1999A");
    REQUIRE(second != std::string::npos);
    CHECK(std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(second), 'x') == 2000 * 70);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("a terminal that is gone is reported once") {
    SUBCASE("hung up") {
        pseudo_terminal pty(80, 24);
        view::terminal terminal(pty.device());
        REQUIRE(terminal.draw({"a"}).has_value());
        pty.hang_up();
        const auto failed = terminal.draw({"b"});
        REQUIRE(failed.has_error());
        CHECK(failed.error().code == base::errc::closed);
        CHECK(terminal.draw({"c"}).has_value());
        CHECK(terminal.print_above("d").has_value());
        CHECK(terminal.close().has_value());
    }
    SUBCASE("a pipe without a reader") {
        std::signal(SIGPIPE, SIG_IGN);
        std::array<int, 2> ends{};
        REQUIRE(pipe(ends.data()) == 0);
        close(ends[0]);
        view::terminal terminal(ends[1]);
        CHECK_FALSE(terminal.draw({"a"}).has_value());
        CHECK(terminal.draw({"a"}).has_value());
        close(ends[1]);
    }
}

TEST_CASE("the size of what is no terminal comes from COLUMNS, or is the usual one") {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    const view::terminal terminal(ends[1]);
    const auto with = [&](const char* columns) {
        setenv("COLUMNS", columns, 1);
        return terminal.size().columns;
    };
    CHECK(with("132") == 132);
    CHECK(with("") == 80);
    CHECK(with("0") == 80);
    CHECK(with("wide") == 80);
    CHECK(with("100x") == 80);
    unsetenv("COLUMNS");
    CHECK(terminal.size().columns == 80);
    CHECK(terminal.size().rows == 24);
    close(ends[0]);
    close(ends[1]);
}
