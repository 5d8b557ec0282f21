#include "metrics/run_families.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace qmpwatch::metrics {

namespace {

using labels = std::vector<prometheus::ClientMetric::Label>;

class builder {
public:
    explicit builder(std::string vm) : vm_(std::move(vm)) {}

    /// Begins a family; series that are added belong to it.
    void begin(std::string name, std::string help) {
        prometheus::MetricFamily family;
        family.name = "qmpwatch_run_" + std::move(name);
        family.help = std::move(help);
        family.type = prometheus::MetricType::Gauge;
        families_.push_back(std::move(family));
    }
    void add(const labels& more, double value) {
        prometheus::ClientMetric series;
        series.label.push_back({"vm", vm_});
        series.label.insert(series.label.end(), more.begin(), more.end());
        series.gauge.value = value;
        families_.back().metric.push_back(std::move(series));
    }
    void add(const labels& more, std::optional<double> value) {
        if (value) add(more, *value);
    }

    std::vector<prometheus::MetricFamily> take() {
        std::erase_if(families_, [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
        return std::move(families_);
    }

private:
    std::string vm_;
    std::vector<prometheus::MetricFamily> families_;
};

/// A label of the user's, with a name that Prometheus takes.
std::string label_name(const std::string& key) {
    std::string name = "label_";
    for (const char c : key) {
        const bool is_good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += is_good ? c : '_';
    }
    return name;
}

labels about(const run::digest& of) {
    labels all;
    const auto add = [&all](std::string name, const std::string& value) {
        const bool is_taken = std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
        if (!is_taken) all.push_back({std::move(name), base::printable(value)});
    };
    add("id", of.info.about.id);
    add("end", of.info.ended ? std::string(name(of.info.ended->reason)) : "");
    add("version", of.vm.version);
    add("machine", of.vm.machine);
    add("accelerator", of.vm.accelerator);
    add("git_commit", of.info.about.git_commit);
    for (const auto& [key, value] : of.info.about.labels) add(label_name(key), value);
    return all;
}

}  // namespace

std::vector<prometheus::MetricFamily> run_families(const run::digest& of, const run::summary& summary) {
    builder all(base::printable(of.vm.vm));
    all.begin("info", "The run that the other metrics are of; always 1.");
    all.add(about(of), 1.0);
    all.begin("complete", "1 when what was recorded ran to its own end.");
    all.add({}, of.info.ended && of.info.ended->is_complete() ? 1.0 : 0.0);
    all.begin("end_timestamp_seconds", "When the last sample was taken, in seconds since the Unix epoch.");
    all.add({}, std::chrono::duration<double>(of.last_sample.wall.time_since_epoch()).count());
    all.begin("seconds", "From the first sample to the last.");
    all.add({}, base::in_seconds(of.watched()));

    const auto drive = [](const std::string& name) { return labels{{"drive", base::printable(name)}}; };
    const auto of_whole = [&](auto value) {
        for (const run::drive_summary& one : summary.parts.front().drives) all.add(drive(one.drive), value(one));
    };
    using optional = std::optional<double>;
    all.begin("read_bytes", "Bytes read from the drive in the run.");
    of_whole([](const run::drive_summary& one) { return optional(static_cast<double>(one.read.done.bytes)); });
    all.begin("written_bytes", "Bytes written to the drive in the run.");
    of_whole([](const run::drive_summary& one) { return optional(static_cast<double>(one.write.done.bytes)); });
    const auto by_cause = [&](auto value) {
        for (const run::drive_summary& one : summary.parts.front().drives) {
            for (const run::cause_summary& stalled : one.stalls) {
                labels of_stall = drive(one.drive);
                of_stall.push_back({"cause", std::string(stall::name(stalled.cause))});
                all.add(of_stall, value(stalled));
            }
        }
    };
    all.begin("stalls", "Stalls that were counted in the run.");
    by_cause([](const run::cause_summary& one) { return static_cast<double>(one.count); });
    all.begin("stall_seconds", "Time lost to them.");
    by_cause([](const run::cause_summary& one) { return base::in_seconds(one.lost); });

    if (summary.phases.copy && summary.parts.size() > 1) {
        const run::phase& copy = *summary.phases.copy;
        all.begin("copy_seconds", "How long the copy from the install medium took.");
        all.add(drive(copy.drive), base::in_seconds(copy.end - copy.begin));
        all.begin("copy_bytes", "Bytes read from the install medium in the copy.");
        all.add(drive(copy.drive), static_cast<double>(copy.bytes));
        all.begin("copy_bytes_per_second", "The same over the time that it took.");
        for (const run::drive_summary& one : summary.parts[1].drives) {
            if (one.drive == copy.drive) all.add(drive(one.drive), one.read.bytes_per_second);
        }
    }
    return all.take();
}

}  // namespace qmpwatch::metrics
