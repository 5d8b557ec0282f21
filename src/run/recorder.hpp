// The recorder: writes down what happens to one VM, line by line.
#pragma once

#include "base/error.hpp"
#include "run/output.hpp"
#include "run/run.hpp"
#include "run/run_file.hpp"

#include <memory>
#include <string>

namespace qmpwatch::run {

/// Leaves out paths, addresses of sockets and serials: file names, socket, uuid, and the texts in which they may stand.
happening redacted(const happening& one);

class recorder {
public:
    /// Creates the file and writes the header. Errors as output::create.
    static base::result<recorder> create(const std::string& path, bool overwrite, const header& about);

    /// Writes one thing down. After an error nothing is written any more, and the error is returned again.
    base::result<void> hear(const happening& one);

    /// Writes the end and closes the file.
    base::result<void> finish(const end& how);

private:
    recorder(std::unique_ptr<output> to, const header& about) : to_(std::move(to)), about_(about), lines_(about) {}

    std::unique_ptr<output> to_;
    header about_;
    line_writer lines_;
};

}  // namespace qmpwatch::run
