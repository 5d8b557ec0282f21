// Decoding of query-block and `info block`: the shapes that no capture has.
#include "sample/query_block.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace qmpwatch;
using namespace qmpwatch::sample;

namespace {

drive_info only_drive(std::string_view entry) {
    const auto drives = decode_query_block("[" + std::string(entry) + "]");
    REQUIRE_MESSAGE(drives.has_value(), std::string(entry));
    REQUIRE(drives->size() == 1);
    return drives->front();
}

drive_info only_text(std::string_view text) {
    const auto drives = decode_hmp_info_block(text);
    REQUIRE_MESSAGE(drives.size() == 1, std::string(text));
    return drives.front();
}

}  // namespace

TEST_CASE("an entry with a medium") {
    const auto drive = only_drive(R"({"device":"hd","qdev":"/machine/x","removable":false,
        "inserted":{"file":"disk.img","drv":"raw","ro":true,"node-name":"n"}})");
    CHECK(drive.identity == drive_identity{"hd", "/machine/x", "n"});
    CHECK(drive.media == drive_media{"disk.img", "raw", true, true, false});
    CHECK(drive.attachment == attachment{});
}

TEST_CASE("an entry without a medium") {
    const auto drive = only_drive(R"({"device":"cd","removable":true,"tray_open":true,"type":"unknown"})");
    CHECK(drive.identity == drive_identity{"cd", "", ""});
    CHECK(drive.media == drive_media{"", "", false, false, true});
}

TEST_CASE("fields of the wrong type count as missing") {
    CHECK(
        only_drive(
            R"({"device":5,"qdev":null,"removable":"yes","inserted":{"file":[],"drv":{},"ro":1,"node-name":true}})") ==
        drive_info{{}, {}, {"", "", true, false, false}});
    CHECK(only_drive(R"({"inserted":true})").media == drive_media{});
    CHECK(only_drive("{}") == drive_info{});
}

TEST_CASE("a readable name is preferred to json:") {
    const std::string pseudo = R"("file":"json:{\"driver\":\"qcow2\"}")";
    const auto file = [&](const std::string& more) {
        return only_drive(R"({"inserted":{)" + pseudo + more + "}}").media.file;
    };
    CHECK(file("") == R"(json:{"driver":"qcow2"})");
    CHECK(file(R"(,"image":{"filename":"a.img"})") == "a.img");
    CHECK(file(R"(,"image":{"filename":"json:{}","backing-image":{"filename":"base.qcow2"}})") == "base.qcow2");
    CHECK(
        file(
            R"(,"image":{"filename":"json:{}","backing-image":{"filename":"json:{}","backing-image":{"filename":"deep"}}})") ==
        "deep");
    CHECK(file(R"(,"image":{"filename":"json:{}"},"backing_file":"base.qcow2")") == "base.qcow2");
    CHECK(file(R"(,"image":[],"backing_file":7)") == R"(json:{"driver":"qcow2"})");
    CHECK(only_drive(R"({"inserted":{"file":"plain","image":{"filename":"other"}}})").media.file == "plain");
}

TEST_CASE("what is not an array of JSON is refused") {
    for (const char* text : {"", "{}", "5", "null", "[", "[{]", "[{}]]", "[\"\xff\"]", "json:"}) {
        const auto drives = decode_query_block(text);
        REQUIRE_MESSAGE(!drives.has_value(), text);
        CHECK(drives.error().code == base::errc::data);
    }
    CHECK(decode_query_block("[]")->empty());
    CHECK(decode_query_block("[1,[],\"x\",null]")->empty());
}

TEST_CASE("nesting is bounded, long chains of overlays are not") {
    std::string chain = R"({"filename":"base"})";
    for (int overlay = 0; overlay < 900; ++overlay) chain = R"({"filename":"json:{}","backing-image":)" + chain + "}";
    CHECK(only_drive(R"({"inserted":{"file":"json:{}","image":)" + chain + "}}").media.file == "base");
    CHECK_FALSE(decode_query_block(std::string(2000, '[') + std::string(2000, ']')).has_value());
    CHECK_FALSE(decode_query_block(std::string(1'000'000, '[')).has_value());
}

TEST_CASE("an HMP entry with a medium") {
    const auto drive = only_text("hd (#block149): disk.img (raw, read-only)\r\n"
                                 "    Attached to:      /machine/peripheral/x\r\n"
                                 "    Removable device: not locked, tray closed\r\n"
                                 "    Cache mode:       writeback\r\n");
    CHECK(drive.identity == drive_identity{"hd", "/machine/peripheral/x", "#block149"});
    CHECK(drive.media == drive_media{"disk.img", "raw", true, true, true, {}, cache_mode{false, false, true}});
}

TEST_CASE("HMP entries without a device name") {
    const auto drive = only_text("media: a.img (qcow2, encrypted)\n    Attached to:      uashd\n");
    CHECK(drive.identity == drive_identity{"", "uashd", "media"});
    CHECK(drive.media == drive_media{"a.img", "qcow2", true, false, false});
    CHECK(only_text("cd0: [not inserted]\n    Attached to:      /machine/y\n").identity ==
          drive_identity{"cd0", "/machine/y", ""});
    CHECK(only_text("/machine/y: [not inserted]\n    Attached to:      /machine/y\n").identity ==
          drive_identity{"", "/machine/y", ""});
    CHECK(only_text("sd0: [not inserted]\n    Removable device: not locked, tray open\n") ==
          drive_info{{"sd0", "", ""}, {}, {"", "", false, false, true}});
}

TEST_CASE("HMP file names that look like the rest of the line") {
    const auto file = [](const std::string& name) {
        return only_text("hd (#b): " + name + " (raw)\n    Attached to:      q\n").media.file;
    };
    for (const char* name : {"a (raw).img", "b: c", "json:{\"a\": \"b (c)\"}", "x (raw, read-only)",
                             "dir with blank/a.img", "[not inserted]", " leading", "Attached to:      z"}) {
        CHECK(file(name) == name);
    }
    CHECK_FALSE(only_text("hd (#b): x (raw, read-only) (raw)\n").media.read_only);
}

TEST_CASE("an HMP overlay without a readable name shows its backing file") {
    CHECK(only_text("hd (#b): json:{\"driver\": \"qcow2\"} (qcow2)\n    Backing file:     base (chain depth: 9).img "
                    "(chain depth: 1)\n")
              .media.file == "base (chain depth: 9).img");
    CHECK(only_text("hd (#b): top.qcow2 (qcow2)\n    Backing file:     base.img (chain depth: 1)\n").media.file ==
          "top.qcow2");
    CHECK(only_text("hd (#b): json:{} (qcow2)\n    Backing file:     json:{} (chain depth: 1)\n").media.file ==
          "json:{}");
}

TEST_CASE("an empty HMP drive has no file, whatever follows") {
    CHECK(only_text("cd: [not inserted]\n    Backing file:     a (chain depth: 1)\n").media == drive_media{});
}

TEST_CASE("HMP text that is no list of drives") {
    CHECK(decode_hmp_info_block("").empty());
    CHECK(decode_hmp_info_block("\r\n\r\n").empty());
    for (const char* text : {"unknown command: 'info block'\r\n", "    Attached to:      x\n", "hd\n", ": x (raw)\n",
                             "hd: x\n", "hd: x raw)\n", "virtual size: 256 MiB (268435456 bytes)\n",
                             "Images:\nimage: a (raw)\n", "hd (#b: x (raw)\n"}) {
        CHECK_MESSAGE(decode_hmp_info_block(text).empty(), text);
    }
    const auto drives = decode_hmp_info_block(
        "hd: a (raw)\nb: c (raw)\nrubbish\n    Attached to:      x\n    no colon\n\n\n\ncd: [not inserted]");
    REQUIRE(drives.size() == 2);
    CHECK(drives[0].identity == drive_identity{"", "x", "hd"});
    CHECK(drives[1].identity.device == "cd");
}
