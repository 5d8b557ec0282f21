#include "web/listen_address.hpp"

#include <doctest/doctest.h>

namespace qmpwatch::web {

namespace {

listen_address on(std::string host, std::uint16_t port) {
    return {.enabled = true, .host = std::move(host), .port = port};
}

}  // namespace

TEST_CASE("listen addresses that are understood") {
    CHECK(parse_listen_address("127.0.0.1:10977").value() == on("127.0.0.1", 10977));
    CHECK(parse_listen_address(":10977").value() == on("", 10977));
    CHECK(parse_listen_address("[::1]:10977").value() == on("::1", 10977));
    CHECK(parse_listen_address("[fe80::1%eth0]:1").value() == on("fe80::1%eth0", 1));
    CHECK(parse_listen_address("localhost:10977").value() == on("localhost", 10977));
    CHECK(parse_listen_address("my-host.example.org:0").value() == on("my-host.example.org", 0));
    CHECK(parse_listen_address("0.0.0.0:65535").value() == on("0.0.0.0", 65535));
    for (const char* text : {"off", "none"}) {
        const auto address = parse_listen_address(text);
        REQUIRE(address.has_value());
        CHECK_FALSE(address->enabled);
        CHECK(to_string(*address) == "off");
    }
}

TEST_CASE("what is understood is written the same way") {
    for (const char* text : {"127.0.0.1:10977", ":10977", "[::1]:10977", "localhost:0"}) {
        CHECK(to_string(parse_listen_address(text).value()) == text);
    }
}

TEST_CASE("what is not understood is refused with a sentence that says what to write") {
    for (const char* text : {"",
                             ":",
                             "localhost",
                             "127.0.0.1",
                             "127.0.0.1:",
                             "127.0.0.1:x",
                             "127.0.0.1:65536",
                             "a:-1",
                             "a:+1",
                             "a: 1",
                             "a:1 ",
                             "a:99999999999999999999",
                             "::1:10977",
                             "[::1]",
                             "[::1]10977",
                             "[::1:10977",
                             "::1]:10977",
                             "[]:1",
                             "[localhost]:1",
                             "a b:1",
                             "a/b:1",
                             "http://a:1",
                             "Off",
                             "\xff:1",
                             "a\n:1",
                             "[::1 ]:1"}) {
        CAPTURE(text);
        const auto address = parse_listen_address(text);
        REQUIRE_FALSE(address.has_value());
        CHECK(address.error().code == base::errc::usage);
        CHECK(address.error().message.find("127.0.0.1:10977") != std::string::npos);
        CHECK(address.error().message.find('\n') == std::string::npos);
    }
    CHECK(parse_listen_address("::1:10977").error().message.find("brackets") != std::string::npos);
    CHECK(parse_listen_address("localhost").error().message.find("port is missing") != std::string::npos);
    CHECK_FALSE(parse_listen_address(std::string(10000, 'a') + ":1").has_value());
    CHECK(parse_listen_address(std::string(10000, 'a') + ":1").error().message.size() < 500);
}

}  // namespace qmpwatch::web
