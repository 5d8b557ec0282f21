#include "monitor/detect.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch::monitor;
using verdict = detection::verdict;

TEST_CASE("the first byte that counts decides") {
    CHECK(detect(R"({"QMP": )").decided == verdict::qmp);
    CHECK(detect("{").decided == verdict::qmp);
    CHECK(detect(R"({"timestamp": {"seconds": 1)").decided == verdict::qmp);
    CHECK(detect("QEMU 7.2.22 monitor - type 'help'").decided == verdict::hmp);
    CHECK(detect("QEMU ").decided == verdict::hmp);
}

TEST_CASE("too little is not decided yet") {
    for (const std::string bytes : {"", "Q", "QEMU", "\r\n", "  ", "\xff", "\xff\xfb", "\xff\xfb\x01"}) {
        CAPTURE(bytes);
        CHECK(detect(bytes).decided == verdict::more);
    }
}

TEST_CASE("anything else is a stranger") {
    for (const std::string bytes :
         {"SSH-2.0-OpenSSH_9.2", "SeaBIOS (version 1.16.2)", "QUIT", "[1]", "\x1b[2J", "login: "}) {
        CAPTURE(bytes);
        CHECK(detect(bytes).decided == verdict::stranger);
    }
}

TEST_CASE("white space and telnet's negotiation are skipped") {
    const std::string telnet = "\xff\xfb\x01\xff\xfb\x03\xff\xfb\x01\xff\xfd\x01";
    const detection hmp = detect(telnet + "QEMU 7.2.22 monitor");
    CHECK(hmp.decided == verdict::hmp);
    CHECK(hmp.skip == telnet.size());
    const detection qmp = detect(telnet + "\r\n{");
    CHECK(qmp.decided == verdict::qmp);
    CHECK(qmp.skip == telnet.size() + 2);
}

TEST_CASE("the sentence about a stranger quotes it harmlessly and shortly") {
    const std::string sentence = describe_stranger("\x1b[2Jlogin: " + std::string(500, 'x'));
    CHECK(sentence.find('\x1b') == std::string::npos);
    CHECK(sentence.find("login:") != std::string::npos);
    CHECK(sentence.size() < 300);
    CHECK(sentence.find("-qmp") != std::string::npos);
}
