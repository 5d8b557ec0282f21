// What a simulated VM is and how its monitor misbehaves: plain values, to be filled in by tests and by the command
// line.
#pragma once

#include "sim/load.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::sim {

enum class protocol { qmp, hmp };

/// QEMU's version. What depends on it: zone_append_* counters from 8.1 on, `singlestep` before 9.0, query-accelerators
/// from 10.2 on.
struct version {
    int major = 7;
    int minor = 2;
    int micro = 22;
    std::string package = "Debian 1:7.2+dfsg-7+deb12u18+b3";

    bool at_least(int wanted_major, int wanted_minor) const {
        return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
    }
};

/// How the guest sees a drive.
enum class guest_device {
    usb_storage,  ///< on qemu-xhci
    nvme,
    virtio_blk,
    ide_cd,
    scsi_cd,  ///< on virtio-scsi
    other,    ///< `type` on `controller`
};

struct drive_spec {
    std::string device;  ///< the backend's name; empty for a drive made with -blockdev
    std::string qdev;  ///< QOM path or id, as query-blockstats prints it
    std::string node_name;  ///< of the medium
    guest_device kind = guest_device::virtio_blk;
    std::string type;  ///< QOM's type of the device, where `kind` does not say it
    std::string controller;  ///< QOM's type of what `other` and `usb_storage` hang on; empty: none, qemu-xhci
    std::string file = "disk.img";
    std::string format = "raw";
    std::uint64_t size_bytes = std::uint64_t(64) << 20;
    bool read_only = false;
    bool inserted = true;  ///< false: an empty CD-ROM drive
    std::optional<bool> removable;  ///< none: as `kind` says
    bool cache_direct = false;
    bool cache_no_flush = false;
    bool cache_writeback = true;
    std::uint64_t limit_bytes_per_second = 0;  ///< I/O throttling as query-block shows it; 0 for none
    std::uint64_t limit_operations_per_second = 0;
    sim::load load = generated_load(load_spec{});

    bool is_removable() const;
};

/// What happens to the VM by itself, at a time since its start.
struct script_step {
    enum class kind {
        status,  ///< `text` is QEMU's new run state; STOP and RESUME are sent as QEMU does, when `with_events`
        event,  ///< `text` is the event's name, `data` the JSON text of its data or empty
        restart  ///< a new QEMU process: the client is dropped and all counters start at zero
    };
    nanoseconds at{0};
    kind what = kind::event;
    std::string text;
    std::string data;
    bool with_events = true;
};

/// How the monitor differs from a good one. All off by default; most can be combined.
struct misbehaviour {
    nanoseconds greeting_delay{0};  ///< greeting or banner so much later
    unsigned events_before_greeting = 0;  ///< QMP: that many BLOCK_IO_ERROR before the greeting and after it
    bool pretty = false;  ///< QMP: pretty=on
    bool half_message = false;  ///< the first reply stops in its middle, nothing comes after it
    bool disconnect_in_reply = false;  ///< the first reply stops in its middle, the connection is closed
    unsigned disconnect_after = 0;  ///< the connection is closed after that many commands; 0: never
    bool garbage = false;  ///< bytes that belong to no protocol instead of replies
    bool silence = false;  ///< accepts and says nothing, as behind another client or a mux
    bool silence_after_greeting = false;  ///< greeting, then no reply: a QMP monitor on a mux
    nanoseconds reply_delay{0};  ///< each reply so much later
    bool byte_by_byte = false;  ///< one byte a write
    bool split_crlf = false;  ///< each \r and \n in two writes, some milliseconds apart
    bool error_without_id = false;  ///< QMP: each command is answered by a parse error without id
    bool wrong_id = false;  ///< QMP: replies carry an id that nobody sent
    std::size_t huge_message_bytes = 0;  ///< replies (not to qmp_capabilities) have that size; 0: as they are
    unsigned nesting = 0;  ///< QMP: replies are arrays in arrays, that deep; 0: as they are
    unsigned events_per_second = 0;  ///< QMP: an event flood
    bool main_loop_blocked = false;  ///< replies are held back; greeting and OOB commands are answered (QMP)
    bool serial_console = false;  ///< boot messages of a guest instead of a monitor
    bool guest_agent = false;  ///< says nothing until written to, then answers as a guest agent
    bool telnet = false;  ///< telnet option bytes before the banner
    std::string foreign_greeting;  ///< what a server that is not QEMU says first; empty: a monitor
};

struct scenario {
    sim::protocol protocol = protocol::qmp;
    sim::version version;
    std::string vm_name = "winarm-install";
    std::string uuid = "11111111-2222-3333-4444-555555555555";
    std::string arch = "x86_64";  ///< or aarch64
    std::string machine = "pc-q35-7.2-machine";  ///< QOM type
    std::string accelerator = "kvm";  ///< kvm, tcg or hvf
    unsigned cpus = 2;  ///< 0: a QEMU without the commands that tell
    std::uint64_t memory_bytes = std::uint64_t(2) << 30;  ///< 0: the same
    bool kernel_irqchip = true;  ///< false as with -machine kernel-irqchip=off
    std::string gic_version = "3";  ///< aarch64 only
    std::string status = "running";  ///< QEMU's run state at the start
    std::vector<drive_spec> drives;
    std::vector<script_step> script;  ///< in the order of time
    nanoseconds script_period{0};  ///< above 0: the script starts again after so long
    misbehaviour fault;
};

/// Adds a drive, with the QOM path that QEMU gives to a device without id, and returns it for changes.
drive_spec& add_drive(scenario& where, guest_device kind, std::string name, const load_spec& how = {});

/// Makes the VM of a recording: its drives play the series, its script has the recorded states and events.
/// `speed` above 0.
void play_recording(scenario& where, std::shared_ptr<const recording> series, double speed, bool loop);

/// The names that apply_misbehaviour knows.
std::vector<std::string_view> misbehaviour_names();

/// Switches on one misbehaviour: `name`, or `name=value` with a duration (late_greeting=2s, slow_reply=10s,
/// counters_reset=30s) or a count (events_before_greeting=3, disconnect_after=5, huge_message=20000000,
/// deep_nesting=2000, many_drives=100, event_flood=5000). `usage` for a name or a value that makes no sense.
base::result<void> apply_misbehaviour(scenario& where, std::string_view text);

}  // namespace qmpwatch::sim
