// The sockets of a simulated VM: one accept loop, a reader and a writer for the client, a script. Decides when bytes go
// out and where they break; what they say is decided by the answer and encode files.
#include "sim/server.hpp"

#include "sim/answer.hpp"
#include "sim/encode_hmp.hpp"
#include "sim/encode_qmp.hpp"

#include <array>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

// g++ 12 warns about the frames of Asio's coroutines when it inlines their operator delete and not their operator new.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace qmpwatch::sim {
namespace {

using steady_clock = std::chrono::steady_clock;

constexpr base::steady_time never = base::steady_time::max();
constexpr std::size_t most_received = std::size_t(1) << 20;
constexpr std::size_t most_commands = 4096;
constexpr std::size_t most_pending = 1024;  // requests or typed bytes that wait: then reading stops
constexpr std::size_t most_outgoing = std::size_t(1) << 26;  // events beyond that are lost
constexpr std::size_t longest_path = 107;

constexpr std::string_view boot_messages =
    "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x611f0221]\r\n"
    "[    0.000000] Linux version 6.1.0-28-arm64 (debian-kernel@lists.debian.org)\r\n"
    "[    1.204512] EXT4-fs (vda1): mounted filesystem with ordered data mode. Quota mode: none.\r\n"
    "\r\nDebian GNU/Linux 12 guest ttyAMA0\r\n\r\nguest login: ";
constexpr std::string_view garbage = "\x01\x02\xfe\xff}{ \"this is no protocol \x1b[2J\r\n";
// IAC WILL ECHO, WILL SUPPRESS GO AHEAD, WILL BINARY, DO BINARY; the length counts because of the zeros.
constexpr std::string_view telnet_options("\xff\xfb\x01\xff\xfb\x03\xff\xfb\x00\xff\xfd\x00", 12);

struct connection {
    explicit connection(asio::generic::stream_protocol::socket connected)
        : socket(std::move(connected)), wake(socket.get_executor()), room(socket.get_executor()) {}

    void close() {
        open = false;
        error_code ignored;
        socket.close(ignored);
        wake.cancel();
        room.cancel();
    }

    asio::generic::stream_protocol::socket socket;
    asio::steady_timer wake;  // the writer waits on it: for a time to come, or for notify
    asio::steady_timer room;  // the reader waits on it while too much is pending
    qmp_input input;
    qmp_conversation agreed;
    line_editor editor;
    std::deque<qmp_request> requests;
    std::string typed;  // HMP bytes that wait
    std::string outbox;  // bytes that wait for the writer
    bool open = true;
    bool greeted = false;
    bool muted = false;  // nothing more is said
    bool close_when_sent = false;
    bool input_ended = false;
    unsigned answered = 0;
    base::steady_time greeting_at = never;
    std::optional<base::steady_time> reply_at;
    base::steady_time flood_at{};
};

}  // namespace

class simulated_monitor::hub : public std::enable_shared_from_this<hub> {
public:
    hub(asio::any_io_executor executor, scenario what, base::steady_time start)
        : executor_(std::move(executor)), vm_(std::move(what)), start_(start), script_timer_(executor_) {}

    base::result<void> listen(const std::string& path);
    base::result<std::uint16_t> listen_tcp(const std::string& host, std::uint16_t port);
    void stop(bool remove_file);
    void shut_down(std::string_view reason, bool by_guest);
    void drop_client() {
        if (client_) client_->close();
    }
    void notify() {
        if (client_) client_->wake.cancel();
    }
    void emit_event(std::string_view name, std::string_view data);
    void set_status(std::string_view status, bool with_events);
    void restart() {
        vm_.restart(now());
        drop_client();
    }

    nanoseconds now() const { return steady_clock::now() - start_; }

    machine& vm() { return vm_; }
    const connection* client() const { return client_.get(); }

    std::size_t connections_ = 0;
    std::string received_;
    std::vector<std::string> commands_;

private:
    template <class Acceptor>
    asio::awaitable<void> accept_clients(std::shared_ptr<hub> self, std::shared_ptr<Acceptor> acceptor);
    asio::awaitable<void> serve(std::shared_ptr<connection> client);
    asio::awaitable<void> read(std::shared_ptr<hub> self, std::shared_ptr<connection> client);
    asio::awaitable<bool> send(std::shared_ptr<connection> client, std::string bytes);
    asio::awaitable<void> run_script(std::shared_ptr<hub> self);

    void start_script();
    void take(connection& client, std::string_view bytes);
    base::steady_time step(connection& client);
    void greet(connection& client);
    void answer_next(connection& client);
    void say(connection& client, std::string reply, bool may_break);
    void append_event(connection& client, std::string_view name, std::string_view data);
    void append_io_errors(connection& client, unsigned count);
    void record(std::string_view command) {
        if (commands_.size() < most_commands) commands_.emplace_back(command);
    }
    bool speaks_qmp() const { return vm_.what().protocol == protocol::qmp; }

    asio::any_io_executor executor_;
    machine vm_;
    base::steady_time start_;
    asio::steady_timer script_timer_;
    std::shared_ptr<asio::local::stream_protocol::acceptor> unix_;
    std::shared_ptr<asio::ip::tcp::acceptor> tcp_;
    std::shared_ptr<connection> client_;
    std::string path_;
    bool stopped_ = false;
    bool script_started_ = false;
};

base::result<void> simulated_monitor::hub::listen(const std::string& path) {
    namespace fs = std::filesystem;
    if (path.empty() || path.size() > longest_path) {
        return base::fail(base::errc::usage,
                          fmt::format("the path of a socket must have 1 to {} bytes: {}", longest_path, path));
    }
    const asio::local::stream_protocol::endpoint endpoint(path);
    std::error_code missing;
    const fs::file_status found = fs::symlink_status(path, missing);
    if (fs::exists(found)) {
        if (!fs::is_socket(found)) {
            return base::fail(base::errc::usage,
                              fmt::format("{} exists and is not a socket: choose another path", path));
        }
        asio::local::stream_protocol::socket probe(executor_);
        error_code failure;
        probe.open(endpoint.protocol(), failure);
        if (!failure) probe.non_blocking(true, failure);  // a full backlog must not hold us
        probe.connect(endpoint, failure);
        if (failure != asio::error::connection_refused) {
            return base::fail(base::errc::usage,
                              fmt::format("{} is in use: stop who serves it or choose another path", path));
        }
        ::unlink(path.c_str());
    }
    auto acceptor = std::make_shared<asio::local::stream_protocol::acceptor>(executor_);
    error_code failure;
    acceptor->open(endpoint.protocol(), failure);
    if (!failure) acceptor->bind(endpoint, failure);
    if (!failure) {
        path_ = path;
        acceptor->listen(1, failure);
    }
    if (failure) return base::fail(base::errc::io, fmt::format("cannot listen on {}: {}", path, failure.message()));
    unix_ = acceptor;
    asio::co_spawn(executor_, accept_clients(shared_from_this(), std::move(acceptor)), asio::detached);
    start_script();
    return {};
}

base::result<std::uint16_t> simulated_monitor::hub::listen_tcp(const std::string& host, std::uint16_t port) {
    error_code failure;
    const auto address = asio::ip::make_address(host == "localhost" ? std::string("127.0.0.1") : host, failure);
    if (failure) return base::fail(base::errc::usage, fmt::format("{} is not a numeric address", host));
    const asio::ip::tcp::endpoint endpoint(address, port);
    auto acceptor = std::make_shared<asio::ip::tcp::acceptor>(executor_);
    acceptor->open(endpoint.protocol(), failure);
    if (!failure) acceptor->set_option(asio::socket_base::reuse_address(true), failure);
    if (!failure) acceptor->bind(endpoint, failure);
    if (!failure) acceptor->listen(1, failure);
    if (failure)
        return base::fail(base::errc::io, fmt::format("cannot listen on {}:{}: {}", host, port, failure.message()));
    const std::uint16_t taken = acceptor->local_endpoint(failure).port();
    tcp_ = acceptor;
    asio::co_spawn(executor_, accept_clients(shared_from_this(), std::move(acceptor)), asio::detached);
    start_script();
    return taken;
}

void simulated_monitor::hub::stop(bool remove_file) {
    stopped_ = true;
    error_code ignored;
    if (unix_) unix_->close(ignored);
    if (tcp_) tcp_->close(ignored);
    drop_client();
    script_timer_.cancel();
    if (remove_file && !path_.empty()) ::unlink(path_.c_str());
    path_.clear();
}

void simulated_monitor::hub::shut_down(std::string_view reason, bool by_guest) {
    emit_event("SHUTDOWN", fmt::format(R"({{"guest": {}, "reason": "{}"}})", by_guest, reason));
    const std::shared_ptr<connection> last = client_;
    client_.reset();  // it may still send what waits
    stop(true);
    if (last) {
        last->close_when_sent = true;
        last->wake.cancel();
    }
}

void simulated_monitor::hub::append_event(connection& client, std::string_view name, std::string_view data) {
    if (client.outbox.size() > most_outgoing) return;
    encode_event(client.outbox, name, data, std::chrono::system_clock::now(), vm_.what().fault.pretty);
}

void simulated_monitor::hub::append_io_errors(connection& client, unsigned count) {
    const auto& drives = vm_.what().drives;
    const std::string data = fmt::format(
        R"({{"device": "{}", "nospace": false, "node-name": "{}", "reason": "Input/output error", "operation": "read", "action": "ignore"}})",
        drives.empty() ? std::string() : drives.front().device,
        drives.empty() ? std::string() : drives.front().node_name);
    for (unsigned number = 0; number < count; ++number) append_event(client, "BLOCK_IO_ERROR", data);
}

void simulated_monitor::hub::emit_event(std::string_view name, std::string_view data) {
    if (!client_ || !speaks_qmp() || !client_->agreed.negotiated || client_->muted) return;
    append_event(*client_, name, data);
    notify();
}

void simulated_monitor::hub::set_status(std::string_view status, bool with_events) {
    const bool was_running = vm_.running();
    vm_.set_status(status, now());
    if (with_events && was_running != vm_.running()) emit_event(was_running ? "STOP" : "RESUME", {});
}

void simulated_monitor::hub::start_script() {
    if (script_started_ || vm_.what().script.empty()) return;
    script_started_ = true;
    asio::co_spawn(executor_, run_script(shared_from_this()), asio::detached);
}

asio::awaitable<void> simulated_monitor::hub::run_script(std::shared_ptr<hub> self) {
    nanoseconds round{0};
    while (!self->stopped_) {
        const std::vector<script_step> steps = self->vm_.what().script;
        for (const script_step& one : steps) {
            self->script_timer_.expires_at(self->start_ + round + one.at);
            co_await self->script_timer_.async_wait(as_result);
            if (self->stopped_) co_return;
            switch (one.what) {
                case script_step::kind::status: self->set_status(one.text, one.with_events); break;
                case script_step::kind::event: self->emit_event(one.text, one.data); break;
                case script_step::kind::restart: self->restart(); break;
            }
        }
        if (self->vm_.what().script_period <= nanoseconds(0)) co_return;
        round += self->vm_.what().script_period;
    }
}

template <class Acceptor>
asio::awaitable<void> simulated_monitor::hub::accept_clients(std::shared_ptr<hub> self,
                                                             std::shared_ptr<Acceptor> acceptor) {
    while (!self->stopped_) {
        auto [failure, socket] = co_await acceptor->async_accept(as_result);
        if (self->stopped_) co_return;
        if (failure) {
            // Out of descriptors, most likely: clients wait in the backlog until there are some again.
            asio::steady_timer pause(self->executor_, std::chrono::milliseconds(50));
            co_await pause.async_wait(as_result);
            continue;
        }
        asio::generic::stream_protocol::socket any(std::move(socket));
        auto client = std::make_shared<connection>(std::move(any));
        co_await self->serve(client);
    }
}

asio::awaitable<void> simulated_monitor::hub::serve(std::shared_ptr<connection> client) {
    client_ = client;
    ++connections_;
    client->greeting_at = steady_clock::now() + vm_.what().fault.greeting_delay;
    client->flood_at = steady_clock::now();
    asio::co_spawn(executor_, read(shared_from_this(), client), asio::detached);
    while (client->open) {
        if (!client->outbox.empty()) {
            std::string bytes = std::exchange(client->outbox, std::string());
            const bool sent = co_await send(client, std::move(bytes));
            if (!sent) break;
            continue;
        }
        if (client->close_when_sent) break;
        const base::steady_time due = step(*client);
        client->room.cancel();
        if (!client->outbox.empty() || client->close_when_sent) continue;
        const bool idle = client->requests.empty() && client->typed.empty();
        if (client->input_ended && (idle || client->muted)) break;
        client->wake.expires_at(due);
        co_await client->wake.async_wait(as_result);
    }
    client->close();
    if (client_ == client) client_.reset();
}

asio::awaitable<void> simulated_monitor::hub::read(std::shared_ptr<hub> self, std::shared_ptr<connection> client) {
    std::array<char, 4096> buffer;
    while (client->open) {
        if (client->requests.size() + client->typed.size() > most_pending) {
            client->room.expires_at(never);
            co_await client->room.async_wait(as_result);
            continue;
        }
        const auto target = asio::buffer(buffer);
        auto [failure, size] = co_await client->socket.async_read_some(target, as_result);
        if (failure) {
            client->input_ended = true;
            if (failure != asio::error::eof) client->open = false;
            break;
        }
        self->take(*client, std::string_view(buffer.data(), size));
        client->wake.cancel();
    }
    client->wake.cancel();
}

asio::awaitable<bool> simulated_monitor::hub::send(std::shared_ptr<connection> client, std::string bytes) {
    std::string_view rest = bytes;
    while (!rest.empty()) {
        std::size_t part = rest.size();
        const misbehaviour& fault = vm_.what().fault;
        const bool splits = fault.split_crlf;
        if (fault.byte_by_byte) {
            part = 1;
        } else if (splits) {
            const std::size_t end = rest.find('\r');
            if (end != std::string_view::npos) part = end + 1;
        }
        const auto source = asio::buffer(rest.data(), part);
        auto [failure, sent] = co_await asio::async_write(client->socket, source, as_result);
        if (failure) co_return false;
        rest.remove_prefix(sent);
        if (splits && !rest.empty()) {
            asio::steady_timer pause(executor_, std::chrono::milliseconds(3));
            co_await pause.async_wait(as_result);
        }
    }
    co_return true;
}

void simulated_monitor::hub::take(connection& client, std::string_view bytes) {
    received_ += bytes.substr(0, most_received - std::min(most_received, received_.size()));
    const misbehaviour& fault = vm_.what().fault;
    if (fault.silence || fault.serial_console || !fault.foreign_greeting.empty()) return;
    if (fault.guest_agent) {
        client.outbox += R"({"error": {"class": "CommandNotFound", "desc": "The command has not been found"}})"
                         "\n";
        return;
    }
    if (!speaks_qmp()) {
        if (!client.muted) client.typed += bytes;
        return;
    }
    for (qmp_request& request : client.input.feed(bytes)) {
        if (request.error.empty()) record(request.command);
        if (client.muted) continue;
        if (is_out_of_band(request, client.agreed)) {
            answer_qmp(vm_, client.agreed, request, now(), client.outbox);
        } else {
            client.requests.push_back(std::move(request));
        }
    }
}

void simulated_monitor::hub::greet(connection& client) {
    const misbehaviour& fault = vm_.what().fault;
    client.greeted = true;
    client.muted = fault.silence_after_greeting || fault.serial_console || !fault.foreign_greeting.empty();
    if (fault.telnet) client.outbox += telnet_options;
    if (!fault.foreign_greeting.empty()) {
        client.outbox += fault.foreign_greeting;
    } else if (fault.serial_console) {
        client.outbox += boot_messages;
    } else if (speaks_qmp()) {
        append_io_errors(client, fault.events_before_greeting);
        encode_greeting(client.outbox, vm_.what().version, fault.pretty);
        append_io_errors(client, fault.events_before_greeting);
    } else {
        encode_banner(client.outbox, vm_.what().version);
    }
}

/// Does what is due now, one reply at most, and says when to come again.
base::steady_time simulated_monitor::hub::step(connection& client) {
    const misbehaviour& fault = vm_.what().fault;
    const base::steady_time moment = steady_clock::now();
    if (!client.greeted) {
        if (fault.silence || fault.guest_agent) return never;
        if (moment < client.greeting_at) return client.greeting_at;
        if (fault.main_loop_blocked && !speaks_qmp()) return never;  // HMP lives in the main loop
        greet(client);
        return moment;
    }
    if (client.muted) return never;
    base::steady_time again = never;
    if (fault.events_per_second > 0 && client.agreed.negotiated) {
        const double due = base::in_seconds(moment - client.flood_at) * fault.events_per_second;
        const auto count = static_cast<unsigned>(std::min(due, 100'000.0));
        if (count > 0) {
            append_io_errors(client, count);
            client.flood_at = moment;
        }
        again = moment + std::chrono::milliseconds(5);
    } else {
        client.flood_at = moment;
    }
    if (fault.main_loop_blocked || (client.requests.empty() && client.typed.empty())) return again;
    if (fault.reply_delay > nanoseconds(0)) {
        if (!client.reply_at) client.reply_at = moment + fault.reply_delay;
        if (moment < *client.reply_at) return std::min(again, *client.reply_at);
    }
    client.reply_at.reset();
    answer_next(client);
    return moment;
}

void simulated_monitor::hub::answer_next(connection& client) {
    std::string reply;
    if (speaks_qmp()) {
        const qmp_request request = std::move(client.requests.front());
        client.requests.pop_front();
        const bool was_negotiated = client.agreed.negotiated;
        answer_qmp(vm_, client.agreed, request, now(), reply);
        say(client, std::move(reply), was_negotiated);
        return;
    }
    std::size_t used = 0;
    while (used < client.typed.size()) {
        if (!client.editor.take(client.typed[used++], client.outbox)) continue;
        if (!client.editor.line().empty()) record(client.editor.line());
        answer_hmp(vm_, client.editor.line(), now(), reply);
        reply += hmp_prompt;
        say(client, std::move(reply), true);
        break;
    }
    client.typed.erase(0, used);
}

/// Puts a reply into the outbox, broken as told. Not the reply to qmp_capabilities: clients have to get past it first.
void simulated_monitor::hub::say(connection& client, std::string reply, bool may_break) {
    const misbehaviour& fault = vm_.what().fault;
    if (may_break) {
        ++client.answered;
        if (fault.garbage) reply = std::string(garbage);
        if (fault.half_message || fault.disconnect_in_reply) {
            reply.resize(reply.size() / 2);
            client.muted = true;
            client.close_when_sent = fault.disconnect_in_reply;
        }
        if (fault.disconnect_after > 0 && client.answered >= fault.disconnect_after) client.close_when_sent = true;
    }
    client.outbox += reply;
}

simulated_monitor::simulated_monitor(asio::any_io_executor executor, scenario what, base::steady_time start)
    : hub_(std::make_shared<hub>(std::move(executor), std::move(what), start)) {}

simulated_monitor::~simulated_monitor() {
    if (hub_) hub_->stop(true);
}

base::result<void> simulated_monitor::listen(const std::string& path) { return hub_->listen(path); }

base::result<std::uint16_t> simulated_monitor::listen_tcp(const std::string& host, std::uint16_t port) {
    return hub_->listen_tcp(host, port);
}

void simulated_monitor::stop() { hub_->stop(true); }
void simulated_monitor::shut_down(std::string_view reason, bool by_guest) { hub_->shut_down(reason, by_guest); }
void simulated_monitor::kill() { hub_->stop(false); }
void simulated_monitor::drop_client() { hub_->drop_client(); }

void simulated_monitor::set_misbehaviour(const misbehaviour& fault) {
    hub_->vm().fault() = fault;
    hub_->notify();
}

const misbehaviour& simulated_monitor::current_misbehaviour() const { return hub_->vm().what().fault; }

void simulated_monitor::emit_event(std::string_view name, std::string_view data) { hub_->emit_event(name, data); }
void simulated_monitor::set_status(std::string_view status, bool with_events) { hub_->set_status(status, with_events); }
void simulated_monitor::add_drive(drive_spec drive) { hub_->vm().add_drive(std::move(drive), hub_->now()); }
bool simulated_monitor::remove_drive(std::string_view device) { return hub_->vm().remove_drive(device); }

bool simulated_monitor::change_medium(std::string_view device, std::string file) {
    return hub_->vm().change_medium(device, std::move(file));
}

bool simulated_monitor::fail_operation(std::string_view device, bool write) {
    if (!hub_->vm().fail_operation(device, write)) return false;
    hub_->emit_event(
        "BLOCK_IO_ERROR",
        fmt::format(
            R"({{"device": "{}", "nospace": false, "reason": "Input/output error", "operation": "{}", "action": "report"}})",
            device, write ? "write" : "read"));
    return true;
}

void simulated_monitor::restart() { hub_->restart(); }
bool simulated_monitor::has_client() const { return hub_->client() != nullptr; }
std::size_t simulated_monitor::connections() const { return hub_->connections_; }
const std::string& simulated_monitor::received() const { return hub_->received_; }
const std::vector<std::string>& simulated_monitor::commands() const { return hub_->commands_; }

}  // namespace qmpwatch::sim
