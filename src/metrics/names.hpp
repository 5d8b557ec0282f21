// The names table: every metric that qmpwatch exports, with its type and what it means. The one place to name one.
#pragma once

#include <prometheus/metric_type.h>

#include <array>
#include <cstddef>

namespace qmpwatch::metrics {

/// The families in the order in which they are written.
enum class family : std::size_t {
    up,
    vm_info,
    vm_state,
    monitor_state,
    process_cpu,
    process_resident,
    process_start,
    events,
    block_info,
    read_bytes,
    written_bytes,
    discarded_bytes,
    reads_completed,
    writes_completed,
    flushes_completed,
    discards_completed,
    read_time,
    write_time,
    flush_time,
    discard_time,
    reads_merged,
    writes_merged,
    discards_merged,
    failed,
    invalid,
    idle,
    highest_write_offset,
    read_bytes_per_second,
    write_bytes_per_second,
    read_iops,
    write_iops,
    busy_ratio,
    stalls,
    stall_seconds,
    stall_duration,
    stall_level,
    gap,
    build_info,
    polls,
    late_polls,
    poll_duration,
    reconnects,
    last_poll,
    own_cpu,
    own_resident,
    own_virtual,
    own_start,
    own_open_fds,
    own_max_fds,
    count_  ///< how many there are
};

struct description {
    family id;
    const char* name;
    prometheus::MetricType type;
    const char* help;  ///< whole sentences on one line
};

namespace detail {
inline constexpr auto counter = prometheus::MetricType::Counter;
inline constexpr auto gauge = prometheus::MetricType::Gauge;
inline constexpr auto histogram = prometheus::MetricType::Histogram;
}  // namespace detail

inline constexpr std::array<description, static_cast<std::size_t>(family::count_)> descriptions{{
    {family::up, "qemu_up", detail::gauge,
     "Whether the monitor of the VM answers and has answered a poll: 1 if so, else 0."},
    {family::vm_info, "qemu_vm_info", detail::gauge,
     "Who the VM is. The value is always 1; what the monitor does not tell is an empty label."},
    {family::vm_state, "qemu_vm_state", detail::gauge,
     "The run state of the VM as QEMU names it: 1 for the current state, 0 for the others. Absent while it is "
     "unknown."},
    {family::monitor_state, "qemu_monitor_state", detail::gauge,
     "The state of the VM's monitor as seen from here: 1 for the current state, 0 for the others."},
    {family::process_cpu, "qemu_process_cpu_seconds_total", detail::counter,
     "User and system CPU time that the QEMU process has used since it started."},
    {family::process_resident, "qemu_process_resident_memory_bytes", detail::gauge,
     "Resident memory of the QEMU process."},
    {family::process_start, "qemu_process_start_time_seconds", detail::gauge,
     "When the QEMU process started, in seconds since the Unix epoch."},
    {family::events, "qemu_events_total", detail::counter,
     "QMP events of the VM that were heard since qmpwatch started."},
    {family::block_info, "qemu_block_info", detail::gauge,
     "What the drive is, how it is attached and what is in it. The value is always 1; what is not known is an empty "
     "label."},
    {family::read_bytes, "qemu_block_read_bytes_total", detail::counter,
     "Bytes that successful reads of the drive have returned since QEMU started."},
    {family::written_bytes, "qemu_block_written_bytes_total", detail::counter,
     "Bytes that successful writes to the drive have stored since QEMU started."},
    {family::discarded_bytes, "qemu_block_discarded_bytes_total", detail::counter,
     "Bytes that successful discards on the drive have freed since QEMU started."},
    {family::reads_completed, "qemu_block_reads_completed_total", detail::counter,
     "Reads that have completed successfully since QEMU started."},
    {family::writes_completed, "qemu_block_writes_completed_total", detail::counter,
     "Writes that have completed successfully since QEMU started."},
    {family::flushes_completed, "qemu_block_flushes_completed_total", detail::counter,
     "Flushes that have completed successfully since QEMU started."},
    {family::discards_completed, "qemu_block_discards_completed_total", detail::counter,
     "Discards that have completed successfully since QEMU started."},
    {family::read_time, "qemu_block_read_time_seconds_total", detail::counter,
     "Sum of the latencies of completed reads. It may grow faster than the clock when several are in flight."},
    {family::write_time, "qemu_block_write_time_seconds_total", detail::counter,
     "Sum of the latencies of completed writes. It may grow faster than the clock when several are in flight."},
    {family::flush_time, "qemu_block_flush_time_seconds_total", detail::counter,
     "Sum of the latencies of completed flushes. It may grow faster than the clock when several are in flight."},
    {family::discard_time, "qemu_block_discard_time_seconds_total", detail::counter,
     "Sum of the latencies of completed discards. It may grow faster than the clock when several are in flight."},
    {family::reads_merged, "qemu_block_reads_merged_total", detail::counter,
     "Read requests that QEMU has merged into another one since it started."},
    {family::writes_merged, "qemu_block_writes_merged_total", detail::counter,
     "Write requests that QEMU has merged into another one since it started."},
    {family::discards_merged, "qemu_block_discards_merged_total", detail::counter,
     "Discard requests that QEMU has merged into another one since it started."},
    {family::failed, "qemu_block_failed_total", detail::counter,
     "Operations that have completed with an error since QEMU started."},
    {family::invalid, "qemu_block_invalid_total", detail::counter,
     "Operations that QEMU has refused as invalid at submission since it started."},
    {family::idle, "qemu_block_idle_seconds", detail::gauge,
     "Time since the last operation completed on the drive, as of the last poll. Absent before the first operation."},
    {family::highest_write_offset, "qemu_block_highest_write_offset_bytes", detail::gauge,
     "The offset after the highest byte that was written since QEMU opened the image."},
    {family::read_bytes_per_second, "qemu_block_read_bytes_per_second", detail::gauge,
     "Bytes read per second over the interval of qmpwatch that ends with the last poll. Absent in the first interval."},
    {family::write_bytes_per_second, "qemu_block_write_bytes_per_second", detail::gauge,
     "Bytes written per second over the interval of qmpwatch that ends with the last poll. Absent in the first "
     "interval."},
    {family::read_iops, "qemu_block_read_iops", detail::gauge,
     "Reads completed per second over the interval of qmpwatch that ends with the last poll. Absent in the first "
     "interval."},
    {family::write_iops, "qemu_block_write_iops", detail::gauge,
     "Writes completed per second over the interval of qmpwatch that ends with the last poll. Absent in the first "
     "interval."},
    {family::busy_ratio, "qemu_block_busy_ratio", detail::gauge,
     "Time spent in completed operations over elapsed time, in the same interval. It exceeds 1 when several are in "
     "flight."},
    {family::stalls, "qemu_block_stalls_total", detail::counter,
     "Stalls of the drive, by cause: times in a stream of I/O in which nothing completed, though it was not idle."},
    {family::stall_seconds, "qemu_block_stall_seconds_total", detail::counter,
     "Time that the drive has lost to stalls."},
    {family::stall_duration, "qemu_block_stall_duration_seconds", detail::histogram,
     "How long the stalls of the drive took. Absent for causes that have not occurred."},
    {family::stall_level, "qemu_block_stall_level", detail::gauge,
     "How sure it is that the drive stalls for this cause: 0 not at all, 1 suspected, 2 probable, 3 confirmed."},
    {family::gap, "qemu_block_gap_seconds", detail::gauge,
     "How long nothing has completed in the middle of a stream of I/O, as of the last poll, without the time in which "
     "the VM was paused. 0 when the stream flows or there is none."},
    {family::build_info, "qmpwatch_build_info", detail::gauge, "Which qmpwatch this is. The value is always 1."},
    {family::polls, "qmpwatch_polls_total", detail::counter, "Polls of all VMs, by how they ended."},
    {family::late_polls, "qmpwatch_late_polls_total", detail::counter,
     "Polls that began more than 100 ms after their beat: qmpwatch does not get enough CPU time."},
    {family::poll_duration, "qmpwatch_poll_duration_seconds", detail::histogram,
     "How long the monitors of all VMs took to answer a poll."},
    {family::reconnects, "qmpwatch_reconnects_total", detail::counter,
     "Connections to the VM's monitor after the first one."},
    {family::last_poll, "qmpwatch_last_poll_timestamp_seconds", detail::gauge,
     "When the VM last answered a poll, in seconds since the Unix epoch. Absent before the first answer."},
    {family::own_cpu, "process_cpu_seconds_total", detail::counter,
     "User and system CPU time that qmpwatch has used since it started."},
    {family::own_resident, "process_resident_memory_bytes", detail::gauge, "Resident memory of qmpwatch."},
    {family::own_virtual, "process_virtual_memory_bytes", detail::gauge, "Address space of qmpwatch."},
    {family::own_start, "process_start_time_seconds", detail::gauge,
     "When qmpwatch started, in seconds since the Unix epoch."},
    {family::own_open_fds, "process_open_fds", detail::gauge, "File descriptors that qmpwatch has open."},
    {family::own_max_fds, "process_max_fds", detail::gauge, "File descriptors that qmpwatch may have open at most."},
}};

constexpr const description& describe(family id) { return descriptions[static_cast<std::size_t>(id)]; }

static_assert(
    [] {
        for (std::size_t row = 0; row < descriptions.size(); ++row) {
            if (static_cast<std::size_t>(descriptions[row].id) != row) return false;
        }
        return true;
    }(),
    "the rows of the names table are in the order of the enumeration");

}  // namespace qmpwatch::metrics
