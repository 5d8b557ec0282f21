// A run: what was seen of one VM from some moment to another, with a header that says of what and where. In memory; how
// it stands in a file is told in docs/run-file.md.
#pragma once

#include "base/clock.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qmpwatch::run {

/// The version of the run file that is written. Files of another major version are refused.
inline constexpr std::string_view schema_name = "qmpwatch-run";
inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 1;

/// The machine that the VM runs on, as far as the recorder knew it. What is not known is empty or 0.
struct host_facts {
    std::string system;  ///< Linux 6.1.0-28-amd64
    std::string cpu;  ///< the model's name
    unsigned cpus = 0;  ///< logical

    friend bool operator==(const host_facts&, const host_facts&) = default;
};

struct header {
    int major = schema_major;
    int minor = schema_minor;
    std::string id;  ///< different for every run: 16 hexadecimal digits; empty for imported ones
    std::string qmpwatch;  ///< the version that wrote it; empty for imported ones
    /// The zero of the file's clocks. In an imported run the wall clock is only known where `has_wall_clock` says so.
    base::instant start;
    bool has_wall_clock = true;
    base::nanoseconds poll = base::seconds(1);  ///< the cadence of samples
    base::nanoseconds interval = base::seconds(15);  ///< the window of rates while it was recorded
    host_facts host;
    std::string git_commit;  ///< of the folder in which it was recorded, or as CI names it
    std::string ci_job;  ///< an address or a name
    std::vector<std::pair<std::string, std::string>> labels;  ///< as given by the user, keys differ
    bool is_redacted = false;  ///< paths and serials were left out
};

/// A note of the user's or of a script's.
struct marker {
    std::string text;
    base::instant at;
};

/// What can happen, in the words of the poll loop; a run is these in their order. An identity carries in `vm` the name
/// under which the VM was shown.
using happening = std::variant<sample::monitor_change, sample::vm_identity, sample::run_state_change, sample::inventory,
                               sample::sample, sample::qmp_event, sample::poll_result, marker>;

/// When it happened; none for those that have no time of their own (an identity, an inventory, a poll's result).
std::optional<base::instant> time_of(const happening& one);

enum class end_reason : std::uint8_t {
    guest_shutdown,  ///< the guest switched the VM off
    command_exit,  ///< the command that was run has ended
    quiet,  ///< no drive did anything for as long as was asked for
    time_limit,
    interrupted,  ///< by Ctrl-C or SIGTERM
    monitor_lost,  ///< QEMU ended or closed the monitor, and not because the guest shut down
    imported,  ///< from a log of something else, of which all there is was read
};
inline constexpr std::array end_reasons{end_reason::guest_shutdown, end_reason::command_exit, end_reason::quiet,
                                        end_reason::time_limit,     end_reason::interrupted,  end_reason::monitor_lost,
                                        end_reason::imported};

/// guest-shutdown, command-exit, ...
std::string_view name(end_reason reason);

struct end {
    end_reason reason = end_reason::interrupted;
    std::optional<int> exit_code;  ///< of the command, 128 + N when signal N ended it
    base::instant at;

    /// True when what was recorded has run to its own end: such a run can be compared with others. A command counts
    /// when it ended with 0.
    bool is_complete() const;
};

}  // namespace qmpwatch::run
