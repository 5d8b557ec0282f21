// Scenarios from few words: drives with QEMU's names, recordings, misbehaviours by name.
#include "sim/scenario.hpp"

#include "base/duration.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

namespace qmpwatch::sim {
namespace {

guest_device kind_of_qdev(std::string_view qdev) {
    if (qdev.find("/scsi.") != std::string_view::npos) return guest_device::usb_storage;
    if (qdev.find("virtio-backend") != std::string_view::npos) return guest_device::virtio_blk;
    return guest_device::nvme;
}

/// What stands behind a name, or its default.
struct setting {
    std::string_view name;
    std::string_view standard;  // empty: the name takes no value
    base::result<void> (*apply)(scenario&, std::string_view value);
};

base::result<nanoseconds> span_of(std::string_view value) { return base::parse_duration(value); }

template <class Number>
base::result<Number> count_of(std::string_view value, Number most) {
    Number count = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (failure != std::errc() || end != value.data() + value.size() || count == 0 || count > most) {
        return base::fail(base::errc::usage, fmt::format("'{}' is not a count between 1 and {}", value, most));
    }
    return count;
}

template <bool misbehaviour::* Member>
base::result<void> switch_on(scenario& where, std::string_view) {
    where.fault.*Member = true;
    return {};
}

template <nanoseconds misbehaviour::* Member>
base::result<void> set_span(scenario& where, std::string_view value) {
    const auto span = span_of(value);
    if (!span) return span.error();
    where.fault.*Member = *span;
    return {};
}

template <unsigned misbehaviour::* Member>
base::result<void> set_count(scenario& where, std::string_view value) {
    const auto count = count_of<unsigned>(value, 1'000'000);
    if (!count) return count.error();
    where.fault.*Member = *count;
    return {};
}

base::result<void> set_huge_message(scenario& where, std::string_view value) {
    const auto count = count_of<std::size_t>(value, std::size_t(1) << 30);
    if (!count) return count.error();
    where.fault.huge_message_bytes = *count;
    return {};
}

base::result<void> add_many_drives(scenario& where, std::string_view value) {
    const auto count = count_of<unsigned>(value, 10'000);
    if (!count) return count.error();
    for (unsigned number = 0; number < *count; ++number) {
        load_spec idle;
        idle.seed = number;
        add_drive(where, guest_device::virtio_blk, fmt::format("disk{}", number), idle);
    }
    return {};
}

base::result<void> set_counters_reset(scenario& where, std::string_view value) {
    const auto span = span_of(value);
    if (!span) return span.error();
    if (*span <= nanoseconds(0))
        return base::fail(base::errc::usage, "the time between two restarts must be above zero");
    where.script.push_back({*span, script_step::kind::restart, {}, {}, true});
    where.script_period = *span;
    return {};
}

base::result<void> set_foreign_greeting(scenario& where, std::string_view) {
    where.fault.foreign_greeting = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n";
    return {};
}

constexpr setting settings[] = {
    {"late_greeting", "3s", set_span<&misbehaviour::greeting_delay>},
    {"events_before_greeting", "3", set_count<&misbehaviour::events_before_greeting>},
    {"pretty", "", switch_on<&misbehaviour::pretty>},
    {"half_message", "", switch_on<&misbehaviour::half_message>},
    {"disconnect_in_reply", "", switch_on<&misbehaviour::disconnect_in_reply>},
    {"disconnect_after", "5", set_count<&misbehaviour::disconnect_after>},
    {"garbage", "", switch_on<&misbehaviour::garbage>},
    {"silence", "", switch_on<&misbehaviour::silence>},
    {"silence_after_greeting", "", switch_on<&misbehaviour::silence_after_greeting>},
    {"slow_reply", "10s", set_span<&misbehaviour::reply_delay>},
    {"byte_by_byte", "", switch_on<&misbehaviour::byte_by_byte>},
    {"split_crlf", "", switch_on<&misbehaviour::split_crlf>},
    {"error_without_id", "", switch_on<&misbehaviour::error_without_id>},
    {"wrong_id", "", switch_on<&misbehaviour::wrong_id>},
    {"huge_message", "17825792", set_huge_message},
    {"deep_nesting", "2000", set_count<&misbehaviour::nesting>},
    {"many_drives", "100", add_many_drives},
    {"counters_reset", "30s", set_counters_reset},
    {"event_flood", "2500", set_count<&misbehaviour::events_per_second>},
    {"oob_only", "", switch_on<&misbehaviour::main_loop_blocked>},
    {"serial_console", "", switch_on<&misbehaviour::serial_console>},
    {"guest_agent", "", switch_on<&misbehaviour::guest_agent>},
    {"telnet", "", switch_on<&misbehaviour::telnet>},
    {"ssh", "", set_foreign_greeting},
};

}  // namespace

bool drive_spec::is_removable() const {
    return removable.value_or(kind == guest_device::usb_storage || kind == guest_device::ide_cd ||
                              kind == guest_device::scsi_cd);
}

drive_spec& add_drive(scenario& where, guest_device kind, std::string name, const load_spec& how) {
    const std::size_t number = where.drives.size();
    drive_spec drive;
    drive.device = std::move(name);
    drive.kind = kind;
    drive.node_name = fmt::format("#block{:03}", 149 + 100 * number);
    drive.qdev = fmt::format("/machine/peripheral-anon/device[{}]", number);
    if (kind == guest_device::usb_storage) drive.qdev += "/scsi.0/legacy[0]";
    if (kind == guest_device::virtio_blk) drive.qdev += "/virtio-backend";
    const bool removable = kind == guest_device::ide_cd || kind == guest_device::scsi_cd;
    drive.read_only = removable || kind == guest_device::usb_storage;
    drive.file = (drive.device.empty() ? fmt::format("disk{}", number) : drive.device) + (removable ? ".iso" : ".img");
    drive.load = generated_load(how);
    where.drives.push_back(std::move(drive));
    return where.drives.back();
}

void play_recording(scenario& where, std::shared_ptr<const recording> series, double speed, bool loop) {
    const auto in_real_time = [speed](nanoseconds at) {
        return nanoseconds(static_cast<std::int64_t>(static_cast<double>(at.count()) / speed));
    };
    const std::vector<recorded_drive>& drives = series->lines.front().drives;
    for (std::size_t index = 0; index < drives.size(); ++index) {
        const recorded_drive& recorded = drives[index];
        drive_spec& drive = add_drive(where, kind_of_qdev(recorded.qdev), recorded.device);
        if (!recorded.qdev.empty()) drive.qdev = recorded.qdev;
        if (!recorded.node_name.empty()) drive.node_name = recorded.node_name;
        drive.load = recorded_load(series, index, speed, loop);
    }
    if (!series->statuses.empty()) where.status = series->statuses.front().name;
    std::vector<script_step> statuses;
    for (const recording::status& one : series->statuses) {
        statuses.push_back({in_real_time(one.at), script_step::kind::status, one.name, {}, false});
    }
    std::vector<script_step> events;
    for (const recording::event& one : series->events) {
        events.push_back({in_real_time(one.at), script_step::kind::event, one.name, one.data, false});
    }
    std::merge(statuses.begin(), statuses.end(), events.begin(), events.end(), std::back_inserter(where.script),
               [](const script_step& left, const script_step& right) { return left.at < right.at; });
    if (loop) where.script_period = in_real_time(series->length());
}

std::vector<std::string_view> misbehaviour_names() {
    std::vector<std::string_view> names;
    for (const setting& one : settings) names.push_back(one.name);
    return names;
}

base::result<void> apply_misbehaviour(scenario& where, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    for (const setting& one : settings) {
        if (one.name != name) continue;
        if (equals == std::string_view::npos) return one.apply(where, one.standard);
        if (one.standard.empty()) return base::fail(base::errc::usage, fmt::format("'{}' takes no value", name));
        return one.apply(where, text.substr(equals + 1));
    }
    return base::fail(base::errc::usage, fmt::format("no misbehaviour is called '{}'", name));
}

}  // namespace qmpwatch::sim
