#include "gate/comparable.hpp"

#include "base/duration.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "gate/metric.hpp"
#include "sample/drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace qmpwatch::gate {

namespace {

constexpr std::array<std::string_view, 7> refusing{"media", "bus", "cache", "vcpus", "memory", "accelerator", "guest"};

std::string label(const run::header& about, std::string_view key) {
    for (const auto& [name, value] : about.labels) {
        if (name == key) return value;
    }
    return {};
}

std::string attached(const sample::attachment& how) {
    if (how.device.empty() || how.bus.empty()) return how.device;
    return how.device + " on " + how.bus;
}

void add_drive(std::vector<property>& to, const run::drive_digest* drive, const std::string& name, bool is_medium) {
    const sample::drive_info info = drive == nullptr ? sample::drive_info{} : drive->info;
    const std::string of = is_medium ? "the medium" : base::printable(name);
    if (is_medium) {
        to.push_back({"media", of + "'s content", info.media.content, true});
        to.push_back({"media", of + "'s size",
                      info.media.size_bytes ? fmt::format("{} bytes", *info.media.size_bytes) : std::string(), true});
    }
    to.push_back({"bus", "how " + of + " is attached", attached(info.attachment), true});
    to.push_back({"cache", "the cache mode of " + of,
                  info.media.cache ? std::string(sample::name(*info.media.cache)) : std::string(), true});
    to.push_back({"format", "the image format of " + of, info.media.format, false});
}

std::string count(std::uint64_t number) { return number == 0 ? std::string() : fmt::to_string(number); }

}  // namespace

std::span<const std::string_view> refusing_keys() { return refusing; }

std::vector<property> properties_of(const run::digest& run, std::span<const std::string> drives) {
    const run::header& about = run.info.about;
    std::vector<property> made;
    bool is_medium = true;
    for (const std::string& name : drives) {
        const auto drive = std::find_if(run.drives.begin(), run.drives.end(),
                                        [&](const run::drive_digest& each) { return each.drive == name; });
        add_drive(made, drive == run.drives.end() ? nullptr : &*drive, name, is_medium);
        is_medium = false;
    }
    made.push_back({"vcpus", "the number of vCPUs", count(run.vm.cpus), true});
    made.push_back({"memory", "the VM's memory",
                    run.vm.memory_bytes == 0 ? "" : fmt::format("{} bytes", run.vm.memory_bytes), true});
    made.push_back({"accelerator", "the accelerator", run.vm.accelerator, true});
    made.push_back({"guest", "the label guest", label(about, "guest"), true});
    made.push_back({"machine", "the machine type", run.vm.machine, false});
    made.push_back({"qemu", "QEMU's version", run.vm.version, false});
    made.push_back({"qmpwatch", "qmpwatch's version", about.qmpwatch, false});
    made.push_back({"host", "the host's system", about.host.system, false});
    made.push_back({"host", "the host's CPU", about.host.cpu, false});
    made.push_back({"host", "the host's number of CPUs", count(about.host.cpus), false});
    made.push_back(
        {"poll", "the distance of samples", run.info.is_imported ? "" : base::format_duration(about.poll), false});
    return made;
}

fingerprint fingerprint_of(std::span<const property> properties) {
    fingerprint made;
    for (const property& each : properties) {
        if (!each.refuses || each.value.empty()) continue;
        if (!made.text.empty()) made.text += ", ";
        made.text += each.key + "=" + each.value;
    }
    constexpr std::size_t digits = 12;
    made.hash = base::sha256_hex(made.text).substr(0, digits);
    return made;
}

fingerprint fingerprint_of_run(const run::digest& run, const std::string& medium) {
    std::vector<std::string> drives;
    const base::result<curve> copy = curve::of(run, metric{}, medium);
    if (copy.has_value()) drives.push_back(copy->drive());
    return fingerprint_of(properties_of(run, drives));
}

mismatches compare_properties(std::span<const described_run> runs, std::span<const std::string> allowed) {
    mismatches found;
    if (runs.empty()) return found;
    const described_run& first = runs.front();
    for (const std::string_view key : refusing) {
        const auto says = [&](const described_run& one) {
            return std::any_of(one.properties.begin(), one.properties.end(),
                               [&](const property& each) { return each.key == key && !each.value.empty(); });
        };
        const bool is_optional = key == "guest";  // a label that nobody set is nothing to miss
        if (is_optional && std::none_of(runs.begin(), runs.end(), says)) continue;
        if (!std::all_of(runs.begin(), runs.end(), says)) found.unknown.emplace_back(key);
    }
    for (std::size_t i = 0; i < first.properties.size(); ++i) {
        const described_run* reference = nullptr;
        for (const described_run& each : runs) {
            const property& its = each.properties[i];
            if (its.value.empty()) continue;
            if (reference == nullptr) {
                reference = &each;
                continue;
            }
            const std::string& wanted = reference->properties[i].value;
            if (its.value == wanted) continue;
            const bool is_allowed = std::find(allowed.begin(), allowed.end(), its.key) != allowed.end();
            std::string sentence =
                fmt::format("{} differs: {} in {}, {} in {}", its.what, base::printable(wanted),
                            base::printable(reference->path), base::printable(its.value), base::printable(each.path));
            if (its.refuses && !is_allowed) {
                sentence += fmt::format("; --allow-mismatch {} compares them all the same", its.key);
                found.refusals.push_back(std::move(sentence));
            } else {
                found.warnings.push_back(std::move(sentence));
            }
            break;  // one sentence a property
        }
    }
    return found;
}

}  // namespace qmpwatch::gate
