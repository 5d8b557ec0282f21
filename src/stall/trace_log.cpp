#include "stall/trace_log.hpp"

#include <algorithm>
#include <charconv>

namespace qmpwatch::stall {

namespace {

constexpr std::size_t longest_line = 1024;
constexpr std::size_t most_waiting = 64;     // one for each device is what can be; the rest is a broken log
constexpr std::size_t most_lost = 100'000;   // of 10 s each

/// A status follows its completion within microseconds when all is well, unless the VM is paused just there.
constexpr base::nanoseconds long_after = base::seconds(1);

/// The number behind `tag 0x`; none when there is none.
std::optional<std::uint32_t> tag_in(std::string_view text) {
    constexpr std::string_view mark = "tag 0x";
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + mark.size());
    std::uint32_t tag = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), tag, 16);
    if (failure != std::errc{}) return std::nullopt;
    return tag;
}

}  // namespace

void trace_log::feed(std::string_view bytes, base::steady_time now) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
        if (!is_skipping_) rest_ += part.substr(0, longest_line + 1 - std::min(rest_.size(), longest_line));
        is_skipping_ = rest_.size() > longest_line;
        if (end == std::string_view::npos) continue;
        if (!is_skipping_) take(rest_, now);
        rest_.clear();
        is_skipping_ = false;
    }
}

void trace_log::take(std::string_view line, base::steady_time now) {
    // With -msg timestamp=on, `pid@seconds:` stands before the name.
    constexpr std::string_view family = "usb_msd_";
    const std::size_t at = line.find(family);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ':' && line[at - 1] != ' ')) return;
    line.remove_prefix(at + family.size());
    const std::string_view event = line.substr(0, line.find_first_of(" \r"));
    const std::string_view arguments = line.substr(event.size());
    ++lines_;
    if (event == "reset") return give_up(now);

    const std::optional<std::uint32_t> tag = tag_in(arguments);
    if (!tag) return;
    const auto is_its_own = [&](const open_command& one) { return one.tag == *tag; };
    if (event == "cmd_complete") {
        ++completed_;
        std::erase_if(waiting_, is_its_own);
        if (waiting_.size() < most_waiting) waiting_.push_back({*tag, now});
    } else if (event == "send_status" || event == "cmd_cancel") {
        std::erase_if(waiting_, is_its_own);
    } else if (event == "cmd_submit" && devices_ <= 1) {
        give_up(now);
    }
}

void trace_log::give_up(base::steady_time now) {
    for (const open_command& one : waiting_) {
        const bool is_sure = devices_ <= 1 || now - one.at >= long_after;
        if (is_sure && lost_.size() < most_lost) lost_.push_back({one.tag, one.at, now});
    }
    std::erase_if(waiting_, [&](const open_command& one) { return devices_ <= 1 || now - one.at >= long_after; });
}

}  // namespace qmpwatch::stall
