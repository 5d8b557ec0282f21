// The simulator's bytes against the bytes of real monitors.
#include "base/json.hpp"
#include "sim/answer.hpp"
#include "sim/encode_hmp.hpp"
#include "sim/encode_qmp.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace qmpwatch;
using namespace qmpwatch::sim;
using qmpwatch::support::fixture;

namespace {

constexpr std::string_view greeting =
    R"({"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian 1:7.2+dfsg-7+deb12u18+b3"}, "capabilities": ["oob"]}})"
    "\r\n";

/// Sends all of it to a fresh QMP monitor.
std::string talk(const scenario& what, std::string_view bytes) {
    machine vm(what);
    qmp_input input;
    qmp_conversation agreed;
    std::string out;
    for (const qmp_request& request : input.feed(bytes)) answer_qmp(vm, agreed, request, nanoseconds(0), out);
    return out;
}

std::string negotiated(const scenario& what, std::string_view bytes) {
    const std::string hello = R"({"execute":"qmp_capabilities","arguments":{"enable":["oob"]}})";
    const std::string out = talk(what, hello + std::string(bytes));
    const std::size_t first = out.find("}\r\n");
    REQUIRE(first != std::string::npos);
    return out.substr(first + 3);
}

scenario paused() {
    scenario what;
    what.status = "prelaunch";
    return what;
}

/// Types all of it into a fresh HMP monitor; without the banner.
std::string type(const scenario& what, std::string_view bytes) {
    machine vm(what);
    line_editor editor;
    std::string out;
    for (const char byte : bytes) {
        if (!editor.take(byte, out)) continue;
        answer_hmp(vm, editor.line(), nanoseconds(0), out);
        out += hmp_prompt;
    }
    return out;
}

}  // namespace

TEST_CASE("qmp greeting and handshake") {
    std::string out;
    encode_greeting(out, version{}, false);
    CHECK(out == greeting);
    CHECK(talk(paused(), R"({"execute":"qmp_capabilities"})") == "{\"return\": {}}\r\n");
    CHECK(negotiated(paused(), R"({"execute":"query-status","id":1})") ==
          "{\"return\": {\"status\": \"prelaunch\", \"singlestep\": false, \"running\": false}, \"id\": 1}\r\n");
}

TEST_CASE("qmp errors have QEMU's text and order of members") {
    const auto one = [](std::string_view text) { return negotiated(paused(), text); };
    const auto error = [](std::string_view id, std::string_view kind, std::string_view text) {
        std::string all = "{";
        if (!id.empty()) all += "\"id\": " + std::string(id) + ", ";
        return all + "\"error\": {\"class\": \"" + std::string(kind) + "\", \"desc\": \"" + std::string(text) +
               "\"}}\r\n";
    };
    CHECK(talk(paused(), R"({"execute":"query-status","id":7})") ==
          error("7", "CommandNotFound", "Expecting capabilities negotiation with 'qmp_capabilities'"));
    CHECK(one(R"({"execute":"qmp_capabilities"})") ==
          error("", "CommandNotFound", "Capabilities negotiation is already complete, command ignored"));
    CHECK(one(R"({"execute":"nope","id":1})") == error("1", "CommandNotFound", "The command nope has not been found"));
    CHECK(one(R"({"execute":"query-status","arguments":{"x":1},"id":2})") ==
          error("2", "GenericError", "Parameter 'x' is unexpected"));
    CHECK(one(R"({"execute":"query-blockstats","arguments":{"query-nodes":"yes"},"id":3})") ==
          error("3", "GenericError", "Invalid parameter type for 'query-nodes', expected: boolean"));
    CHECK(one(R"({"execute":"query-status","foo":1,"id":4})") ==
          error("4", "GenericError", "QMP input member 'foo' is unexpected"));
    CHECK(one(R"({"arguments":{},"id":5})") == error("5", "GenericError", "QMP input lacks member 'execute'"));
    CHECK(one(R"({"execute":5,"id":6})") == error("6", "GenericError", "QMP input member 'execute' must be a string"));
    CHECK(one("[1,2]") == error("", "GenericError", "QMP input must be a JSON object"));
    CHECK(one("42\n") == error("", "GenericError", "QMP input must be a JSON object"));
    CHECK(one("\"str\"") == error("", "GenericError", "QMP input must be a JSON object"));
    CHECK(one("garbage text\n") == error("", "GenericError", "JSON parse error, invalid keyword 'garbage'") +
                                       error("", "GenericError", "JSON parse error, invalid keyword 'text'"));
    CHECK(one("{\"execute\":\"query-sta\xff") ==
          error("", "GenericError", "JSON parse error, stray '\\\"query-sta\\uFFFD'"));
    CHECK(one(R"({"exec-oob":"query-status","id":1})") ==
          error("1", "GenericError", "The command query-status does not support OOB"));
    CHECK(talk(paused(), R"({"execute":"qmp_capabilities","arguments":{"enable":["foo"]}})") ==
          error("", "GenericError", "Parameter 'null' does not accept value 'foo'"));
    CHECK(one(std::string(1024, '[') + std::string(1024, ']')) ==
          error("", "GenericError", "QMP input must be a JSON object"));
    CHECK(one(std::string(1025, '[')) == error("", "GenericError", "JSON nesting depth limit exceeded"));
}

TEST_CASE("qmp input is cut by value, not by line") {
    const std::string three = negotiated(paused(), R"({"execute":"query-status","id":1}{"execute":"query-name","id":2})"
                                                   R"({"execute":"query-uuid","id":3})");
    CHECK(three == "{\"return\": {\"status\": \"prelaunch\", \"singlestep\": false, \"running\": false}, \"id\": 1}\r\n"
                   "{\"return\": {\"name\": \"winarm-install\"}, \"id\": 2}\r\n"
                   "{\"return\": {\"UUID\": \"11111111-2222-3333-4444-555555555555\"}, \"id\": 3}\r\n");
    CHECK(talk(paused(), "{'execute':'qmp_capabilities'}\n") == "{\"return\": {}}\r\n");
    CHECK(talk(paused(), "{\"execute\":\"query-status\"\n").empty());
}

TEST_CASE("ids come back in QEMU's form") {
    const auto echo = [](std::string_view id) {
        std::string out;
        encode_return(out, id, false, [](json_writer& json) { json.null(); });
        return out;
    };
    std::string out;
    encode_return(out, "\"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\\u0000\\u001f/\"", false,
                  [](json_writer& json) { json.null(); });
    CHECK(out == "{\"return\": null, \"id\": \"\\u00E9\\u6F22\\uD83D\\uDE00\\u0000\\u001F/\"}\r\n");
    CHECK(echo(R"({"a":[1,null,"x"]})").find(R"({"a": [1, null, "x"]})") != std::string::npos);
    CHECK(echo("1.5").find("1.5}") != std::string::npos);
    CHECK(echo("-3").find("-3}") != std::string::npos);
    CHECK(echo("null").find("null}") != std::string::npos);
}

TEST_CASE("pretty form") {
    scenario what = paused();
    what.fault.pretty = true;
    const std::string all = fixture("captures/pretty_wait_mux.txt");
    const auto captured = [&all](std::string text) {  // the capture is printed as Python prints bytes
        std::string printed = "b'";
        for (const char byte : text) printed += byte == '\r' ? "\\r" : byte == '\n' ? "\\n" : std::string(1, byte);
        return all.find(printed + "'\n") != std::string::npos;
    };
    std::string hello;
    encode_greeting(hello, version{}, true);
    CHECK(captured(hello));
    CHECK(captured(talk(what, R"({"execute":"qmp_capabilities"})")));
    machine vm(what);
    qmp_conversation agreed{true, false};
    std::string out;
    answer_qmp(vm, agreed, qmp_request{"query-status", {}, "1", false, {}}, nanoseconds(0), out);
    CHECK(captured(out));
    out.clear();
    answer_qmp(vm, agreed, qmp_request{"nope", {}, {}, false, {}}, nanoseconds(0), out);
    CHECK(captured(out));
    out.clear();
    encode_event(out, "RESUME", {}, std::chrono::system_clock::time_point(std::chrono::microseconds(1796069153258174)),
                 true);
    encode_return(out, {}, true, [](json_writer& json) { json.begin_object(), json.end_object(); });
    CHECK(captured(out));
}

TEST_CASE("blockstats entries are QEMU's, byte for byte") {
    using json = nlohmann::ordered_json;
    scenario what;
    drive_spec& drive = add_drive(what, guest_device::usb_storage, "install_media");
    SUBCASE("7.2") {
        drive.qdev = "/machine/peripheral-anon/device[1]/scsi.0/legacy[0]";
        drive.node_name = "#block114";
        counters counted;
        counted.reads = 201, counted.read_bytes = 6554112, counted.read_ns = 10120825, counted.idle_ns = 4812584440;
        std::string out;
        json_writer writer(out, false);
        encode_blockstats(writer, drive, counted, what.version);
        const std::string captured = fixture("captures/blockstats_burst_after_io.json");
        const json all = base::parse_ordered_json(captured);
        std::string expected;
        json_writer(expected, false).value(base::json_text(all[0]));
        CHECK(out == expected);
    }
    SUBCASE("an empty CD has no node and no parent, and no idle time") {
        drive.inserted = false;
        std::string out;
        json_writer writer(out, false);
        encode_blockstats(writer, drive, counters{}, what.version);
        const json parsed = base::parse_ordered_json(out);
        CHECK_FALSE(parsed.contains("parent"));
        CHECK_FALSE(parsed.contains("node-name"));
        CHECK(parsed["stats"].size() == 26);
    }
    SUBCASE("zoned from 8.1 on") {
        what.version = {11, 1, 3, "Debian 1:11.1.3"};
        std::string out;
        json_writer writer(out, false);
        encode_blockstats(writer, drive, counters{}, what.version);
        CHECK(base::parse_ordered_json(out)["stats"].size() == 32);
    }
}

TEST_CASE("hmp echo and output") {
    scenario what = paused();
    what.accelerator = "tcg";
    CHECK(type(what, "info status\ninfo version\ninfo name\n") == fixture("captures/hmp_pipelined_raw.bin"));

    for (const char* name : {"install_media", "system", "virtio_iso", "seed", "emptycd"}) {
        add_drive(what, guest_device::virtio_blk, name);
    }
    const std::string captured = fixture("captures/hmp_info_blockstats_raw.bin");
    const std::string ours = type(what, "info blockstats\n");
    const std::size_t end_of_echo = captured.rfind("\x1b[K") + 5;
    CHECK(ours.substr(0, end_of_echo) == captured.substr(0, end_of_echo));
    CHECK(ours.size() > end_of_echo);
    CHECK(type(what, "nope x\n").find("\r\nunknown command: 'nope'\r\n(qemu) ") != std::string::npos);
    CHECK(type(what, "info nope\n").find("\r\nunknown command: 'info nope'\r\n(qemu) ") != std::string::npos);
    CHECK(type(what, "\r\n") == "\r\n(qemu) \r\n(qemu) ");
    CHECK(type(what, "a\x7f") == "a\x1b[K\x1b[D\x1b[K");

    counters counted;
    counted.reads = 201, counted.read_bytes = 6554112, counted.read_ns = 10120825, counted.idle_ns = 5209085568;
    std::string line;
    encode_hmp_blockstats(line, what.drives[0], counted);
    CHECK(fixture("captures/hmp_info_blockstats_after_io_raw.bin").find("\x1b[K\r\n" + line) != std::string::npos);

    const std::string block = fixture("captures/hmp_info_block_raw.bin");
    drive_spec medium = add_drive(what, guest_device::usb_storage, "install_media");
    medium.qdev = "/machine/peripheral-anon/device[0]/scsi.0/legacy[0]";
    medium.node_name = "#block149";
    std::string entry;
    encode_hmp_block(entry, medium);
    CHECK(block.find("\r\n" + entry + "\r\n") != std::string::npos);
    drive_spec empty = add_drive(what, guest_device::ide_cd, "emptycd");
    empty.qdev = "/machine/peripheral-anon/device[2]";
    empty.inserted = false;
    entry.clear();
    encode_hmp_block(entry, empty);
    CHECK(block.find("\r\n\r\n" + entry + "(qemu) ") != std::string::npos);
}

TEST_CASE("how large the VM is") {
    scenario what = paused();
    const std::string cpus = "\x1b[K\r\n* CPU #0: thread_id=4242\r\n  CPU #1: thread_id=4243\r\n(qemu) ";
    const std::string memory = "\x1b[K\r\nbase memory: 2147483648\r\nplugged memory: 0\r\n(qemu) ";
    CHECK(type(what, "info cpus\n").ends_with(cpus));
    CHECK(type(what, "info memory_size_summary\n").ends_with(memory));
    CHECK(negotiated(what, R"({"execute":"query-memory-size-summary"})")
              .find(R"({"return": {"base-memory": 2147483648, "plugged-memory": 0}})") != std::string::npos);
    const std::string list = negotiated(what, R"({"execute":"query-cpus-fast"})");
    CHECK(list.find(R"("qom-path": "/machine/unattached/device[0]", "cpu-index": 0, "target": "x86_64"})") !=
          std::string::npos);
    CHECK(list.find(R"("cpu-index": 1)") != std::string::npos);
    CHECK(list.find(R"("cpu-index": 2)") == std::string::npos);

    what.cpus = 0;
    what.memory_bytes = 0;
    for (const char* topic : {"cpus", "memory_size_summary"}) {
        CHECK(type(what, fmt::format("info {}\n", topic))
                  .ends_with(fmt::format("\r\nunknown command: 'info {}'\r\n(qemu) ", topic)));
    }
    for (const char* command : {"query-cpus-fast", "query-memory-size-summary"}) {
        CHECK(negotiated(what, fmt::format(R"({{"execute":"{}"}})", command)).find("CommandNotFound") !=
              std::string::npos);
    }
}

TEST_CASE("qom answers lead from a drive to its controller") {
    scenario what;
    add_drive(what, guest_device::usb_storage, "install_media");
    add_drive(what, guest_device::scsi_cd, "cd").qdev = "cd0";
    const auto get = [&](std::string path, std::string property) {
        return negotiated(what, "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"" + path + "\",\"property\":\"" +
                                    property + "\"}}");
    };
    CHECK(get("/machine/peripheral-anon/device[0]/scsi.0/legacy[0]", "type") == "{\"return\": \"scsi-hd\"}\r\n");
    CHECK(get("/machine/peripheral-anon/device[0]/scsi.0", "type") == "{\"return\": \"SCSI\"}\r\n");
    CHECK(get("/machine/peripheral-anon/device[0]", "type") == "{\"return\": \"usb-storage\"}\r\n");
    CHECK(get("/machine/peripheral-anon/device[0]", "parent_bus") ==
          "{\"return\": \"/machine/peripheral/xhci/xhci.0\"}\r\n");
    CHECK(get("/machine/peripheral/xhci", "type") == "{\"return\": \"qemu-xhci\"}\r\n");
    CHECK(get("cd0", "type") == "{\"return\": \"scsi-cd\"}\r\n");
    CHECK(get("/machine", "type") == "{\"return\": \"pc-q35-7.2-machine\"}\r\n");
    CHECK(get("/machine/nope", "type").find("DeviceNotFound") != std::string::npos);
    CHECK(get("/machine", "accel").find("Property 'pc-q35-7.2-machine.accel' not found") != std::string::npos);
}

TEST_CASE("a drive of another kind, and how it is cached") {
    scenario what;
    drive_spec drive;
    drive.device = "disk";
    drive.qdev = "disk0";
    drive.node_name = "node";
    drive.kind = guest_device::other;
    drive.type = "scsi-hd";
    drive.controller = "lsi53c895a";
    drive.cache_direct = drive.cache_no_flush = true;
    drive.cache_writeback = false;
    what.drives.push_back(drive);
    drive.qdev = "disk1";
    drive.controller.clear();
    what.drives.push_back(drive);
    const auto get = [&](const std::string& path, const std::string& property) {
        return negotiated(what, "{\"execute\":\"qom-get\",\"arguments\":{\"path\":\"" + path + "\",\"property\":\"" +
                                    property + "\"}}");
    };
    CHECK(get("disk0", "type") == "{\"return\": \"scsi-hd\"}\r\n");
    CHECK(get("disk0", "parent_bus") == "{\"return\": \"/machine/unattached/lsi53c895a/bus.0\"}\r\n");
    CHECK(get("/machine/unattached/lsi53c895a", "type") == "{\"return\": \"lsi53c895a\"}\r\n");
    CHECK(get("disk1", "type") == "{\"return\": \"scsi-hd\"}\r\n");
    CHECK(get("disk1", "parent_bus").find("error") != std::string::npos);

    std::string text;
    encode_hmp_block(text, drive);
    CHECK(text.find("Cache mode:       writethrough, direct, ignore flushes\r\n") != std::string::npos);
    CHECK(text.find("Removable") == std::string::npos);
    drive.removable = true;
    encode_hmp_block(text, drive);
    CHECK(text.find("Removable") != std::string::npos);
    std::string tree;
    encode_hmp_qtree(tree, what);
    CHECK(tree.find("dev: lsi53c895a") < tree.find("dev: scsi-hd, id \"disk0\""));
    CHECK(negotiated(what, "{\"execute\":\"query-block\"}")
              .find("\"cache\": {\"no-flush\": true, \"direct\": true, \"writeback\": false}") != std::string::npos);
}

TEST_CASE("info blockstats as QEMU 11 prints it") {
    const std::string real = fixture("hmp/info_blockstats_11.1_raw.bin");
    const auto counted = [](std::uint64_t idle, counters rest) {
        if (idle > 0) rest.idle_ns = idle;
        return rest;
    };
    counters read, written, cd, disc;
    read.read_bytes = 1802752;
    read.reads = 56;
    read.read_ns = 70288849;
    written.write_bytes = 196608;
    written.writes = 3;
    written.write_ns = 245588;
    cd.read_bytes = 54;
    cd.reads = 3;
    cd.read_ns = 1696;
    disc.read_bytes = 2048;
    disc.reads = 1;
    disc.read_ns = 7723;
    version eleven;
    eleven.major = 11;
    const std::pair<const char*, counters> drives[] = {{"install_media", counted(5908916, read)},
                                                       {"system", counted(300420390, written)},
                                                       {"cdrom", counted(593484631, cd)},
                                                       {"", counted(0, {})},
                                                       {"", counted(583946532, disc)}};
    std::string text;
    for (const auto& [name, numbers] : drives) {
        drive_spec drive;
        drive.device = name;
        if (!text.empty()) text += "\r\n";
        encode_hmp_blockstats(text, drive, numbers, eleven);
    }
    text += "(qemu) ";
    CHECK(real.ends_with("\r\n" + text));

    scenario what;
    what.version = eleven;
    add_drive(what, guest_device::nvme, "a");
    add_drive(what, guest_device::nvme, "b");
    machine vm(what);
    std::string answer;
    answer_hmp(vm, "info blockstats", nanoseconds(0), answer);
    CHECK(answer.starts_with("a: idle_time_ns=0\r\n"));
    CHECK(answer.find("0\r\n\r\nb: idle_time_ns=0\r\n") != std::string::npos);
}
