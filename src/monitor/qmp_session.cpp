#include "monitor/qmp_session.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "monitor/allow_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace qmpwatch::monitor {

namespace {

constexpr ticket negotiation = 0;

}  // namespace

base::result<void> qmp_session::receive(std::string_view bytes) {
    framer_.feed(bytes);
    framed_object object;
    for (;;) {
        const base::result<bool> whole = framer_.next(object);
        if (whole.has_error()) return whole.error();
        if (!*whole) return {};
        const base::result<message> heard = decode_message(object);
        if (heard.has_error()) return heard.error();
        if (const base::result<void> handled = handle(*heard); handled.has_error()) return handled.error();
    }
}

base::result<void> qmp_session::handle(const message& heard) {
    if (const auto* happened = std::get_if<event>(&heard)) {
        events_.push_back({happened->name, std::string(happened->data)});
        return {};
    }
    if (phase_ == phase::awaiting_greeting) {
        const auto* hello = std::get_if<greeting>(&heard);
        if (hello == nullptr) {
            return base::fail(base::errc::not_a_monitor,
                              "this socket speaks JSON but is not a QMP monitor: its first message is no greeting; "
                              "give the socket of -qmp or -monitor");
        }
        greeting_ = *hello;
        phase_ = phase::negotiating;
        output_ += greeting_.offers_oob ? R"({"execute":"qmp_capabilities","arguments":{"enable":["oob"]},"id":0})"
                                          "\n"
                                        : R"({"execute":"qmp_capabilities","id":0})"
                                          "\n";
        return {};
    }
    if (const auto* returned = std::get_if<reply>(&heard)) {
        if (returned->id == negotiation) {
            phase_ = phase::ready;
        } else if (const auto found = std::find(open_.begin(), open_.end(), returned->id); found != open_.end()) {
            open_.erase(found);
            answers_.push_back({returned->id, std::string(returned->value)});
        }
        return {};
    }
    if (const auto* refused = std::get_if<failure>(&heard)) {
        if (!refused->id) {
            // We always send ids, so QEMU did not understand a message: the two sides are out of step.
            return base::fail(base::errc::protocol,
                              fmt::format("QEMU could not read a command: {}", base::printable(refused->description)));
        }
        if (*refused->id == negotiation) {
            return base::fail(base::errc::protocol,
                              fmt::format("QEMU refuses to negotiate: {}", base::printable(refused->description)));
        }
        if (const auto found = std::find(open_.begin(), open_.end(), *refused->id); found != open_.end()) {
            open_.erase(found);
            answers_.push_back({*refused->id, base::fail(base::errc::refused, base::printable(refused->description))});
        }
        return {};
    }
    return {};  // a second greeting or a reply that is not ours: nothing depends on it
}

std::string qmp_session::take_output() { return std::exchange(output_, {}); }

base::result<ticket> qmp_session::execute(std::string_view command, std::string_view arguments, bool out_of_band) {
    if (phase_ != phase::ready) return base::fail(base::errc::usage, "the monitor is not ready for a command");
    if (!is_allowed_qmp(command)) {
        return base::fail(base::errc::usage, fmt::format("the command {} is not one that only looks", command));
    }
    return send(command, arguments, out_of_band);
}

base::result<ticket> qmp_session::execute_proving(const proving_command& command) {
    if (phase_ != phase::ready) return base::fail(base::errc::usage, "the monitor is not ready for a command");
    return send(command.command(), command.arguments(), false);
}

ticket qmp_session::send(std::string_view command, std::string_view arguments, bool out_of_band) {
    const ticket question = next_ticket_++;
    open_.push_back(question);
    base::append(output_, R"({{"{}":"{}")", out_of_band ? "exec-oob" : "execute", command);
    if (!arguments.empty()) base::append(output_, R"(,"arguments":{})", arguments);
    base::append(output_,
                 R"(,"id":{}}})"
                 "\n",
                 question);
    return question;
}

bool qmp_session::take_answer(answer& next) {
    if (answers_.empty()) return false;
    next = std::move(answers_.front());
    answers_.pop_front();
    return true;
}

bool qmp_session::take_event(announcement& next) {
    if (events_.empty()) return false;
    next = std::move(events_.front());
    events_.pop_front();
    return true;
}

void qmp_session::forget(ticket question) { std::erase(open_, question); }

}  // namespace qmpwatch::monitor
