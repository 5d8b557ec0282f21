#include "monitor/hmp_session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace qmpwatch;
using namespace qmpwatch::monitor;

namespace {

constexpr std::string_view banner = "QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ";

/// What QEMU's line editor echoes for a line: each character redraws the line.
std::string echo(std::string_view line) {
    std::string result;
    for (std::size_t i = 0; i < line.size(); ++i) {
        for (std::size_t back = 0; back < i; ++back) result += "\x1b[D";
        result += line.substr(0, i + 1);
        result += "\x1b[K";
    }
    return result + "\r\n";
}

hmp_session ready_hmp_session() {
    hmp_session session;
    REQUIRE(session.receive(banner).has_value());
    REQUIRE(session.current() == hmp_session::phase::ready);
    return session;
}

}  // namespace

TEST_CASE("the banner gives the version and ends at the prompt") {
    hmp_session session;
    for (std::size_t i = 0; i + 1 < banner.size(); ++i) {
        REQUIRE(session.receive(banner.substr(i, 1)).has_value());
        CHECK(session.current() == hmp_session::phase::awaiting_prompt);
        CHECK(session.execute("info name").has_error());
    }
    REQUIRE(session.receive(banner.substr(banner.size() - 1)).has_value());
    CHECK(session.current() == hmp_session::phase::ready);
    CHECK(session.version() == "7.2.22");
    CHECK(session.take_output().empty());
}

TEST_CASE("an answer is what stands between echo and prompt, wherever the bytes are cut") {
    const std::string reply = echo("info name") + "winarm-install\r\n(qemu) ";
    for (std::size_t cut = 1; cut < reply.size(); ++cut) {
        CAPTURE(cut);
        hmp_session session = ready_hmp_session();
        const ticket question = *session.execute("info name");
        CHECK(session.take_output() == "info name\n");
        CHECK(session.current() == hmp_session::phase::asking);
        CHECK(session.execute("info status").has_error());
        REQUIRE(session.receive(std::string_view(reply).substr(0, cut)).has_value());
        REQUIRE(session.receive(std::string_view(reply).substr(cut)).has_value());
        answer heard;
        REQUIRE(session.take_answer(heard));
        CHECK(heard.to == question);
        CHECK(*heard.text == "winarm-install\r\n");
        CHECK(session.current() == hmp_session::phase::ready);
    }
}

TEST_CASE("an empty answer") {
    hmp_session session = ready_hmp_session();
    REQUIRE(session.execute("info name").has_value());
    REQUIRE(session.receive(echo("info name") + "(qemu) ").has_value());
    answer heard;
    REQUIRE(session.take_answer(heard));
    CHECK(heard.text->empty());
}

TEST_CASE("the prompt's letters inside a line do not end an answer") {
    hmp_session session = ready_hmp_session();
    REQUIRE(session.execute("info name").has_value());
    REQUIRE(session.receive(echo("info name") + "a VM named (qemu) ").has_value());
    answer heard;
    CHECK_FALSE(session.take_answer(heard));
    REQUIRE(session.receive("indeed\r\n(qemu) ").has_value());
    REQUIRE(session.take_answer(heard));
    CHECK(*heard.text == "a VM named (qemu) indeed\r\n");
}

TEST_CASE("an unknown command is refused, and the session goes on") {
    hmp_session session = ready_hmp_session();
    REQUIRE(session.execute("info kvm").has_value());
    REQUIRE(session.receive(echo("info kvm") + "unknown command: 'info kvm'\r\n(qemu) ").has_value());
    answer heard;
    REQUIRE(session.take_answer(heard));
    CHECK(heard.text.error().code == base::errc::refused);
    CHECK(session.execute("info name").has_value());
}

TEST_CASE("an answer that was given up keeps the line busy until it has come") {
    hmp_session session = ready_hmp_session();
    const ticket question = *session.execute("info name");
    session.forget(question);
    CHECK(session.execute("info status").has_error());
    REQUIRE(session.receive(echo("info name") + "late\r\n(qemu) ").has_value());
    answer heard;
    CHECK_FALSE(session.take_answer(heard));
    CHECK(session.execute("info status").has_value());
}

TEST_CASE("somebody else's typing is noticed") {
    hmp_session session = ready_hmp_session();
    REQUIRE(session.execute("info name").has_value());
    CHECK(session.receive(echo("quit") + "(qemu) ").error().code == base::errc::protocol);
}

TEST_CASE("what is said while nothing was asked is not taken for an answer") {
    hmp_session session = ready_hmp_session();
    REQUIRE(session.receive("block job done\r\n(qemu) ").has_value());
    REQUIRE(session.execute("info name").has_value());
    REQUIRE(session.receive(echo("info name") + "winarm\r\n(qemu) ").has_value());
    answer heard;
    REQUIRE(session.take_answer(heard));
    CHECK(*heard.text == "winarm\r\n");
}

TEST_CASE("an endless answer is cut off") {
    hmp_session session = ready_hmp_session();
    REQUIRE(session.execute("info name").has_value());
    REQUIRE(session.receive(echo("info name")).has_value());
    const std::string block(1 << 20, 'x');
    base::errc code{};
    for (int i = 0; i < 20 && code == base::errc{}; ++i) {
        const auto received = session.receive(block);
        if (received.has_error()) code = received.error().code;
    }
    CHECK(code == base::errc::too_large);
}

TEST_CASE("commands that change the VM never leave") {
    hmp_session session = ready_hmp_session();
    CHECK(session.execute("quit").error().code == base::errc::usage);
    CHECK(session.execute("info name\nquit").error().code == base::errc::usage);
    CHECK(session.take_output().empty());
    CHECK(session.current() == hmp_session::phase::ready);
}

TEST_CASE("the line that an echo shows in the end") {
    CHECK(shown_by_echo("") == "");
    CHECK(shown_by_echo("i\x1b[K\x1b[Din\x1b[K\x1b[D\x1b[Dinf\x1b[K") == "inf");
    CHECK(shown_by_echo("abc\x1b[D\x1b[D\x1b[K") == "a");
    CHECK(shown_by_echo("ab\x1b[DX\x1b[C") == "aX");
    CHECK(shown_by_echo("\x1b[D\x1b[D") == "");
    CHECK(shown_by_echo("a\x1b[") == "a\x1b[");
}
