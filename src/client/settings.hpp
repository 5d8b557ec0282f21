// How a VM is watched: the cadence and the deadlines.
#pragma once

#include "base/clock.hpp"

namespace qmpwatch::client {

struct watch_settings {
    base::nanoseconds poll = base::seconds(1);         ///< from one query-blockstats to the next
    base::nanoseconds first_byte = base::seconds(2);   ///< a monitor that says nothing for so long is busy
    base::nanoseconds reply = base::seconds(2);        ///< a command that takes longer finds the monitor blocked
    base::nanoseconds run_state = base::seconds(15);   ///< QMP: how often the run state is asked besides its events
    base::nanoseconds inventory = base::seconds(60);   ///< HMP, which has no events: how often media are looked at
    base::nanoseconds process = base::seconds(5);      ///< how often QEMU's process is looked at
};

}  // namespace qmpwatch::client
