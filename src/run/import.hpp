// Runs from what people have already: JSON Lines of replies to query-blockstats, text logs of `info blockstats`. Pure
// text; how such a file gets here is the business of source.hpp.
#pragma once

#include "base/error.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::run {

enum class content : std::uint8_t {
    run_file,    ///< a run file's header, of whatever version
    json_lines,  ///< JSON objects with `t` and what QEMU replied
    hmp_log,     ///< text with something in it that a human monitor says
    unknown,
};

/// Recognizes a file by its beginning; 64 KiB are enough.
content recognize(std::string_view beginning);

struct imported {
    /// No id, host and version. Its clocks are zero at the first time in the file; see `has_wall_clock`.
    header about;
    /// An identity first (its `vm` is the VM's name, mostly empty), then an inventory where drives tell how they are
    /// attached, then what happened, in the order of time.
    std::vector<happening> story;
    std::vector<std::string> notes;  ///< what was left out, and why: one sentence each
};

/// Reads JSON Lines in any of three forms: {"t","rtt","status","events","blockstats"}, {"t","rtt_ms","return"} with
/// {"t","event"} among them, and {"t","rtt_ms","text"} with what `info blockstats` printed. `t` is in seconds, since
/// 1970 or since anything; `wall`, seconds since 1970, is taken too. Other lines are left out and noted, and so are
/// those whose `t` goes back and a torn last one. `data` when no line holds counters.
base::result<imported> import_json_lines(std::string_view text);

/// Reads a log of outputs of `info blockstats` with times between them (find_stamp says which), before or after each.
/// Banners, prompts, echoes and other outputs may stand between them; `info status`, `info block`, `info name` and
/// `info version` are taken. What cannot be used is left out and noted. `data`, with a sentence that says how to write
/// such a log, when it holds no output of `info blockstats`, or none with a time.
base::result<imported> import_hmp_log(std::string_view text);

}  // namespace qmpwatch::run
