// A simulated VM without its sockets: run state, drives and their counters at a given time, QOM tree.
#pragma once

#include "sim/scenario.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::sim {

/// One object of the QOM tree, with the properties that can be read: JSON texts.
struct qom_node {
    std::string path;
    std::string type;
    std::vector<std::pair<std::string, std::string>> properties;
};

/// The QOM path of a virtual CPU.
std::string cpu_path(unsigned index);

/// All times are since the VM's start and must not go back.
class machine {
public:
    explicit machine(scenario what);

    const scenario& what() const { return what_; }
    misbehaviour& fault() { return what_.fault; }

    bool running() const { return what_.status == "running"; }
    void set_status(std::string_view status, nanoseconds now);

    /// The counters of the drive at that place in `what().drives`.
    counters counted(std::size_t index, nanoseconds now);

    void add_drive(drive_spec drive, nanoseconds now);

    /// The methods with `device` take a drive's name, or its qdev where it has no name; false when there is none.
    bool remove_drive(std::string_view device);
    /// Another file and node name, or no medium with an empty `file`. The counters go on, as in QEMU.
    bool change_medium(std::string_view device, std::string file);
    /// One operation of that drive ends with an error. `write` false: a read.
    bool fail_operation(std::string_view device, bool write);

    /// A new process: all counters at zero, the loads start again.
    void restart(nanoseconds now);

    /// Built at each call: clients ask a few questions at each start and none later.
    std::vector<qom_node> qom_tree() const;

private:
    struct extra {
        load fresh;  // the load before it ran
        std::uint64_t failed_reads = 0;
        std::uint64_t failed_writes = 0;
        nanoseconds start{0};
    };

    drive_spec* find(std::string_view device);

    scenario what_;
    std::vector<extra> extras_;  // one for each drive
    unsigned media_changes_ = 0;
    nanoseconds paused_at_{0};
};

}  // namespace qmpwatch::sim
