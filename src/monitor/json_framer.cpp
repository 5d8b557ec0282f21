#include "monitor/json_framer.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace qmpwatch::monitor {

namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// The bytes that can change the framer's state outside a string.
constexpr std::array<bool, 256> structural = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("\"{}[]:,")) table[static_cast<unsigned char>(c)] = true;
    return table;
}();

}  // namespace

std::string_view framed_object::operator[](std::string_view key) const {
    for (std::size_t i = 0; i < member_count; ++i) {
        if (members[i].key == key) return members[i].value;
    }
    return {};
}

std::span<char> json_framer::prepare(std::size_t least) {
    // Between objects nothing is kept, so the usual reply lands at the front of the same memory again and again.
    if (begin_ == end_) {
        begin_ = scan_ = end_ = 0;
    }
    if (buffer_.size() - end_ < least && begin_ > 0) {
        const std::size_t shift = begin_;
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        begin_ = 0;
        scan_ -= shift;
        end_ -= shift;
        for (std::size_t i = 0; i < member_count_; ++i) {
            members_[i].key_begin -= shift;
            members_[i].key_end -= shift;
            members_[i].value_begin -= shift;
            members_[i].value_end -= shift;
        }
        // Offsets of a member that has not begun are of no meaning and may wrap; they are set before they are read.
        open_.key_begin -= shift;
        open_.key_end -= shift;
        open_.value_begin -= shift;
    }
    if (buffer_.size() - end_ < least) buffer_.resize(std::max(buffer_.size() * 2, end_ + least));
    return {buffer_.data() + end_, buffer_.size() - end_};
}

void json_framer::commit(std::size_t count) { end_ += std::min(count, buffer_.size() - end_); }

void json_framer::feed(std::string_view bytes) {
    if (bytes.empty()) return;
    const std::span<char> room = prepare(bytes.size());
    std::memcpy(room.data(), bytes.data(), bytes.size());
    commit(bytes.size());
}

void json_framer::close_member(std::size_t end) {
    if (!in_value_) return;
    in_value_ = false;
    open_.value_end = end;
    if (member_count_ < members_.size()) members_[member_count_++] = open_;
}

base::result<bool> json_framer::next(framed_object& object) {
    const char* const data = buffer_.data();
    if (depth_ == 0) {
        while (scan_ < end_ && is_space(data[scan_])) ++scan_;
        begin_ = scan_;
        if (scan_ == end_) return false;
        if (data[scan_] != '{') {
            const std::string_view seen(data + scan_, std::min<std::size_t>(end_ - scan_, 40));
            return base::fail(base::errc::protocol,
                              fmt::format("expected a JSON object, got '{}'", base::printable(seen)));
        }
        member_count_ = 0;
        in_value_ = false;
    }
    while (scan_ < end_) {
        const char c = data[scan_];
        if (in_string_) {
            if (escaped_) {
                escaped_ = false;
            } else if (c == '\\') {
                escaped_ = true;
            } else if (c == '"') {
                in_string_ = false;
                if (depth_ == 1 && !in_value_) open_.key_end = scan_;
            }
            ++scan_;
            continue;
        }
        if (!structural[static_cast<unsigned char>(c)]) {
            ++scan_;
            continue;
        }
        switch (c) {
            case '"':
                in_string_ = true;
                if (depth_ == 1 && !in_value_) open_.key_begin = scan_ + 1;
                break;
            case '{':
            case '[':
                if (++depth_ > max_depth) {
                    return base::fail(base::errc::too_large,
                                      fmt::format("a message is nested more than {} levels deep", max_depth));
                }
                if (depth_ == 1) open_ = {scan_, scan_, scan_, scan_};
                break;
            case ':':
                if (depth_ == 1 && !in_value_) {
                    in_value_ = true;
                    open_.value_begin = scan_ + 1;
                }
                break;
            case ',':
                if (depth_ == 1) {
                    close_member(scan_);
                    open_ = {scan_, scan_, scan_, scan_};
                }
                break;
            default:  // '}' and ']'
                if (depth_ == 1) close_member(scan_);
                --depth_;
                break;
        }
        ++scan_;
        if (depth_ == 0) {
            object.text = {data + begin_, scan_ - begin_};
            object.member_count = member_count_;
            for (std::size_t i = 0; i < member_count_; ++i) {
                const span_of_member& found = members_[i];
                std::string_view value{data + found.value_begin, found.value_end - found.value_begin};
                while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
                while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
                object.members[i] = {{data + found.key_begin, found.key_end - found.key_begin}, value};
            }
            begin_ = scan_;
            return true;
        }
    }
    if (end_ - begin_ > max_bytes) {
        return base::fail(base::errc::too_large, fmt::format("a message is longer than {} MiB", max_bytes >> 20));
    }
    return false;
}

}  // namespace qmpwatch::monitor
