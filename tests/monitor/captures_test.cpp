// What real monitors said, byte for byte, through the framer, the decoder and the sessions. Counters and block lists in
// these files are the business of the sample room's tests.
#include "base/json.hpp"
#include "monitor/allow_list.hpp"
#include "monitor/detect.hpp"
#include "monitor/hmp_session.hpp"
#include "monitor/json_framer.hpp"
#include "monitor/message.hpp"
#include "monitor/qmp_session.hpp"
#include "support/files.hpp"
#include "support/json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace qmpwatch;
using namespace qmpwatch::monitor;

namespace {

std::string capture(std::string_view name) { return support::fixture("captures/" + std::string(name)); }

/// The bytes that all literals of the form b'...' and b"..." in a line stand for, one string each.
std::vector<std::string> byte_literals(std::string_view line) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const bool begins = line[i] == 'b' && (line[i + 1] == '\'' || line[i + 1] == '"') &&
                            (i == 0 || !isalnum(static_cast<unsigned char>(line[i - 1])));
        if (!begins) continue;
        const char quote = line[i + 1];
        std::string bytes;
        for (i += 2; i < line.size() && line[i] != quote; ++i) {
            if (line[i] != '\\') {
                bytes += line[i];
                continue;
            }
            ++i;
            switch (line[i]) {
                case 'r': bytes += '\r'; break;
                case 'n': bytes += '\n'; break;
                case 't': bytes += '\t'; break;
                case 'x':
                    bytes += static_cast<char>(std::stoi(std::string(line.substr(i + 1, 2)), nullptr, 16));
                    i += 2;
                    break;
                default: bytes += line[i]; break;
            }
        }
        found.push_back(std::move(bytes));
    }
    return found;
}

struct tally {
    std::map<std::string, int> events;
    int greetings = 0, replies = 0, failures = 0, failures_without_id = 0, strangers = 0;

    void count(std::string_view bytes) {
        json_framer framer;
        framed_object object;
        framer.feed(bytes);
        for (;;) {
            const auto whole = framer.next(object);
            if (whole.has_error() || !*whole) return;
            const auto decoded = decode_message(object);
            REQUIRE(decoded.has_value());
            if (const auto* one = std::get_if<event>(&*decoded)) ++events[one->name];
            if (const auto* one = std::get_if<greeting>(&*decoded)) {
                ++greetings;
                CHECK(one->version == "7.2.22");
                CHECK(one->offers_oob);
            }
            if (std::holds_alternative<reply>(*decoded)) ++replies;
            if (const auto* one = std::get_if<failure>(&*decoded)) {
                ++failures;
                if (!one->id) ++failures_without_id;
                CHECK_FALSE(one->description.empty());
            }
            if (std::holds_alternative<stranger>(*decoded)) ++strangers;
        }
    }
};

/// All that was received according to a transcript: `0.0023 < {...}` lines, or bare messages on indented lines.
tally transcript(std::string_view name) {
    tally result;
    for (const std::string& line : support::fixture_lines("captures/" + std::string(name))) {
        const std::size_t heard = line.find("< {");
        const std::size_t bare = line.find("   {\"timestamp\"");
        if (heard != std::string::npos && heard < 16) {
            result.count(std::string_view(line).substr(heard + 2));
        } else if (bare == 0) {
            result.count(std::string_view(line).substr(3));
        }
    }
    return result;
}

tally literals(std::string_view name, std::string_view only_after = {}) {
    tally result;
    for (const std::string& line : support::fixture_lines("captures/" + std::string(name))) {
        if (!only_after.empty() && !line.starts_with(only_after)) continue;
        for (const std::string& bytes : byte_literals(line)) {
            if (bytes.starts_with('{')) result.count(bytes);
        }
    }
    return result;
}

}  // namespace

TEST_CASE("the handshakes of QEMU 7.2") {
    const tally heard = literals("qmp_handshake_raw.txt", "S:");
    CHECK(heard.greetings >= 9);
    CHECK(heard.failures_without_id >= 8);
    CHECK(heard.failures > heard.failures_without_id);
    CHECK(heard.replies > 0);
    CHECK(heard.strangers > 0);  // replies with ids that are no numbers, or with none
}

TEST_CASE("a monitor with pretty=on") {
    const tally heard = literals("pretty_wait_mux.txt");
    CHECK(heard.greetings == 5);  // pretty=on, -qmp-pretty, twice on wait=on, mux
    CHECK(heard.events.at("RESUME") == 1);
    CHECK(heard.events.at("SHUTDOWN") == 3);
    CHECK(heard.failures == 1);

    // The same bytes, as one stream cut anywhere, are a session.
    std::string stream;
    for (const std::string& line : support::fixture_lines("captures/pretty_wait_mux.txt")) {
        if (line.starts_with("qemu out")) break;
        for (const std::string& bytes : byte_literals(line)) stream += bytes;
    }
    qmp_session session;
    bool is_failed = false;
    for (std::size_t at = 0; at < stream.size() && !is_failed; at += 3) {
        is_failed = session.receive(std::string_view(stream).substr(at, 3)).has_error();
    }
    CHECK(is_failed);  // the capture's own client sends no ids, which a session of ours takes for the end
    CHECK(session.greeted().version == "7.2.22");
}

TEST_CASE("an event before the greeting, as QEMU 7.2 really sends it") {
    int seen = 0;
    for (const std::string& line : support::fixture_lines("captures/event_before_greeting_race.txt")) {
        for (const std::string& bytes : byte_literals(line)) {
            CHECK(detect(bytes).decided == detection::verdict::qmp);
            qmp_session session;
            REQUIRE(session.receive(bytes).has_value());
            const bool is_greeted = bytes.find("\"QMP\"") != std::string::npos;
            CHECK((session.current() == qmp_session::phase::negotiating) == is_greeted);
            CHECK(session.take_output().empty() != is_greeted);
            announcement happened;
            REQUIRE(session.take_event(happened));
            CHECK(happened.event == "BLOCK_IO_ERROR");
            CHECK(base::parse_json(happened.data).at("device") == "install_media");
            ++seen;
        }
    }
    CHECK(seen >= 5);
}

TEST_CASE("second clients, clients that do not read, blocked main loops") {
    CHECK(literals("qmp_second_client.txt").greetings == 4);
    CHECK(literals("qmp_nonreading_client.txt").greetings == 1);
    const tally blocked = literals("mainloop_block_and_sigstop.txt");
    CHECK(blocked.failures == 2);  // migrate-pause, refused out of band while the main loop was blocked
}

TEST_CASE("transcripts with events") {
    const tally stop_and_cont = transcript("events_stop_cont_reset.txt");
    CHECK(stop_and_cont.events.at("STOP") >= 1);
    CHECK(stop_and_cont.events.at("RESUME") >= 1);
    CHECK(stop_and_cont.events.at("RESET") == 3);
    const tally hotplug = transcript("events_hotplug_media_snapshot_panic.txt");
    CHECK(hotplug.events.at("DEVICE_DELETED") == 2);
    CHECK(hotplug.events.at("DEVICE_TRAY_MOVED") == 2);
    CHECK(hotplug.events.at("GUEST_PANICKED") == 2);
    CHECK(hotplug.failures + hotplug.replies > 20);
    CHECK(transcript("events_block_io_error.txt").events.at("BLOCK_IO_ERROR") == 6);
}

TEST_CASE("transcripts with replies") {
    for (const char* name : {"aarch64_virt_session.txt", "qom_mapping_vm1.txt", "qom_mapping_vm2.txt",
                             "latency_histogram.txt", "inflight_throttled_aio.txt"}) {
        CAPTURE(name);
        const tally heard = transcript(name);
        CHECK(heard.greetings >= 1);
        CHECK(heard.replies > 10);
        CHECK(heard.failures_without_id == 0);
        // One of them was asked with a text as id, which we never do.
        CHECK(heard.strangers == (std::string_view(name) == "latency_histogram.txt" ? 1 : 0));
    }
}

TEST_CASE("answers of the human monitor, raw") {
    for (const auto& [name, command, first_words] : std::vector<std::tuple<const char*, const char*, const char*>>{
             {"hmp_info_block_raw.bin", "info block",
              "install_media (#block149): install_media.img (raw, read-only)\r\n"},
             {"hmp_info_blockstats_raw.bin", "info blockstats", "install_media: rd_bytes=0 "},
             {"hmp_info_blockstats_after_io_raw.bin", "info blockstats", "install_media: rd_bytes=6554112 "}}) {
        CAPTURE(name);
        hmp_session session;
        REQUIRE(session.receive("QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ").has_value());
        REQUIRE(session.execute(command).has_value());
        for (const char c : capture(name)) REQUIRE(session.receive(std::string_view(&c, 1)).has_value());
        answer heard;
        REQUIRE(session.take_answer(heard));
        CHECK(heard.text->starts_with(first_words));
        CHECK(heard.text->ends_with("\r\n"));
        CHECK(heard.text->find('\x1b') == std::string::npos);
    }
    // `info block -v` is not a question of ours, but its echo is the line editor's too.
    const std::string verbose = capture("hmp_info_block_v_raw.bin");
    CHECK(shown_by_echo(std::string_view(verbose).substr(0, verbose.find("\r\n"))) == "info block -v");
}

TEST_CASE("three answers of the human monitor in a row") {
    const std::string all = capture("hmp_pipelined_raw.bin");
    const std::string_view prompt = "(qemu) ";
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = all.find(prompt); at != std::string::npos; at = all.find(prompt, from)) {
        parts.push_back(all.substr(from, at + prompt.size() - from));
        from = at + prompt.size();
    }
    REQUIRE(parts.size() == 3);
    hmp_session session;
    REQUIRE(session.receive("QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ").has_value());
    for (const std::string& part : parts) {
        const std::string command = shown_by_echo(std::string_view(part).substr(0, part.find("\r\n")));
        CAPTURE(command);
        REQUIRE(session.execute(command).has_value());
        REQUIRE(session.receive(part).has_value());
        answer heard;
        REQUIRE(session.take_answer(heard));
        CHECK_FALSE(heard.text->empty());
    }
}

TEST_CASE("a whole evening at the human monitor") {
    hmp_session session;
    bool is_asked = false;
    int answers = 0;
    for (const std::string& line : support::fixture_lines("captures/hmp_raw_transcript.txt")) {
        const std::vector<std::string> bytes = byte_literals(line);
        if (bytes.empty()) continue;
        if (line.starts_with("connect")) {
            CHECK(detect(bytes.front()).decided == detection::verdict::hmp);
            REQUIRE(session.receive(bytes.front()).has_value());
        } else if (line.starts_with("C:")) {
            std::string command = bytes.front();
            is_asked = command.ends_with('\n') && command.find('\r') == std::string::npos;
            if (is_asked) command.pop_back();
            is_asked = is_asked && is_allowed_hmp(command) && session.execute(command).has_value();
        } else if (line.starts_with("S:") && is_asked) {
            REQUIRE(session.receive(bytes.front()).has_value());
            answer heard;
            REQUIRE(session.take_answer(heard));
            CHECK(heard.text.has_value());
            ++answers;
        }
    }
    CHECK(answers == 4);
    CHECK(session.version() == "7.2.22");
}

TEST_CASE("every command that may be sent exists in QEMU's own schema") {
    const auto schema = base::parse_json(capture("qmp_schema_7.2_x86_64.json"));
    std::set<std::string> commands;
    for (const auto& entry : schema) {
        if (entry.at("meta-type") == "command") commands.insert(entry.at("name").get<std::string>());
    }
    CHECK(commands.size() > 100);
    std::set<std::string> allowed;
    for (const std::string& command : commands) {
        if (is_allowed_qmp(command)) allowed.insert(command);
    }
    CHECK(allowed.size() == 16);  // all but query-accelerators, which came with 10.2
    for (const std::string& command : allowed) {
        CAPTURE(command);
        const bool only_looks = command.starts_with("query-") || command.starts_with("x-query-") ||
                                command.starts_with("qom-get") || command.starts_with("qom-list") ||
                                command == "qmp_capabilities";
        CHECK(only_looks);
    }
}

TEST_CASE("what the captures say about times and system calls, not about bytes") {
    // The facts that the client's deadlines and its own connect() are built on.
    const std::string backlog = capture("asio_async_connect_backlog_full.txt");
    CHECK(backlog.find("-1 EAGAIN (Resource temporarily unavailable)") != std::string::npos);
    CHECK(backlog.find("remote_endpoint ec=Transport endpoint is not connected") != std::string::npos);
    CHECK(capture("cost_per_call.txt").find("query-blockstats") != std::string::npos);
    CHECK(capture("machine_accel_probe.txt").find("kernel-irqchip -> {'id': 7, 'error'") != std::string::npos);
}
