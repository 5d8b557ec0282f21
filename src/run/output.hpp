// The file that a run is written to: whole lines or nothing, plain or gzip.
#pragma once

#include "base/error.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace qmpwatch::run {

class output {
public:
    /// Creates the file, gzip when its name ends in .gz. An existing file is replaced only when `overwrite`; otherwise
    /// `usage`. Fails with `not_permitted` or `io`; the sentence names the file and what to do.
    static base::result<std::unique_ptr<output>> create(const std::string& path, bool overwrite);
    ~output();
    output(const output&) = delete;
    output& operator=(const output&) = delete;

    /// Appends the text, which must consist of whole lines, so that it survives the end of this process. When that
    /// fails (a full disk) the file is cut back to the last whole line, and this and all later calls fail with `io`.
    base::result<void> append(std::string_view lines);

    /// Writes everything to the disk itself and closes the file. To be called once, last.
    base::result<void> close();

private:
    class file;
    explicit output(std::unique_ptr<file> how);
    std::unique_ptr<file> file_;
};

}  // namespace qmpwatch::run
