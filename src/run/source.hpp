// Where a run comes from: a run file, or what people have already: a log of HMP outputs, JSON Lines of replies. Told
// apart by their content, plain or gzip.
#pragma once

#include "base/error.hpp"
#include "run/run.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::run {

/// What is known of a run besides what happened in it.
struct run_info {
    std::string path;
    header about;
    std::optional<end> ended;  ///< none when the recorder was killed, or the file was cut
    std::vector<std::string> notes;  ///< what was wrong with the file and is not in the story: one sentence each
    bool is_imported = false;
};

/// Reads a run from its beginning to its end and hands over what happened, in order. `begin` gets the header first
/// (never twice). Fails with `absent` or `not_permitted` (no such file), `io`, or `data` (no run, of a newer version,
/// without a single sample); the sentence names the file. A torn last line, a cut gzip stream and a line that makes no
/// sense are dropped and noted. `path` is a file, or - for standard input.
base::result<run_info> read_run(const std::string& path, const std::function<void(const header&)>& begin,
                                const std::function<void(const happening&)>& hear);

}  // namespace qmpwatch::run
