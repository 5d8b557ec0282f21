#include "web/server.hpp"

#include "base/asio.hpp"
#include "base/log.hpp"
#include "web/routes.hpp"

#include <fmt/format.h>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>

namespace qmpwatch::web {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr base::milliseconds pause_after_refused_accept{250};
constexpr base::seconds patience_at_the_end{1};
constexpr std::size_t most_bytes_at_the_end = 64 * 1024;
constexpr base::seconds look_every{1};

base::error cannot_listen(const listen_address& wanted, const error_code& why) {
    const std::string where = to_string(wanted);
    constexpr std::string_view advice = "choose another with --web.listen-address HOST:PORT, or 'off'";
    if (why == asio::error::address_in_use) {
        return base::fail(base::errc::io,
                          fmt::format("{} is already in use, perhaps by another qmpwatch: {}", where, advice));
    }
    if (why == asio::error::access_denied || why == asio::error::no_permission) {
        return base::fail(
            base::errc::not_permitted,
            fmt::format("listening on {} is not permitted; ports below 1024 belong to the system: {}", where, advice));
    }
    if (why == boost::system::errc::address_not_available) {
        return base::fail(base::errc::usage, fmt::format("{} is no address of this machine: {}", where, advice));
    }
    return base::fail(base::errc::io, fmt::format("cannot listen on {} ({}): {}", where, why.message(), advice));
}

/// One of `connections` seats; freed when the conversation ends, however it ends.
class seat {
public:
    explicit seat(std::size_t& taken) : taken_(&taken) { ++taken; }
    seat(seat&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)) {}
    seat& operator=(seat&&) = delete;
    ~seat() {
        if (taken_ != nullptr) --*taken_;
    }

private:
    std::size_t* taken_;
};

/// The answer to a request that could not be read; none when there is nobody left to tell.
std::optional<response> complaint(const error_code& failure) {
    if (failure == http::error::end_of_stream || failure == http::error::partial_message) return std::nullopt;
    if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
        return plain_text(431, "the header of the request is too long\n");
    }
    if (failure == http::error::body_limit)
        return plain_text(413, "the body of the request is too long: only a marker needs one, and a short one\n");
    if (failure.category() == error_code(http::error::bad_target).category()) {
        return plain_text(400, "this is no HTTP request\n");
    }
    return std::nullopt;
}

http::response<http::string_body> message_from(response answer, unsigned version, bool is_head, bool keep_alive) {
    http::response<http::string_body> message;
    message.result(answer.status);
    message.version(version);
    message.set(http::field::server, "qmpwatch");
    if (!answer.content_type.empty()) message.set(http::field::content_type, answer.content_type);
    for (const auto& [name, value] : answer.headers) message.set(name, value);
    // A 204 has no body by its nature, and must not speak of one.
    if (message.result() != http::status::no_content) message.content_length(answer.body.size());
    message.keep_alive(keep_alive);
    if (!is_head) message.body() = std::move(answer.body);
    return message;
}

}  // namespace

/// All that lives while the server runs. After start() its members belong to the thread.
class server::worker {
public:
    explicit worker(const server& owner) : owner_(owner) {}

    ~worker() {
        context_.stop();
        if (thread_.joinable()) thread_.join();
    }

    base::result<listen_address> start() {
        auto bound = listen();
        if (!bound) return bound;
        asio::co_spawn(context_, accept_all(), asio::detached);
        asio::co_spawn(context_, remember(), asio::detached);
        thread_ = std::thread([this] { context_.run(); });
        return bound;
    }

private:
    base::result<listen_address> listen() {
        const listen_address wanted{.enabled = true, .host = owner_.how_.host, .port = owner_.how_.port};
        error_code failure;
        if (wanted.host.empty()) {
            failure = listen_at({tcp::v6(), wanted.port});
            if (failure == asio::error::address_family_not_supported ||
                failure == boost::system::errc::address_not_available) {  // a machine without IPv6
                failure = listen_at({tcp::v4(), wanted.port});
            }
        } else {
            tcp::resolver resolver(context_);
            const auto found = resolver.resolve(wanted.host, std::to_string(wanted.port),
                                                tcp::resolver::passive | tcp::resolver::numeric_service, failure);
            if (failure || found.empty()) {
                return base::fail(base::errc::usage,
                                  fmt::format("there is no host '{}' to listen on ({}): write an address, for example "
                                              "--web.listen-address 127.0.0.1:10977",
                                              wanted.host, failure.message()));
            }
            // localhost means 127.0.0.1 to most of those who will ask.
            const auto ipv4 = std::find_if(found.begin(), found.end(),
                                           [](const auto& entry) { return entry.endpoint().address().is_v4(); });
            failure = listen_at((ipv4 != found.end() ? ipv4 : found.begin())->endpoint());
        }
        if (failure) return cannot_listen(wanted, failure);

        const tcp::endpoint bound = acceptor_.local_endpoint(failure);
        if (failure) return cannot_listen(wanted, failure);
        return listen_address{.enabled = true, .host = bound.address().to_string(), .port = bound.port()};
    }

    error_code listen_at(const tcp::endpoint& where) {
        error_code failure;
        if (acceptor_.is_open()) acceptor_.close(failure);
        acceptor_.open(where.protocol(), failure);
        if (failure) return failure;
        acceptor_.set_option(tcp::acceptor::reuse_address(true), failure);
        if (failure) return failure;
        if (where.protocol() == tcp::v6() && where.address().is_unspecified()) {
            acceptor_.set_option(asio::ip::v6_only(false), failure);
            if (failure) return failure;
        }
        acceptor_.bind(where, failure);
        if (failure) return failure;
        acceptor_.listen(asio::socket_base::max_listen_connections, failure);
        return failure;
    }

    /// Looks at the latest snapshot again and again, so that the page has something to show when it is opened.
    asio::awaitable<void> remember() {
        asio::steady_timer timer(context_);
        for (;;) {
            if (const auto state = owner_.latest_(); state != nullptr) past_.take(*state);
            timer.expires_after(look_every);
            co_await timer.async_wait(as_result);
        }
    }

    asio::awaitable<void> accept_all() {
        asio::steady_timer pause(context_);
        bool complained = false;
        for (;;) {
            auto [failure, socket] = co_await acceptor_.async_accept(as_result);
            if (failure) {
                // Out of file descriptors, most likely. The connection stays in the queue: trying at once would spin.
                if (!complained) base::log::warning("the web server cannot accept a connection: " + failure.message());
                complained = true;
                pause.expires_after(pause_after_refused_accept);
                co_await pause.async_wait(as_result);
                continue;
            }
            complained = false;
            if (taken_ >= owner_.how_.limits.connections) continue;  // closes it
            asio::co_spawn(context_, converse(beast::tcp_stream(std::move(socket)), seat(taken_)), asio::detached);
        }
    }

    asio::awaitable<void> converse(beast::tcp_stream stream, [[maybe_unused]] seat held) {
        const web::limits& limits = owner_.how_.limits;
        beast::flat_buffer buffer(limits.header_bytes + limits.body_bytes);
        for (bool keep_alive = true; keep_alive;) {
            http::request_parser<http::string_body> parser;
            parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
            parser.body_limit(limits.body_bytes);
            stream.expires_after(limits.reading);
            const auto [unread, received] = co_await http::async_read(stream, buffer, parser, as_result);

            const http::request<http::string_body>& request = parser.get();
            std::optional<response> answer = unread ? complaint(unread) : respond_to(request);
            if (!answer) break;
            keep_alive = !unread && request.keep_alive();
            const bool is_head = request.method() == http::verb::head;
            const unsigned version = unread ? 11 : request.version();
            auto message = message_from(std::move(*answer), version, is_head, keep_alive);
            answer.reset();
            stream.expires_after(limits.writing);
            const auto [unsent, sent] = co_await http::async_write(stream, message, as_result);
            if (unsent) co_return;
        }
        co_await say_goodbye(stream);
    }

    std::optional<response> respond_to(const http::request<http::string_body>& request) const {
        const auto state = owner_.latest_();
        const auto header = [&](http::field which) -> std::string_view {
            const auto found = request.find(which);
            return found == request.end() ? std::string_view() : std::string_view(found->value());
        };
        const request_view asked{.method = request.method_string(),
                                 .target = request.target(),
                                 .host = header(http::field::host),
                                 .origin = header(http::field::origin),
                                 .content_type = header(http::field::content_type),
                                 .body = request.body()};
        return respond(asked, {.state = state.get(),
                               .self = owner_.self_,
                               .now = base::now(),
                               .past = &past_,
                               .mark = &owner_.how_.mark,
                               .listen_host = owner_.how_.host});
    }

    /// Closing a socket with unread bytes resets the connection, and the client may lose the answer: hear it out, but
    /// not for long.
    static asio::awaitable<void> say_goodbye(beast::tcp_stream& stream) {
        error_code failure;
        stream.socket().shutdown(tcp::socket::shutdown_send, failure);
        if (failure) co_return;
        stream.expires_after(patience_at_the_end);
        std::array<char, 1024> unheard;
        for (std::size_t total = 0; total < most_bytes_at_the_end;) {
            const auto [closed, received] = co_await stream.async_read_some(asio::buffer(unheard), as_result);
            if (closed) co_return;
            total += received;
        }
    }

    const server& owner_;
    history past_;
    std::size_t taken_ = 0;  ///< before the context: conversations that die with it give their seats back
    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_};
    std::thread thread_;
};

server::server(settings how, std::function<std::shared_ptr<const pipeline::snapshot>()> latest,
               std::function<metrics::own_health()> self)
    : how_(std::move(how)), latest_(std::move(latest)), self_(std::move(self)) {}

server::~server() = default;

base::result<listen_address> server::start() {
    auto running = std::make_unique<worker>(*this);
    auto bound = running->start();
    if (bound) worker_ = std::move(running);
    return bound;
}

void server::stop() { worker_.reset(); }

}  // namespace qmpwatch::web
