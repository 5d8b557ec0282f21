// The lines of a run file: what is written for each thing that happened, and how it is read back. Pure text; the file
// itself is the business of output.hpp and source.hpp. docs/run-file.md is the contract.
#pragma once

#include "base/error.hpp"
#include "run/run.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::run {

/// Makes lines. Counters that have not changed are not repeated, so every line counts: the lines of one writer belong
/// into one file, in their order.
class line_writer {
public:
    /// `about.start` is the zero of all times.
    explicit line_writer(const header& about) : about_(about) {}

    /// Each is one line with its line end. write() is empty when there is nothing to write down.
    std::string first_line() const;
    std::string write(const happening& one);
    std::string last_line(const end& how) const;

private:
    std::string write_sample(const sample::sample& counters);

    header about_;
    std::optional<std::vector<sample::drive_sample>> before_;  ///< of the last sample: what a reader knows by now
};

/// Reads lines back.
class line_reader {
public:
    /// The first line. `data` when it is none or of a newer major version, with a sentence that says so.
    static base::result<header> read_header(std::string_view line);

    /// `about` as read_header gave it.
    explicit line_reader(const header& about) : about_(about) {}

    /// Any other line, without its line end: what happened, or nothing for the end and for kinds of lines that a later
    /// minor version may have. `data` when it is no such line, with a sentence without the line's number. Then the
    /// line has left no trace.
    base::result<std::optional<happening>> read(std::string_view line);

    /// Set once the last line has been read.
    const std::optional<end>& ended() const { return end_; }

private:
    header about_;
    std::vector<sample::drive_sample> drives_;
    std::optional<base::steady_time> last_sample_;
    std::optional<end> end_;
};

}  // namespace qmpwatch::run
