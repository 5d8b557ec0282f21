// The log: what reaches standard error, in both shapes.
#include "base/log.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

using namespace qmpwatch::base;

namespace {

/// Everything written to standard error during `act`. Standard error is a file then, not a terminal.
template <class Action>
std::string captured(Action act) {
    const qmpwatch::support::temporary_folder folder;
    const std::string path = folder.path() / "stderr";
    const int saved = dup(STDERR_FILENO);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
    act();
    std::fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    std::ifstream content(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(content), {}};
}

/// The same without the time stamp that stands between `before` and `after`.
std::string without_time(std::string line, std::size_t at) {
    REQUIRE(line.size() > at + 24);
    CHECK(line[at + 4] == '-');
    CHECK(line[at + 10] == 'T');
    CHECK(line[at + 19] == '.');
    CHECK(line[at + 23] == 'Z');
    return line.erase(at, 24);
}

}  // namespace

TEST_CASE("text lines carry time, level and a harmless message") {
    const std::string text = captured([] {
        log::configure(log::level::info, log::format::text);
        log::debug("too low");
        log::warning("the drive 'a\x1b[2J' \xff\nforged line {} %v");
    });
    CHECK(without_time(text, 0) == " warning: the drive 'a?[2J' ??forged line {} %v\n");
}

TEST_CASE("each level has its name and its threshold") {
    const auto write_all = [] {
        log::debug("d");
        log::info("i");
        log::warning("w");
        log::error("e");
    };
    const auto names = [&](log::level least) {
        std::string all = captured([&] {
            log::configure(least, log::format::text);
            write_all();
        });
        std::string rest;
        while (!all.empty()) {
            const std::string line = all.substr(0, all.find('\n'));
            all.erase(0, line.size() + 1);
            rest += without_time(line, 0) + ";";
        }
        return rest;
    };
    CHECK(names(log::level::debug) == " debug: d; info: i; warning: w; error: e;");
    CHECK(names(log::level::info) == " info: i; warning: w; error: e;");
    CHECK(names(log::level::error) == " error: e;");
}

TEST_CASE("JSON lines are one object each, whatever the message holds") {
    const std::string line = captured([] {
        log::configure(log::level::debug, log::format::json);
        log::error("say \"no\" to C:\\new\nline\x01 and \xff, Grüße {} %v");
    });
    CHECK(
        without_time(line, 23) ==
        R"({"event":"log","time":"","level":"error","message":"say \"no\" to C:\\new\u000aline\u0001 and ?, Grüße {} %v"})"
        "\n");
}

TEST_CASE("JSON lines obey the level") {
    const std::string line = captured([] {
        log::configure(log::level::error, log::format::json);
        log::warning("too low");
        log::configure(log::level::info, log::format::text);
    });
    CHECK(line.empty());
}
