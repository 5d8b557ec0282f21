#include "client/link.hpp"

#include "base/process.hpp"

#include <algorithm>
#include <utility>

namespace qmpwatch::client {

link::link(asio::any_io_executor executor) : transport_(std::move(executor)) {}

asio::awaitable<base::result<void>> link::connect(const address& where, base::steady_time deadline) {
    path_ = where.path;
    const base::result<void> connected = co_await transport_.connect(where, deadline);
    if (connected.has_error()) co_return connected.error();
    if (use() == socket_use::muxed) co_return base::fail(base::errc::not_a_monitor, explain_silence(socket_use::muxed));
    co_return base::result<void>();
}

socket_use link::use() const {
    const std::optional<int> peer = peer_process();
    if (!peer) return socket_use::unknown;
    const auto command_line = base::read_command_line(*peer);
    if (command_line.has_error() || !is_qemu(*command_line)) return socket_use::unknown;
    return use_of_socket(*command_line, path_);
}

asio::awaitable<base::result<void>> link::receive(base::steady_time deadline) {
    const base::result<std::string_view> bytes = co_await transport_.read(deadline);
    if (bytes.has_error()) co_return bytes.error();
    heard_at_ = std::chrono::steady_clock::now();
    const base::result<void> understood = session_.receive(*bytes);
    if (understood.has_error()) co_return understood.error();
    co_return co_await flush(deadline);
}

asio::awaitable<base::result<void>> link::flush(base::steady_time deadline) {
    const std::string output = session_.take_output();
    if (output.empty()) co_return base::result<void>();
    co_return co_await transport_.write(output, deadline);
}

asio::awaitable<base::result<void>> link::become_ready(base::steady_time deadline) {
    while (session_.current() != monitor::session::phase::ready) {
        const base::result<void> received = co_await receive(deadline);
        if (received.has_error()) co_return received.error();
    }
    co_return base::result<void>();
}

asio::awaitable<base::result<monitor::ticket>> link::ask_qmp(std::string_view command, std::string_view arguments,
                                                             base::steady_time deadline) {
    const base::result<monitor::ticket> question = session_.execute_qmp(command, arguments);
    if (question.has_error()) co_return question.error();
    const base::result<void> sent = co_await flush(deadline);
    if (sent.has_error()) co_return sent.error();
    co_return *question;
}

asio::awaitable<base::result<monitor::ticket>> link::ask_hmp(std::string_view line, base::steady_time deadline) {
    const base::result<monitor::ticket> question = session_.execute_hmp(line);
    if (question.has_error()) co_return question.error();
    const base::result<void> sent = co_await flush(deadline);
    if (sent.has_error()) co_return sent.error();
    co_return *question;
}

asio::awaitable<base::result<monitor::ticket>> link::ask_out_of_band(std::string_view command,
                                                                     base::steady_time deadline) {
    const base::result<monitor::ticket> question = session_.execute_qmp(command, {}, true);
    if (question.has_error()) co_return question.error();
    const base::result<void> sent = co_await flush(deadline);
    if (sent.has_error()) co_return sent.error();
    co_return *question;
}

asio::awaitable<base::result<monitor::ticket>> link::ask_to_prove(const monitor::proving_command& command,
                                                                  base::steady_time deadline) {
    const base::result<monitor::ticket> question = session_.execute_proving(command);
    if (question.has_error()) co_return question.error();
    const base::result<void> sent = co_await flush(deadline);
    if (sent.has_error()) co_return sent.error();
    co_return *question;
}

asio::awaitable<base::result<std::string>> link::answer_to(monitor::ticket question, base::steady_time deadline) {
    for (;;) {
        monitor::answer next;
        while (session_.take_answer(next)) early_.push_back(std::move(next));
        const auto found = std::find_if(early_.begin(), early_.end(),
                                        [question](const monitor::answer& one) { return one.to == question; });
        if (found != early_.end()) {
            base::result<std::string> text = std::move(found->text);
            early_.erase(found);
            co_return text;
        }
        const base::result<void> received = co_await receive(deadline);
        if (received.has_error()) co_return received.error();
    }
}

asio::awaitable<base::result<void>> link::listen(base::steady_time until) {
    const base::result<void> received = co_await receive(until);
    if (received.has_error() && received.error().code != base::errc::timed_out) co_return received.error();
    co_return base::result<void>();
}

}  // namespace qmpwatch::client
