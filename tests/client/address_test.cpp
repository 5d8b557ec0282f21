#include "client/address.hpp"
#include "support/files.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

using namespace qmpwatch;
using namespace qmpwatch::client;

namespace {

void make_socket(const std::filesystem::path& path) {
    const int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(handle >= 0);
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    std::strncpy(where.sun_path, path.c_str(), sizeof where.sun_path - 1);
    REQUIRE(bind(handle, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0);
    close(handle);
}

}  // namespace

TEST_CASE("paths") {
    const auto plain = parse_target("qemu-monitor.sock");
    REQUIRE(plain.has_value());
    CHECK(plain->where.type == address::kind::unix_socket);
    CHECK(plain->where.path == "qemu-monitor.sock");
    CHECK(plain->name.empty());
    CHECK_FALSE(plain->is_pattern);
    CHECK(parse_target("unix:/run/a.sock")->where.path == "/run/a.sock");
    CHECK(parse_target("winarm=/run/a.sock")->name == "winarm");
    CHECK(parse_target("winarm=/run/a.sock")->where.path == "/run/a.sock");
    // Copied from QEMU's command line.
    CHECK(parse_target("unix:/run/a.sock,server=on,wait=off")->where.path == "/run/a.sock");
    CHECK(parse_target("/run/a.sock,server,nowait")->where.path == "/run/a.sock");
    // An equals sign behind a slash belongs to the path.
    CHECK(parse_target("./a=b.sock")->where.path == "./a=b.sock");
    CHECK(parse_target("./a=b.sock")->name.empty());
    CHECK(parse_target("/run/vms/*.sock")->is_pattern);
    CHECK(parse_target("/run/vms/vm[12].sock")->is_pattern);
}

TEST_CASE("tcp") {
    const auto where = parse_target("build=tcp:127.0.0.1:4444");
    REQUIRE(where.has_value());
    CHECK(where->name == "build");
    CHECK(where->where.type == address::kind::tcp);
    CHECK(where->where.host == "127.0.0.1");
    CHECK(where->where.port == 4444);
    CHECK(where->where.text() == "tcp:127.0.0.1:4444");
    CHECK(parse_target("tcp:[::1]:4444")->where.host == "::1");
    CHECK(parse_target("tcp:[::1]:4444")->where.text() == "tcp:[::1]:4444");
    CHECK(parse_target("telnet:127.0.0.1:5555,server=on,wait=off")->where.port == 5555);
    for (const char* wrong : {"tcp:", "tcp:4444", "tcp::4444", "tcp:host:", "tcp:host:0", "tcp:host:65536",
                              "tcp:host:x", "tcp:host:44x", "tcp:[]:1"}) {
        CAPTURE(wrong);
        REQUIRE(parse_target(wrong).has_error());
        CHECK(parse_target(wrong).error().code == base::errc::usage);
    }
}

TEST_CASE("what cannot be a socket is refused with a sentence") {
    CHECK(parse_target("").error().message.find("--socket") != std::string::npos);
    CHECK(parse_target("name=").has_error());
    CHECK(parse_target("unix:").has_error());
    CHECK(parse_target("name=unix:,server=on").has_error());
    const std::string longest(107, 'x');
    CHECK(parse_target(longest).has_value());
    CHECK(parse_target(longest + "x").error().message.find("108") != std::string::npos);
}

TEST_CASE("names from addresses") {
    const auto name = [](const char* text) { return name_from_address(parse_target(text)->where); };
    CHECK(name("/run/qemu/winarm.sock") == "winarm");
    CHECK(name("winarm.socket") == "winarm");
    CHECK(name("monitor") == "monitor");
    CHECK(name(".sock") == ".sock");
    CHECK(name("tcp:host:4444") == "host:4444");
}

TEST_CASE("patterns match sockets and nothing else") {
    const support::temporary_folder folder;
    make_socket(folder.path() / "b.sock");
    make_socket(folder.path() / "a.sock");
    std::ofstream(folder.path() / "file.sock") << "no socket";
    const auto found = matching_sockets(folder.path().string() + "/*.sock");
    REQUIRE(found.size() == 2);
    CHECK(found[0] == (folder.path() / "a.sock").string());
    CHECK(found[1] == (folder.path() / "b.sock").string());
    CHECK(matching_sockets(folder.path().string() + "/none*").empty());
}
