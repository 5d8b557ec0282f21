// What the poll loop of one VM tells the rest of the program, in the order in which it happened.
#pragma once

#include "base/clock.hpp"
#include "sample/sample.hpp"
#include "sample/vm.hpp"

namespace qmpwatch::client {

class observer {
public:
    virtual ~observer() = default;

    virtual void monitor_changed(const sample::monitor_change& change) = 0;
    virtual void identified(const sample::vm_identity& identity) = 0;
    virtual void run_state_changed(const sample::run_state_change& change) = 0;
    virtual void inventory_changed(const sample::inventory& drives) = 0;
    virtual void sampled(const sample::sample& counters) = 0;
    virtual void event_heard(const sample::qmp_event& event) = 0;
    virtual void poll_ended(const sample::poll_result& result) = 0;

    /// How long after the last sample the next one is wanted: at most `normal`, the time between two beats.
    virtual base::nanoseconds wanted_poll(base::nanoseconds normal) const { return normal; }
};

}  // namespace qmpwatch::client
