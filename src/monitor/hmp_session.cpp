#include "monitor/hmp_session.hpp"

#include "base/text.hpp"
#include "monitor/allow_list.hpp"

#include <fmt/format.h>

#include <utility>

namespace qmpwatch::monitor {

namespace {

constexpr std::string_view prompt = "(qemu) ";
constexpr std::string_view line_end = "\r\n";

std::string version_in_banner(std::string_view text) {
    constexpr std::string_view begin = "QEMU ";
    constexpr std::string_view end = " monitor";
    const std::size_t from = text.find(begin);
    const std::size_t to = text.find(end, from == std::string_view::npos ? 0 : from);
    if (from == std::string_view::npos || to == std::string_view::npos) return {};
    return base::printable(text.substr(from + begin.size(), to - from - begin.size()));
}

}  // namespace

std::string shown_by_echo(std::string_view echo) {
    std::string line;
    std::size_t cursor = 0;
    for (std::size_t i = 0; i < echo.size(); ++i) {
        if (echo[i] == '\x1b' && i + 2 < echo.size() && echo[i + 1] == '[') {
            const char code = echo[i + 2];
            if (code == 'D' && cursor > 0) --cursor;
            if (code == 'C' && cursor < line.size()) ++cursor;
            if (code == 'K') line.resize(cursor);
            i += 2;
        } else {
            if (cursor < line.size()) {
                line[cursor] = echo[i];
            } else {
                line += echo[i];
            }
            ++cursor;
        }
    }
    return line;
}

base::result<void> hmp_session::receive(std::string_view bytes) {
    if (phase_ == phase::ready) return {};  // nothing was asked: a message for the console, not for us
    heard_ += bytes;
    if (heard_.size() > max_bytes) {
        return base::fail(base::errc::too_large, fmt::format("an answer is longer than {} MiB", max_bytes >> 20));
    }
    if (phase_ == phase::awaiting_prompt) {
        if (!heard_.ends_with(prompt)) return {};
        version_ = version_in_banner(heard_);
        heard_.clear();
        phase_ = phase::ready;
        return {};
    }
    if (echo_end_ == 0) {
        const std::size_t end = heard_.find(line_end);
        if (end == std::string::npos) return {};
        const std::string shown = shown_by_echo(std::string_view(heard_).substr(0, end));
        if (shown != asked_) {
            return base::fail(base::errc::protocol,
                              fmt::format("the monitor echoed '{}' for '{}': somebody else is typing on it",
                                          base::shorten(base::printable(shown), 40), asked_));
        }
        echo_end_ = end + line_end.size();
    }
    std::string_view body = std::string_view(heard_).substr(echo_end_);
    if (!body.ends_with(prompt)) return {};
    body.remove_suffix(prompt.size());
    if (!body.empty() && !body.ends_with(line_end)) return {};  // the prompt's letters inside a line
    if (open_) {
        if (body.starts_with("unknown command:") || body.starts_with("info: unknown")) {
            answers_.push_back({*open_, base::fail(base::errc::refused, base::printable(body.substr(0, 80)))});
        } else {
            answers_.push_back({*open_, std::string(body)});
        }
    }
    open_.reset();
    heard_.clear();
    echo_end_ = 0;
    phase_ = phase::ready;
    return {};
}

std::string hmp_session::take_output() { return std::exchange(output_, {}); }

base::result<ticket> hmp_session::execute(std::string_view line) {
    if (phase_ != phase::ready) return base::fail(base::errc::usage, "the monitor is not at its prompt");
    if (!is_allowed_hmp(line)) {
        return base::fail(base::errc::usage, fmt::format("the command '{}' is not one that only looks", line));
    }
    asked_ = line;
    output_ += line;
    output_ += '\n';  // never \r\n: the line editor takes it for two lines
    phase_ = phase::asking;
    open_ = next_ticket_++;
    return *open_;
}

bool hmp_session::take_answer(answer& next) {
    if (answers_.empty()) return false;
    next = std::move(answers_.front());
    answers_.pop_front();
    return true;
}

void hmp_session::forget(ticket question) {
    if (open_ == question) open_.reset();
}

}  // namespace qmpwatch::monitor
