#include "app/console.hpp"

#include "base/clock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

using namespace qmpwatch;
using app::console;

namespace {

/// Standard output goes into a pipe while this lives.
struct captured_output {
    int saved = dup(STDOUT_FILENO);
    int ends[2] = {-1, -1};

    captured_output() {
        REQUIRE(pipe(ends) == 0);
        dup2(ends[1], STDOUT_FILENO);
    }
    ~captured_output() {
        restore();
        if (ends[0] >= 0) close(ends[0]);
    }
    void restore() {
        if (saved < 0) return;
        dup2(saved, STDOUT_FILENO);
        close(saved);
        close(ends[1]);
        saved = -1;
    }
    std::string text() {
        restore();
        std::string result;
        char buffer[4096];
        for (ssize_t count = read(ends[0], buffer, sizeof buffer); count > 0;
             count = read(ends[0], buffer, sizeof buffer)) {
            result.append(buffer, static_cast<std::size_t>(count));
        }
        return result;
    }
};

pipeline::notice paused() {
    pipeline::notice said;
    said.vm = "winarm";
    said.what = pipeline::vm_notice{"running", "paused"};
    return said;
}

}  // namespace

TEST_CASE("a pipe gets lines, never a table") {
    captured_output output;
    CHECK(console::style_for_standard_output(false) == console::style::text_lines);
    CHECK(console::style_for_standard_output(true) == console::style::json_lines);
    console lines(console::style::text_lines, "");
    CHECK(lines.say(paused()).has_value());
    CHECK(lines.refresh({}, base::now()).has_value());
    CHECK(lines.close().has_value());
    const std::string text = output.text();
    CHECK(text.find("winarm state running -> paused\n") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("JSON lines are one object a line") {
    captured_output output;
    console lines(console::style::json_lines, "");
    CHECK(lines.say(paused()).has_value());
    CHECK(lines.say(paused()).has_value());
    const std::string text = output.text();
    CHECK(text.starts_with("{\"event\":\"vm\""));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("a reader that is gone is reported, not fatal") {
    std::signal(SIGPIPE, SIG_IGN);
    captured_output output;
    close(output.ends[0]);
    output.ends[0] = -1;
    console lines(console::style::text_lines, "");
    const auto written = lines.say(paused());
    output.restore();
    REQUIRE(written.has_error());
    CHECK(written.error().code == base::errc::closed);
}

TEST_CASE("a device that is full is an error of its own") {
    const int full = open("/dev/full", O_WRONLY);
    if (full < 0) return;  // only Linux has one
    const int saved = dup(STDOUT_FILENO);
    dup2(full, STDOUT_FILENO);
    const auto written = app::write_to_standard_output("x");
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(full);
    REQUIRE(written.has_error());
    CHECK(written.error().code == base::errc::io);
}
