#include "app/command_line.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

using namespace qmpwatch;
using namespace qmpwatch::app;

namespace {

struct parsed {
    base::nanoseconds interval = base::seconds(15);
    std::string address = "default";
    std::vector<std::string> sockets, runs;
    std::optional<std::uint64_t> most;
    std::uint64_t least = 7;
    double rate = 1;
    std::optional<int> end;

    explicit parsed(const std::vector<std::string>& words) {
        command_line command{"qmpwatch test", "test"};
        command.duration("--interval", interval, base::milliseconds(100), "an interval");
        command.text("--web.listen-address", address, "HOST:PORT", "an address");
        command.texts("--socket", sockets, "PATH", "sockets");
        command.lists("--run", runs, "RUN", "runs");
        command.number("--most", most, "N", "a number");
        command.number("--least", least, "N", "a number");
        command.number("--rate", rate, "X", "a number");
        command.config_file();
        end = command.parse(words);
    }
};

}  // namespace

TEST_CASE("durations need a unit and a sensible size") {
    CHECK(parsed({"--interval", "2s"}).interval == base::seconds(2));
    CHECK(parsed({"--interval=1m30s"}).interval == base::seconds(90));
    CHECK_FALSE(parsed({"--interval", "2s"}).end.has_value());
    for (const char* wrong : {"2", "", "x", "-1s", "10ms", "0s"}) {
        CAPTURE(wrong);
        CHECK(parsed({"--interval", wrong}).end == exit_usage);
    }
}

TEST_CASE("unknown flags and stray words end with 2, help with 0") {
    CHECK(parsed({"--intervall", "2s"}).end == exit_usage);
    CHECK(parsed({"stray"}).end == exit_usage);
    CHECK(parsed({"--interval"}).end == exit_usage);
    CHECK(parsed({"--help"}).end == exit_done);
}

TEST_CASE("flags that repeat take every value, also a name with an equals sign") {
    CHECK(parsed({"--socket", "a=b.sock", "--socket", "c.sock"}).sockets ==
          std::vector<std::string>{"a=b.sock", "c.sock"});
}

TEST_CASE("a flag takes one value, the word behind it is a stray") {
    CHECK(parsed({"--socket", "a.sock", "b.sock"}).end == exit_usage);
}

TEST_CASE("a list takes all words up to the next flag, and may be repeated") {
    const parsed read({"--run", "a.run", "b.run", "--socket", "c.sock", "--run", "d.run"});
    CHECK_FALSE(read.end.has_value());
    CHECK(read.runs == std::vector<std::string>{"a.run", "b.run", "d.run"});
    CHECK(read.sockets == std::vector<std::string>{"c.sock"});
    CHECK(parsed({"--run"}).end == exit_usage);
    CHECK(parsed({"--run", "--socket", "c.sock"}).end == exit_usage);
}

TEST_CASE("a count that need not be given") {
    CHECK_FALSE(parsed({}).most.has_value());
    CHECK(parsed({"--most", "0"}).most == 0);
    for (const std::string wrong : {"-1", "1.5", "many", "", "010", "0x10", " 1", "99999999999999999999"}) {
        CAPTURE(wrong);
        CHECK(parsed({"--most", wrong}).end == exit_usage);
        CHECK(parsed({"--least", wrong}).end == exit_usage);
    }
    CHECK(parsed({"--least", "12"}).least == 12);
    CHECK(parsed({"--rate", ""}).end == exit_usage);
    CHECK(parsed({"--rate", "-1.5"}).rate == -1.5);
}

TEST_CASE("a configuration file has the same names as the flags, dots included") {
    const support::temporary_folder folder;
    const std::string file = (folder.path() / "qmpwatch.toml").string();
    std::ofstream(file) << "# watch two VMs\n"
                           "socket = [\"a.sock\", \"b.sock\"]\n"
                           "interval = \"5s\"\n"
                           "web.listen-address = \"127.0.0.1:1\"\n";
    const parsed read({"--config", file});
    CHECK_FALSE(read.end.has_value());
    CHECK(read.interval == base::seconds(5));
    CHECK(read.address == "127.0.0.1:1");
    CHECK(read.sockets == std::vector<std::string>{"a.sock", "b.sock"});

    SUBCASE("the command line comes first") {
        CHECK(parsed({"--config", file, "--interval", "7s"}).interval == base::seconds(7));
    }
    SUBCASE("sections are the same as dots") {
        std::ofstream(file) << "interval = \"5s\"\n[web]\nlisten-address = \"127.0.0.1:2\"\n";
        CHECK(parsed({"--config", file}).address == "127.0.0.1:2");
    }
    SUBCASE("a wrong value or an unknown name is an error") {
        std::ofstream(file) << "interval = \"5\"\n";
        CHECK(parsed({"--config", file}).end == exit_usage);
        std::ofstream(file) << "intervall = \"5s\"\n";
        CHECK(parsed({"--config", file}).end == exit_usage);
    }
    SUBCASE("a file that is not there") { CHECK(parsed({"--config", file + ".none"}).end == exit_usage); }
}
