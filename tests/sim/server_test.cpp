// The simulated monitor seen from a raw client on the same event loop.
#include "sim/server.hpp"

#include "support/files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

using namespace qmpwatch;
using namespace qmpwatch::sim;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view hello = "{\"execute\":\"qmp_capabilities\",\"arguments\":{\"enable\":[\"oob\"]}}";

/// A loop, a folder, one simulated VM, and clients that read with a deadline.
struct fixture_loop {
    explicit fixture_loop(scenario what = {}) : path((folder.path() / "vm.sock").string()) {
        if (what.drives.empty()) add_drive(what, guest_device::usb_storage, "install_media");
        vm.emplace(loop.get_executor(), std::move(what));
        REQUIRE(vm->listen(path).has_value());
    }

    void run(std::chrono::milliseconds span) {
        loop.restart();
        loop.run_for(span);
    }

    support::temporary_folder folder;
    asio::io_context loop{1};
    std::string path;
    std::optional<simulated_monitor> vm;
};

struct client {
    explicit client(fixture_loop& where) : where_(where), socket_(where.loop) {
        socket_.connect(asio::local::stream_protocol::endpoint(where.path));
        socket_.non_blocking(true);
    }
    void send(std::string_view text) { asio::write(socket_, asio::buffer(text.data(), text.size())); }

    /// Reads until `wanted` is in what came, or the span is over.
    const std::string& until(std::string_view wanted, std::chrono::milliseconds span = 3s) {
        const auto end = std::chrono::steady_clock::now() + span;
        std::size_t searched = 0;
        while (std::chrono::steady_clock::now() < end && !closed) {
            where_.run(2ms);
            char buffer[65536];
            error_code failure;
            const std::size_t size = socket_.read_some(asio::buffer(buffer), failure);
            got.append(buffer, size);
            if (size > 0) ++reads;
            if (failure && failure != asio::error::would_block) closed = true;
            if (!wanted.empty() && got.find(wanted, searched) != std::string::npos) break;
            searched = got.size() - std::min(got.size(), wanted.size());
        }
        return got;
    }
    const std::string& quiet(std::chrono::milliseconds span = 60ms) { return until({}, span); }
    std::string ask(std::string_view text, std::string_view wanted = "\r\n", std::chrono::milliseconds span = 3s) {
        got.clear();
        send(text);
        return until(wanted, span);
    }

    fixture_loop& where_;
    asio::local::stream_protocol::socket socket_;
    std::string got;
    int reads = 0;
    bool closed = false;
};

client greeted(fixture_loop& where) {
    client one(where);
    one.until("\"oob\"]}}\r\n");
    one.ask(hello, "{\"return\": {}}\r\n");
    return one;
}

template <class Change>
scenario with(Change change) {
    scenario what;
    change(what);
    return what;
}

}  // namespace

TEST_CASE("a good monitor") {
    fixture_loop where;
    client one = greeted(where);
    CHECK(one.ask("{\"execute\":\"query-status\",\"id\":4}").find("\"running\": true}, \"id\": 4}\r\n") !=
          std::string::npos);
    CHECK(one.ask("{\"execute\":\"query-blockstats\"}").find("\"device\": \"install_media\"") != std::string::npos);
    CHECK(where.vm->commands() == std::vector<std::string>{"qmp_capabilities", "query-status", "query-blockstats"});
    where.vm->set_status("paused");
    CHECK(one.until("STOP").find("\"event\": \"STOP\"}\r\n") != std::string::npos);
    CHECK(where.vm->fail_operation("install_media", false));
    CHECK(one.ask("{\"execute\":\"query-blockstats\"}", "\"failed_rd_operations\": 1").find("BLOCK_IO_ERROR") !=
          std::string::npos);
    where.vm->shut_down("guest-shutdown", true);
    one.until("never", 100ms);
    CHECK(one.got.find("\"event\": \"SHUTDOWN\", \"data\": {\"guest\": true, \"reason\": \"guest-shutdown\"}}\r\n") !=
          std::string::npos);
    CHECK(one.closed);
    CHECK_FALSE(std::filesystem::exists(where.path));
}

TEST_CASE("half-closed clients get their replies") {
    fixture_loop where;
    client one(where);
    one.send(std::string(hello) + "{\"execute\":\"query-name\",\"id\":9}");
    one.socket_.shutdown(asio::socket_base::shutdown_send);
    CHECK(one.until("\"id\": 9}\r\n").find("\"id\": 9}") != std::string::npos);
    one.quiet();
    CHECK(one.closed);
}

TEST_CASE("the second client hears nothing until the first has left") {
    fixture_loop where;
    std::optional<client> first(greeted(where));
    client second(where);
    second.send(std::string(hello) + "{\"execute\":\"query-name\",\"id\":\"B\"}");
    CHECK(second.quiet().empty());
    CHECK(where.vm->connections() == 1);
    first.reset();
    CHECK(second.until("\"id\": \"B\"}").find("{\"QMP\"") == 0);
    CHECK(where.vm->connections() == 2);
}

TEST_CASE("socket files") {
    fixture_loop where;
    simulated_monitor other(where.loop.get_executor(), scenario{});
    CHECK_FALSE(other.listen(where.path).has_value());
    const std::string file = (where.folder.path() / "file").string();
    std::ofstream(file) << "x";
    CHECK_FALSE(other.listen(file).has_value());
    CHECK(std::filesystem::file_size(file) == 1);
    CHECK_FALSE(other.listen(std::string(200, 'x')).has_value());
    CHECK_FALSE(other.listen("").has_value());
    where.vm->kill();
    CHECK(std::filesystem::exists(where.path));
    CHECK(other.listen(where.path).has_value());  // a stale socket is replaced
    other.stop();
    CHECK_FALSE(std::filesystem::exists(where.path));
    const auto port = other.listen_tcp("127.0.0.1", 0);
    REQUIRE(port.has_value());
    CHECK(*port != 0);
    CHECK_FALSE(other.listen_tcp("no.such.host", 0).has_value());
}

TEST_CASE("silence, and other servers") {
    SUBCASE("silence") {
        fixture_loop where(with([](scenario& what) { what.fault.silence = true; }));
        client one(where);
        one.send("hello?");
        CHECK(one.quiet().empty());
        CHECK(where.vm->received() == "hello?");
    }
    SUBCASE("greeting, then nothing") {
        fixture_loop where(with([](scenario& what) { what.fault.silence_after_greeting = true; }));
        client one(where);
        one.until("\r\n");
        CHECK(one.got.find("{\"QMP\"") == 0);
        one.got.clear();
        one.send(hello);
        CHECK(one.quiet().empty());
    }
    SUBCASE("serial console") {
        fixture_loop where(with([](scenario& what) { what.fault.serial_console = true; }));
        CHECK(client(where).until("login: ").find("Booting Linux") != std::string::npos);
    }
    SUBCASE("guest agent") {
        fixture_loop where(with([](scenario& what) { what.fault.guest_agent = true; }));
        client one(where);
        CHECK(one.quiet().empty());
        CHECK(one.ask("{\"execute\":\"x\"}", "\n").find("{\"error\"") == 0);
    }
    SUBCASE("ssh") {
        fixture_loop where(with([](scenario& what) { REQUIRE(apply_misbehaviour(what, "ssh").has_value()); }));
        CHECK(client(where).until("\r\n").find("SSH-2.0-OpenSSH") == 0);
    }
    SUBCASE("telnet before HMP") {
        fixture_loop where(with([](scenario& what) { what.protocol = protocol::hmp, what.fault.telnet = true; }));
        client one(where);
        CHECK(one.until("(qemu) ").substr(0, 16) ==
              std::string("\xff\xfb\x01\xff\xfb\x03\xff\xfb\x00\xff\xfd\x00QEMU", 16));
    }
}

TEST_CASE("broken replies") {
    const std::string query = "{\"execute\":\"query-name\",\"id\":7}";
    const std::string whole = "{\"return\": {\"name\": \"winarm-install\"}, \"id\": 7}\r\n";
    SUBCASE("half message") {
        fixture_loop where(with([](scenario& what) { what.fault.half_message = true; }));
        client one = greeted(where);
        CHECK(one.ask(query, "never").empty() == false);
        CHECK(one.got == whole.substr(0, whole.size() / 2));
        CHECK_FALSE(one.closed);
    }
    SUBCASE("disconnect in reply") {
        fixture_loop where(with([](scenario& what) { what.fault.disconnect_in_reply = true; }));
        client one = greeted(where);
        CHECK(one.ask(query, "never") == whole.substr(0, whole.size() / 2));
        CHECK(one.closed);
    }
    SUBCASE("disconnect after two commands") {
        fixture_loop where(with([](scenario& what) { what.fault.disconnect_after = 2; }));
        client one = greeted(where);
        CHECK(one.ask(query) == whole);
        CHECK(one.ask(query, "never") == whole);
        CHECK(one.closed);
    }
    SUBCASE("garbage") {
        fixture_loop where(with([](scenario& what) { what.fault.garbage = true; }));
        client one = greeted(where);
        CHECK(one.ask(query).find("return") == std::string::npos);
    }
    SUBCASE("error without id, wrong id") {
        fixture_loop where;
        client one = greeted(where);
        misbehaviour fault;
        fault.error_without_id = true;
        where.vm->set_misbehaviour(fault);
        CHECK(one.ask(query).find("{\"error\": ") == 0);
        fault = {};
        fault.wrong_id = true;
        where.vm->set_misbehaviour(fault);
        CHECK(one.ask(query).find("\"id\": \"nobody-sent-this\"") != std::string::npos);
    }
    SUBCASE("byte by byte, split \\r\\n") {
        fixture_loop where(with([](scenario& what) { what.fault.byte_by_byte = true, what.fault.split_crlf = true; }));
        client one = greeted(where);
        one.reads = 0;
        CHECK(one.ask(query) == whole);
        CHECK(one.reads > 5);
    }
    SUBCASE("huge and deep") {
        fixture_loop where(with([](scenario& what) { what.fault.huge_message_bytes = std::size_t(17) << 20; }));
        client one = greeted(where);
        CHECK(one.ask(query, "\"id\": 7}\r\n", 60s).size() > std::size_t(17) << 20);
        misbehaviour fault;
        fault.nesting = 2000;
        where.vm->set_misbehaviour(fault);
        CHECK(one.ask(query).find(std::string(2000, '[') + std::string(2000, ']')) != std::string::npos);
    }
}

TEST_CASE("time: late greeting, late reply, blocked main loop") {
    fixture_loop where(with([](scenario& what) { what.fault.greeting_delay = 150ms; }));
    client one(where);
    CHECK(one.quiet(60ms).empty());
    CHECK(one.until("\r\n").find("{\"QMP\"") == 0);
    one.ask(hello);
    misbehaviour fault;
    fault.reply_delay = 150ms;
    where.vm->set_misbehaviour(fault);
    one.got.clear();
    one.send("{\"execute\":\"query-name\"}");
    CHECK(one.quiet(60ms).empty());
    CHECK(one.until("winarm").find("winarm") != std::string::npos);
    fault = {};
    fault.main_loop_blocked = true;
    where.vm->set_misbehaviour(fault);
    one.got.clear();
    one.send("{\"execute\":\"query-name\",\"id\":1}{\"exec-oob\":\"query-yank\",\"id\":2}");
    CHECK(one.until("\"id\": 2}").find("chardev") != std::string::npos);
    CHECK(one.quiet().find("\"id\": 1}") == std::string::npos);
    where.vm->set_misbehaviour({});
    CHECK(one.until("\"id\": 1}").find("\"id\": 1}") != std::string::npos);
}

TEST_CASE("events before the greeting, and a flood") {
    fixture_loop where(
        with([](scenario& what) { what.fault.events_before_greeting = 2, what.fault.events_per_second = 5000; }));
    client one(where);
    one.until("{\"QMP\"");
    CHECK(one.got.find("{\"timestamp\"") == 0);
    one.send(hello);
    one.got.clear();
    one.quiet(100ms);
    CHECK(one.got.size() > 20'000);
    one.ask("{\"execute\":\"query-name\",\"id\":5}", "\"id\": 5}");
    CHECK(one.got.find("\"id\": 5}") != std::string::npos);
}

TEST_CASE("hmp, restarts and changing drives") {
    fixture_loop where(with([](scenario& what) { what.protocol = protocol::hmp; }));
    client one(where);
    CHECK(one.until("(qemu) ") == "QEMU 7.2.22 monitor - type 'help' for more information\r\n(qemu) ");
    scenario more;
    where.vm->add_drive(add_drive(more, guest_device::nvme, "system"));
    CHECK(one.ask("info blockstats\n", "\r\n(qemu) ").find("\r\nsystem: rd_bytes=0") != std::string::npos);
    CHECK(where.vm->remove_drive("system"));
    CHECK_FALSE(where.vm->remove_drive("system"));
    CHECK(where.vm->change_medium("install_media", ""));
    CHECK(one.ask("info block\n", "\r\n(qemu) ").find("install_media: [not inserted]") != std::string::npos);
    CHECK(where.vm->commands() == std::vector<std::string>{"info blockstats", "info block"});
    where.vm->restart();
    one.quiet();
    CHECK(one.closed);
    CHECK(client(where).until("(qemu) ").find("QEMU") == 0);
}
