// What --prove changes and puts back: a peer that keeps QEMU's trace states and log file, and can fail at any command.
#include "client/proof.hpp"

#include "base/json.hpp"
#include "support/files.hpp"
#include "support/run_coroutine.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <thread>

using namespace qmpwatch;
using nlohmann::json;
using std::chrono::steady_clock;

namespace {

/// A QMP monitor in a thread of its own; one client after the other.
class traced_vm {
public:
    traced_vm() {
        where.path = (folder_.path() / "s").string();
        handle_ = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        std::strncpy(name.sun_path, where.path.c_str(), sizeof name.sun_path - 1);
        REQUIRE(bind(handle_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
        REQUIRE(listen(handle_, 4) == 0);
        thread_ = std::thread([this] { serve(); });
    }
    ~traced_vm() {
        shutdown(handle_, SHUT_RDWR);
        thread_.join();
        close(handle_);
    }

    client::address where;
    std::map<std::string, bool> states{{"usb_msd_cmd_cancel", false}, {"usb_msd_cmd_complete", false},
                                       {"usb_msd_cmd_submit", false}, {"usb_msd_data_in", false},
                                       {"usb_msd_reset", true},       {"usb_msd_send_status", false}};
    std::string log = "/dev/stderr";
    std::string complaint;            ///< what logfile prints instead of doing it
    std::atomic<int> drop_after{-1};  ///< does so many more commands, then drops the client without an answer

private:
    void serve() {
        for (;;) {
            const int client = accept(handle_, nullptr, nullptr);
            if (client < 0) return;
            say(client,
                R"({"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": ""}, "capabilities": []}})");
            std::string line;
            while (hear(client, line)) {
                const json request = base::parse_json(line);
                const json answer = {{"return", done(request)}, {"id", request.at("id")}};
                if (drop_after >= 0 && drop_after-- == 0) break;
                say(client, base::json_text(answer));
            }
            close(client);
        }
    }
    json done(const json& request) {
        const auto command = request.at("execute").get<std::string>();
        if (command == "trace-event-get-state") {
            json list = json::array();
            for (const auto& [name, is_on] : states)
                list.push_back({{"name", name}, {"state", is_on ? "enabled" : "disabled"}});
            return list;
        }
        if (command == "trace-event-set-state") {
            const json& arguments = request.at("arguments");
            states.at(arguments.at("name").get<std::string>()) = arguments.at("enable").get<bool>();
        }
        if (command == "human-monitor-command") {
            if (!complaint.empty()) return complaint + "\r\n";
            const auto words = request.at("arguments").at("command-line").get<std::string>();
            log = words.substr(words.find('"') + 1, words.rfind('"') - words.find('"') - 1);
            return "";
        }
        return json::object();
    }
    static void say(int client, const std::string& text) {
        const std::string line = text + "\r\n";
        (void)!send(client, line.data(), line.size(), MSG_NOSIGNAL);
    }
    static bool hear(int client, std::string& line) {
        line.clear();
        char byte = 0;
        while (read(client, &byte, 1) == 1) {
            if (byte == '\n') return true;
            line += byte;
        }
        return false;
    }

    support::temporary_folder folder_;
    int handle_ = -1;
    std::thread thread_;
};

/// Connects anew and does one of the two.
asio::awaitable<base::result<void>> with_connection(const client::address& where, client::proof& changes, bool begins) {
    client::link connection(co_await asio::this_coro::executor);
    const base::steady_time deadline = steady_clock::now() + base::seconds(5);
    base::result<void> done = co_await connection.connect(where, deadline);
    if (done.has_error()) co_return done.error();
    done = co_await connection.become_ready(deadline);
    if (done.has_error()) co_return done.error();
    if (begins) co_return co_await changes.begin(connection, "/tmp/ours.log");
    co_return co_await changes.put_back(connection, "/dev/stderr");
}

base::result<void> begin(traced_vm& vm, client::proof& changes) {
    asio::io_context loop{1};
    return support::run_coroutine(loop, with_connection(vm.where, changes, true));
}

base::result<void> put_back(traced_vm& vm, client::proof& changes) {
    asio::io_context loop{1};
    return support::run_coroutine(loop, with_connection(vm.where, changes, false));
}

}  // namespace

TEST_CASE("events that were off are switched on and off again, others stay") {
    traced_vm vm;
    const auto before = vm.states;
    client::proof changes;
    CHECK_FALSE(changes.is_changed());
    REQUIRE(begin(vm, changes).has_value());
    CHECK(changes.is_changed());
    CHECK(vm.log == "/tmp/ours.log");
    CHECK(vm.states.at("usb_msd_cmd_complete"));
    CHECK(vm.states.at("usb_msd_send_status"));
    CHECK_FALSE(vm.states.at("usb_msd_data_in"));
    CHECK(changes.left_to_do("/dev/stderr").size() == 5);  // four events and the log

    REQUIRE(put_back(vm, changes).has_value());
    CHECK(vm.states == before);
    CHECK(vm.log == "/dev/stderr");
    CHECK_FALSE(changes.is_changed());
    CHECK(changes.left_to_do("/dev/stderr").empty());
}

TEST_CASE("a QEMU without these events is not changed") {
    traced_vm vm;
    vm.states.erase("usb_msd_send_status");
    client::proof changes;
    const auto refused = begin(vm, changes);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == base::errc::refused);
    CHECK_FALSE(changes.is_changed());
    CHECK(vm.log == "/dev/stderr");
}

TEST_CASE("a QEMU that cannot write our file") {
    traced_vm vm;
    vm.complaint = "Could not open '/tmp/ours.log': Permission denied";
    client::proof changes;
    const auto refused = begin(vm, changes);
    REQUIRE(refused.has_error());
    CHECK(refused.error().message.find("Permission denied") != std::string::npos);
    CHECK(changes.is_changed());  // nobody knows where it logs now
    vm.complaint.clear();
    REQUIRE(put_back(vm, changes).has_value());
    CHECK_FALSE(changes.is_changed());
}

TEST_CASE("whatever command the connection breaks at, all can be put back over another one") {
    for (int commands = 1; commands <= 7; ++commands) {  // qmp_capabilities, states, log, four events
        CAPTURE(commands);
        traced_vm vm;
        const auto before = vm.states;
        client::proof changes;
        vm.drop_after = commands;
        const bool is_begun = begin(vm, changes).has_value();
        CHECK(is_begun == (commands == 7));
        vm.drop_after = -1;
        REQUIRE(put_back(vm, changes).has_value());
        CHECK(vm.states == before);
        CHECK(vm.log == "/dev/stderr");
        CHECK_FALSE(changes.is_changed());
    }
}

TEST_CASE("putting back can be tried again where it broke") {
    for (int commands = 1; commands <= 5; ++commands) {
        CAPTURE(commands);
        traced_vm vm;
        const auto before = vm.states;
        client::proof changes;
        REQUIRE(begin(vm, changes).has_value());
        vm.drop_after = commands;
        CHECK(put_back(vm, changes).has_error());
        CHECK(changes.is_changed());
        vm.drop_after = -1;
        REQUIRE(put_back(vm, changes).has_value());
        CHECK(vm.states == before);
        CHECK(vm.log == "/dev/stderr");
    }
}
