#include "metrics/families.hpp"

#include "base/text.hpp"
#include "metrics/names.hpp"

#include <prometheus/text_serializer.h>

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace qmpwatch::metrics {

namespace {

using labels = std::vector<prometheus::ClientMetric::Label>;

/// Makes names printable and tells those apart that would be the same label.
class distinct_names {
public:
    std::string operator()(std::string_view raw) {
        std::string name = base::printable(raw);
        if (taken_.insert(name).second) return name;
        for (std::size_t number = 2;; ++number) {
            std::string candidate = name + '#' + std::to_string(number);
            if (taken_.insert(candidate).second) return candidate;
        }
    }

private:
    std::unordered_set<std::string> taken_;
};

/// A copy with room for that many more.
labels copy(const labels& common, std::size_t more) {
    labels all;
    all.reserve(common.size() + more);
    all.insert(all.end(), common.begin(), common.end());
    return all;
}

labels with(const labels& common, std::string name, std::string value) {
    labels all = copy(common, 1);
    all.push_back({std::move(name), std::move(value)});
    return all;
}

double to_double(std::uint64_t count) { return static_cast<double>(count); }
double to_seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }
const char* yes_no(bool value) { return value ? "true" : "false"; }

constexpr bool is_by_cause(family id) {
    return id == family::stalls || id == family::stall_seconds || id == family::stall_level;
}

class builder {
public:
    builder(std::size_t vms, std::size_t drives) : families_(descriptions.size()) {
        for (const description& row : descriptions) {
            prometheus::MetricFamily& target = families_[static_cast<std::size_t>(row.id)];
            target.name = row.name;
            target.help = row.help;
            target.type = row.type;
            // One series for each VM or drive, at least: a large fleet's families need not grow step by step.
            if (row.id < family::block_info)
                target.metric.reserve(vms);
            else if (row.id < family::build_info)
                target.metric.reserve(is_by_cause(row.id) ? drives * stall::causes.size() : drives);
        }
    }

    void add(family id, labels of, double value) {
        prometheus::ClientMetric& series = append(id, std::move(of));
        if (describe(id).type == prometheus::MetricType::Counter)
            series.counter.value = value;
        else
            series.gauge.value = value;
    }

    void add(family id, labels of, prometheus::ClientMetric::Histogram histogram) {
        append(id, std::move(of)).histogram = std::move(histogram);
    }

    std::vector<prometheus::MetricFamily> take() {
        std::erase_if(families_, [](const auto& one) { return one.metric.empty(); });
        return std::move(families_);
    }

private:
    prometheus::ClientMetric& append(family id, labels of) {
        prometheus::ClientMetric& series = families_[static_cast<std::size_t>(id)].metric.emplace_back();
        series.label = std::move(of);
        return series;
    }

    std::vector<prometheus::MetricFamily> families_;
};

void add_vm_state(builder& out, const labels& vm, std::string_view state) {
    if (state.empty()) return;
    bool listed = false;
    for (const std::string_view one : sample::run_states) {
        out.add(family::vm_state, with(vm, "state", std::string(one)), one == state ? 1 : 0);
        listed = listed || one == state;
    }
    if (!listed) out.add(family::vm_state, with(vm, "state", base::printable(state)), 1);
}

struct operation_families {
    sample::operation kind;
    const char* name;
    std::optional<family> bytes;  ///< a flush moves none
    family completed, time;
    std::optional<family> merged;  ///< flushes are not merged
};

constexpr std::array operation_table{
    operation_families{sample::operation::read, "read", family::read_bytes, family::reads_completed, family::read_time,
                       family::reads_merged},
    operation_families{sample::operation::write, "write", family::written_bytes, family::writes_completed,
                       family::write_time, family::writes_merged},
    operation_families{sample::operation::flush, "flush", {}, family::flushes_completed, family::flush_time, {}},
    operation_families{sample::operation::discard, "discard", family::discarded_bytes, family::discards_completed,
                       family::discard_time, family::discards_merged},
};

void add_counters(builder& out, const labels& drive, const sample::drive_counters& counters) {
    for (const operation_families& row : operation_table) {
        if (row.kind == sample::operation::discard && !counters.detailed) continue;
        const sample::operation_counters& of = counters[row.kind];
        if (row.bytes) out.add(*row.bytes, drive, to_double(of.bytes));
        out.add(row.completed, drive, to_double(of.completed));
        out.add(row.time, drive, to_seconds(of.time_ns));
        if (row.merged) out.add(*row.merged, drive, to_double(of.merged));
        if (!counters.detailed) continue;
        out.add(family::failed, with(drive, "op", row.name), to_double(of.failed));
        out.add(family::invalid, with(drive, "op", row.name), to_double(of.invalid));
    }
    if (counters.idle) out.add(family::idle, drive, base::in_seconds(*counters.idle));
    if (counters.detailed && counters.highest_write_offset_bytes) {
        out.add(family::highest_write_offset, drive, to_double(*counters.highest_write_offset_bytes));
    }
}

/// `buckets` are counts per bucket, the last one beyond all bounds.
template <class Buckets, class Bounds>
prometheus::ClientMetric::Histogram histogram_of(const Buckets& buckets, const Bounds& bounds, double sum) {
    prometheus::ClientMetric::Histogram histogram;
    histogram.bucket.reserve(buckets.size());
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        histogram.sample_count += buckets[bucket];
        const double bound = bucket < bounds.size() ? bounds[bucket] : std::numeric_limits<double>::infinity();
        histogram.bucket.push_back({histogram.sample_count, bound});
    }
    histogram.sample_sum = sum;
    return histogram;
}

/// Every cause has its series from the beginning, so that increase() sees the first stall too.
void add_stalls(builder& out, const labels& drive, const pipeline::stall_snapshot& stall) {
    for (const stall::cause cause : stall::causes) {
        const labels all = with(drive, "cause", std::string(name(cause)));
        const stall::cause_totals totals = stall.totals_of(cause);
        const double lost = base::in_seconds(totals.lost);
        out.add(family::stalls, all, to_double(totals.count));
        out.add(family::stall_seconds, all, lost);
        if (totals.count > 0) {
            out.add(family::stall_duration, all, histogram_of(totals.buckets, totals.bounds_seconds, lost));
        }
        out.add(family::stall_level, all, static_cast<double>(stall.levels[stall::index_of(cause)]));
    }
    out.add(family::gap, drive, base::in_seconds(stall.gap_age));
}

void add_drive(builder& out, const labels& drive, const pipeline::drive_snapshot& state) {
    const sample::drive_info& info = state.info;
    labels all = copy(drive, 8);
    all.push_back({"qdev", base::printable(info.identity.qdev)});
    all.push_back({"node_name", base::printable(info.identity.node_name)});
    all.push_back({"device", base::printable(info.attachment.device)});
    all.push_back({"bus", base::printable(info.attachment.bus)});
    all.push_back({"file", base::printable(info.media.file)});
    all.push_back({"format", base::printable(info.media.format)});
    all.push_back({"read_only", yes_no(info.media.read_only)});
    all.push_back({"removable", yes_no(info.media.removable)});
    out.add(family::block_info, std::move(all), 1);

    add_counters(out, drive, state.counters);
    add_stalls(out, drive, state.stall);
    if (!state.rate) return;
    out.add(family::read_bytes_per_second, drive, state.rate->read.bytes_per_second);
    out.add(family::write_bytes_per_second, drive, state.rate->write.bytes_per_second);
    out.add(family::read_iops, drive, state.rate->read.operations_per_second);
    out.add(family::write_iops, drive, state.rate->write.operations_per_second);
    out.add(family::busy_ratio, drive, state.rate->busy_ratio);
}

void add_vm(builder& out, const labels& vm, const pipeline::vm_snapshot& state) {
    const bool answers = state.monitor == sample::monitor_state::ready && state.last_sample.has_value();
    out.add(family::up, vm, answers ? 1 : 0);

    const sample::vm_identity& who = state.identity;
    labels all = copy(vm, 7);
    all.push_back({"uuid", base::printable(who.uuid)});
    all.push_back({"socket", base::printable(who.socket)});
    all.push_back({"protocol", base::printable(who.protocol)});
    all.push_back({"version", base::printable(who.version)});
    all.push_back({"machine", base::printable(who.machine)});
    all.push_back({"accelerator", base::printable(who.accelerator)});
    all.push_back({"arch", base::printable(who.arch)});
    out.add(family::vm_info, std::move(all), 1);

    add_vm_state(out, vm, state.run_state);
    for (const sample::monitor_state one : sample::monitor_states) {
        out.add(family::monitor_state, with(vm, "state", std::string(sample::name(one))), one == state.monitor ? 1 : 0);
    }
    if (state.process) {
        out.add(family::process_cpu, vm, state.process->cpu_seconds);
        out.add(family::process_resident, vm, to_double(state.process->resident_bytes));
        out.add(family::process_start, vm, state.process->start_time_seconds);
    }
    distinct_names event_names;
    for (const auto& [event, count] : state.events) {
        out.add(family::events, with(vm, "event", event_names(event)), to_double(count));
    }
    out.add(family::reconnects, vm, to_double(state.reconnects));
    if (state.last_sample) {
        out.add(family::last_poll, vm, base::in_seconds(state.last_sample->wall.time_since_epoch()));
    }

    distinct_names drive_names;
    for (const pipeline::drive_snapshot& drive : state.drives) {
        add_drive(out, with(vm, "drive", drive_names(drive.drive)), drive);
    }
}

void add_polls(builder& out, const pipeline::snapshot& state) {
    pipeline::poll_statistics sum = state.former_polls;
    for (const auto& vm : state.vms) sum += vm->polls;
    out.add(family::polls, {{"result", "success"}}, to_double(sum.succeeded));
    out.add(family::polls, {{"result", "timeout"}}, to_double(sum.timed_out));
    out.add(family::polls, {{"result", "failure"}}, to_double(sum.failed));
    out.add(family::late_polls, {}, to_double(sum.late));

    out.add(family::poll_duration, {}, histogram_of(sum.buckets, sum.bounds_seconds, sum.sum_seconds));
}

void add_self(builder& out, const own_health& self) {
    out.add(family::build_info, {{"version", self.version}, {"compiler", self.compiler}}, 1);
    if (self.process) {
        out.add(family::own_cpu, {}, self.process->cpu_seconds);
        out.add(family::own_resident, {}, to_double(self.process->resident_bytes));
        out.add(family::own_virtual, {}, to_double(self.process->virtual_bytes));
        out.add(family::own_start, {}, self.process->start_time_seconds);
    }
    if (self.open_fds) out.add(family::own_open_fds, {}, to_double(*self.open_fds));
    if (self.max_fds) out.add(family::own_max_fds, {}, to_double(*self.max_fds));
}

}  // namespace

std::vector<prometheus::MetricFamily> families(const pipeline::snapshot& state, const own_health& self) {
    std::size_t drives = 0;
    for (const auto& vm : state.vms) drives += vm->drives.size();
    builder out(state.vms.size(), drives);
    distinct_names vm_names;
    for (const auto& vm : state.vms) {
        labels label;
        label.push_back({"vm", vm_names(vm->identity.vm)});
        add_vm(out, label, *vm);
    }
    add_polls(out, state);
    add_self(out, self);
    return out.take();
}

std::string exposition(const pipeline::snapshot& state, const own_health& self) {
    return prometheus::TextSerializer{}.Serialize(families(state, self));
}

}  // namespace qmpwatch::metrics
