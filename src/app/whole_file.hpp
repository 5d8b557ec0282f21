// Writes a file whole or not at all, or at the end of what is there.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::app {

/// Puts the text into a new file beside `path` and gives that the name, so that nobody ever sees a part of it and what
/// was there before stays until then. Something that is no ordinary file (a pipe, /dev/stdout) is written into as it
/// is. Fails with `not_permitted`, `usage` (a folder), or `io`; the sentence names the file.
base::result<void> write_whole_file(const std::string& path, std::string_view text);

/// Adds the text to what the file has, or makes it. Errors as write_whole_file.
base::result<void> append_to_file(const std::string& path, std::string_view text);

}  // namespace qmpwatch::app
