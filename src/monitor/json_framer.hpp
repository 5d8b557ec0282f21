// Cuts a stream of bytes into JSON objects, without parsing them: it only follows strings and brackets. It frames by
// object, not by line, because a monitor with pretty=on spreads one message over many lines.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::monitor {

/// One whole object and its outermost members. The views live until the framer is fed again.
struct framed_object {
    struct member {
        std::string_view key;    ///< between its quotes; escapes are left as they are
        std::string_view value;  ///< its JSON text without surrounding white space
    };
    static constexpr std::size_t max_members = 16;

    std::string_view text;
    std::array<member, max_members> members;  ///< what comes after the first 16 is not listed: QMP has at most 4
    std::size_t member_count = 0;

    /// The JSON text of the member with this key; an empty view when there is none.
    std::string_view operator[](std::string_view key) const;
};

class json_framer {
public:
    static constexpr std::size_t max_bytes = std::size_t{16} << 20;  ///< of one object
    static constexpr std::size_t max_depth = 1024;                   ///< as QEMU's own parser

    /// Room for the next bytes, at least `least` of them.
    std::span<char> prepare(std::size_t least = 16 << 10);

    /// Says that the first `count` bytes of the room hold data now.
    void commit(std::size_t count);

    /// Copies bytes in: prepare and commit in one.
    void feed(std::string_view bytes);

    /// The next whole object; false when more bytes are needed. Anything but white space between objects is a
    /// `protocol` error; an object above the bounds is `too_large`. After an error the framer is of no more use.
    base::result<bool> next(framed_object& object);

    /// True inside an object.
    bool is_inside() const { return depth_ > 0; }

private:
    struct span_of_member {
        std::size_t key_begin = 0, key_end = 0, value_begin = 0, value_end = 0;
    };
    void close_member(std::size_t end);

    std::vector<char> buffer_;
    std::size_t begin_ = 0;  ///< of the object that is being scanned
    std::size_t scan_ = 0;   ///< the next byte to look at
    std::size_t end_ = 0;    ///< of the data
    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    bool in_value_ = false;  ///< at depth 1: after the colon
    std::array<span_of_member, framed_object::max_members> members_{};
    std::size_t member_count_ = 0;
    span_of_member open_;
};

}  // namespace qmpwatch::monitor
