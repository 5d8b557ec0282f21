// Sizes as people write them: 512, 64KiB, 7.6GB.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string_view>

namespace qmpwatch::base {

/// Reads a number of bytes: plain, or with B, kB, MB, GB, TB (powers of ten) or KiB, MiB, GiB, TiB (powers of two);
/// decimals are allowed with a unit, blanks between. K, M, G and T alone are an error, because nobody can tell which
/// is meant. `usage` for anything else, and above 2^63.
result<std::uint64_t> parse_size(std::string_view text);

}  // namespace qmpwatch::base
