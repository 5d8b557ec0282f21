#include "monitor/session.hpp"

#include <utility>

namespace qmpwatch::monitor {

base::result<void> session::receive(std::string_view bytes) {
    if (auto* qmp = std::get_if<qmp_session>(&inner_)) return qmp->receive(bytes);
    if (auto* hmp = std::get_if<hmp_session>(&inner_)) return hmp->receive(bytes);

    first_bytes_ += bytes;
    constexpr std::size_t longest_preamble = 4096;
    const detection found = detect(first_bytes_);
    switch (found.decided) {
        case detection::verdict::more:
            if (first_bytes_.size() <= longest_preamble) return {};
            [[fallthrough]];
        case detection::verdict::stranger:
            return base::fail(base::errc::not_a_monitor,
                              describe_stranger(std::string_view(first_bytes_).substr(found.skip)));
        case detection::verdict::qmp: inner_.emplace<qmp_session>(); break;
        case detection::verdict::hmp: inner_.emplace<hmp_session>(); break;
    }
    const std::string rest = std::exchange(first_bytes_, {}).substr(found.skip);
    return receive(rest);
}

std::string session::take_output() {
    if (auto* qmp = std::get_if<qmp_session>(&inner_)) return qmp->take_output();
    if (auto* hmp = std::get_if<hmp_session>(&inner_)) return hmp->take_output();
    return {};
}

base::result<ticket> session::execute_qmp(std::string_view command, std::string_view arguments, bool out_of_band) {
    if (auto* qmp = std::get_if<qmp_session>(&inner_)) return qmp->execute(command, arguments, out_of_band);
    return base::fail(base::errc::usage, "this is not a QMP monitor");
}

base::result<ticket> session::execute_proving(const proving_command& command) {
    if (auto* qmp = std::get_if<qmp_session>(&inner_)) return qmp->execute_proving(command);
    return base::fail(base::errc::usage, "this is not a QMP monitor");
}

base::result<ticket> session::execute_hmp(std::string_view line) {
    if (auto* hmp = std::get_if<hmp_session>(&inner_)) return hmp->execute(line);
    return base::fail(base::errc::usage, "this is not an HMP monitor");
}

bool session::take_answer(answer& next) {
    if (auto* qmp = std::get_if<qmp_session>(&inner_)) return qmp->take_answer(next);
    if (auto* hmp = std::get_if<hmp_session>(&inner_)) return hmp->take_answer(next);
    return false;
}

bool session::take_event(announcement& next) {
    auto* qmp = std::get_if<qmp_session>(&inner_);
    return qmp != nullptr && qmp->take_event(next);
}

void session::forget(ticket question) {
    if (auto* qmp = std::get_if<qmp_session>(&inner_)) qmp->forget(question);
    if (auto* hmp = std::get_if<hmp_session>(&inner_)) hmp->forget(question);
}

session::phase session::current() const {
    if (const auto* qmp = std::get_if<qmp_session>(&inner_)) {
        return qmp->current() == qmp_session::phase::ready ? phase::ready : phase::negotiating;
    }
    if (const auto* hmp = std::get_if<hmp_session>(&inner_)) {
        switch (hmp->current()) {
            case hmp_session::phase::awaiting_prompt: return phase::negotiating;
            case hmp_session::phase::ready: return phase::ready;
            case hmp_session::phase::asking: return phase::asking;
        }
    }
    return phase::listening;
}

std::optional<protocol> session::speaks() const {
    if (std::holds_alternative<qmp_session>(inner_)) return protocol::qmp;
    if (std::holds_alternative<hmp_session>(inner_)) return protocol::hmp;
    return std::nullopt;
}

std::string session::version() const {
    if (const auto* qmp = std::get_if<qmp_session>(&inner_)) return qmp->greeted().version;
    if (const auto* hmp = std::get_if<hmp_session>(&inner_)) return hmp->version();
    return {};
}

std::string session::package() const {
    const auto* qmp = std::get_if<qmp_session>(&inner_);
    return qmp != nullptr ? qmp->greeted().package : std::string();
}

bool session::can_out_of_band() const {
    const auto* qmp = std::get_if<qmp_session>(&inner_);
    return qmp != nullptr && qmp->can_out_of_band();
}

}  // namespace qmpwatch::monitor
