#include "app/child.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <optional>

using namespace qmpwatch;
using namespace std::chrono_literals;

namespace {

struct outcome {
    std::optional<int> code;
    std::vector<std::string> lines;
};

outcome run_child(const std::vector<std::string>& words, int signal = 0) {
    asio::io_context loop{1};
    outcome seen;
    app::child command(
        loop,
        [&](int code) {
            seen.code = code;
            loop.stop();
        },
        [&](std::string_view line) { seen.lines.emplace_back(line); });
    REQUIRE(command.start(words).has_value());
    CHECK(command.is_running());
    if (signal != 0) command.signal(signal);
    loop.run_for(10s);
    CHECK_FALSE(command.is_running());
    return seen;
}

}  // namespace

TEST_CASE("a command's exit code") {
    CHECK(run_child({"true"}).code == 0);
    CHECK(run_child({"sh", "-c", "exit 3"}).code == 3);
    CHECK(run_child({"sleep", "60"}, SIGTERM).code == 128 + SIGTERM);
}

TEST_CASE("its words come line by line") {
    const outcome seen = run_child({"sh", "-c", "echo one; echo two >&2; printf three; sleep 0.1"});
    REQUIRE(seen.lines.size() == 3);
    CHECK(seen.lines[0] == "one");
    CHECK(seen.lines[1] == "two");
    CHECK(seen.lines[2] == "three");
}

TEST_CASE("it meets SIGPIPE as usual and none of our descriptors") {
    const outcome seen = run_child({"sh", "-c", "kill -PIPE $$; echo survived"});
    CHECK(seen.code == 128 + SIGPIPE);
    CHECK(seen.lines.empty());
}

TEST_CASE("a command that is not there") {
    asio::io_context loop{1};
    app::child command(loop, [](int) {}, {});
    const auto started = command.start({"no-such-command-of-anybody"});
    REQUIRE(started.has_error());
    CHECK(started.error().code == base::errc::usage);
    CHECK(started.error().message.starts_with("cannot run 'no-such-command-of-anybody': "));
    CHECK_FALSE(command.is_running());
}
