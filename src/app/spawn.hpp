// Starting other programs: what they inherit from this one, and what not.
#pragma once

#include <spawn.h>

namespace qmpwatch::app {

/// Makes the descriptors of this program (monitors, the web server's port) none of the other's business; standard
/// input, output and error are inherited. Adds to `flags`, which are to be set on the attributes afterwards.
void close_other_descriptors(posix_spawn_file_actions_t& actions, short& flags);

/// Lets the other program meet signals as usual that this one ignores or handles. Adds to `flags`.
void restore_signals(posix_spawnattr_t& attributes, short& flags);

}  // namespace qmpwatch::app
