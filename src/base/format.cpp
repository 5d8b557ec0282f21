#include "base/format.hpp"

#include <fmt/format.h>

#include <iterator>

namespace qmpwatch::base {

void append_formatted(std::string& out, fmt::string_view format, fmt::format_args arguments) {
    fmt::vformat_to(std::back_inserter(out), format, arguments);
}

}  // namespace qmpwatch::base
