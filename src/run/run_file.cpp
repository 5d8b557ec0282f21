#include "run/run_file.hpp"

#include "base/format.hpp"
#include "base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

namespace qmpwatch::run {

namespace {

using json = nlohmann::ordered_json;
using sample::operation;

constexpr int most_depth = 200;
/// Times further from the start than this are nonsense, and sums with them could overflow.
constexpr std::int64_t most_ns = std::int64_t(10) * 366 * 24 * 3600 * 1000000000;
constexpr std::size_t most_drives = 10000;
constexpr std::uint64_t most_cpus = 65536;

// ---------------------------------------------------------------- writing

std::string line_of(const json& object) { return base::json_text(object) + '\n'; }

/// RFC 3339 in UTC with nanoseconds: what a reader needs to give wall times exactly as they were seen.
std::string exact_time(base::wall_time when) {
    const auto since = std::chrono::duration_cast<base::nanoseconds>(when.time_since_epoch());
    const auto whole = std::chrono::floor<std::chrono::seconds>(since);
    const auto days = std::chrono::floor<std::chrono::days>(whole);
    const std::chrono::year_month_day date{std::chrono::sys_days(days)};
    const std::chrono::hh_mm_ss<std::chrono::seconds> time(whole - days);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", int(date.year()), unsigned(date.month()),
                       unsigned(date.day()), time.hours().count(), time.minutes().count(), time.seconds().count(),
                       (since - whole).count());
}

std::int64_t at_ns(const header& about, base::instant at) { return (at.steady - about.start.steady).count(); }

/// How far the wall clock is from where it would be if it ran like the steady one since the start.
std::int64_t skew_ns(const header& about, base::instant at) {
    const auto wall = std::chrono::duration_cast<base::nanoseconds>(at.wall - about.start.wall);
    return wall.count() - at_ns(about, at);
}

json line_at(std::string_view type, const header& about, base::instant at) {
    json line;
    line["type"] = type;
    line["at_ns"] = at_ns(about, at);
    if (const std::int64_t skew = skew_ns(about, at); skew != 0) line["skew_ns"] = skew;
    return line;
}

json identity_of(const sample::drive_identity& identity) {
    json object;
    object["device"] = identity.device;
    object["qdev"] = identity.qdev;
    object["node_name"] = identity.node_name;
    return object;
}

json inventory_line(const sample::inventory& drives) {
    json list = json::array();
    for (const sample::drive_info& drive : drives) {
        json one = identity_of(drive.identity);
        one["attached_as"] = drive.attachment.device;
        one["attached_to"] = drive.attachment.bus;
        one["inserted"] = drive.media.inserted;
        one["file"] = drive.media.file;
        one["format"] = drive.media.format;
        one["read_only"] = drive.media.read_only;
        one["removable"] = drive.media.removable;
        if (drive.media.size_bytes) one["size_bytes"] = *drive.media.size_bytes;
        if (drive.media.cache) {
            one["cache"] = {{"direct", drive.media.cache->direct},
                            {"no_flush", drive.media.cache->no_flush},
                            {"writeback", drive.media.cache->writeback}};
        }
        if (!drive.media.content.empty()) one["content"] = drive.media.content;
        list.push_back(std::move(one));
    }
    return {{"type", "inventory"}, {"drives", std::move(list)}};
}

constexpr std::array<std::string_view, 3> outcomes{"succeeded", "timed_out", "failed"};

constexpr std::array problems{base::errc::usage,     base::errc::absent,   base::errc::not_permitted,
                              base::errc::busy,      base::errc::closed,   base::errc::not_a_monitor,
                              base::errc::timed_out, base::errc::protocol, base::errc::too_large,
                              base::errc::refused,   base::errc::io,       base::errc::data};

/// The counters of one kind of operation; zeros at the end are left out.
void append_operation(std::string& line, std::string_view key, const sample::operation_counters& counted) {
    const std::array<std::uint64_t, 6> values{counted.bytes,  counted.completed, counted.time_ns,
                                              counted.merged, counted.failed,    counted.invalid};
    std::size_t size = values.size();
    while (size > 0 && values[size - 1] == 0) --size;
    base::append(line, "\"{}\":[", key);
    for (std::size_t i = 0; i < size; ++i) {
        if (i > 0) line += ',';
        base::append(line, "{}", values[i]);
    }
    line += ']';
}

constexpr std::array<std::string_view, sample::operations.size()> operation_keys{"read", "write", "flush", "discard"};

/// What is different from before, as the inside of a JSON object.
std::string changes(const sample::drive_counters& before, const sample::drive_counters& now) {
    std::string text;
    const auto separate = [&text] {
        if (!text.empty()) text += ',';
    };
    for (std::size_t kind = 0; kind < operation_keys.size(); ++kind) {
        if (before.by_operation[kind] == now.by_operation[kind]) continue;
        separate();
        append_operation(text, operation_keys[kind], now.by_operation[kind]);
    }
    const auto append = [&](std::string_view key, std::optional<std::int64_t> value) {
        separate();
        if (value) {
            base::append(text, "\"{}\":{}", key, *value);
        } else {
            base::append(text, "\"{}\":null", key);
        }
    };
    if (before.idle != now.idle) {
        append("idle_ns", now.idle ? std::optional<std::int64_t>(now.idle->count()) : std::nullopt);
    }
    if (before.highest_write_offset_bytes != now.highest_write_offset_bytes) {
        separate();
        base::append(
            text, "\"write_end_bytes\":{}",
            now.highest_write_offset_bytes ? std::to_string(*now.highest_write_offset_bytes) : std::string("null"));
    }
    if (before.detailed != now.detailed) {
        separate();
        base::append(text, "\"detailed\":{}", now.detailed);
    }
    return text;
}

// ---------------------------------------------------------------- reading

/// One JSON object of a line. What is wrong with it is remembered, the first fault only, and read as if it were absent.
class fields {
public:
    fields(const json& object, std::string& fault) : object_(&object), fault_(&fault) {
        if (!object.is_object()) refuse("something in it is not an object");
    }

    void refuse(std::string why) const {
        if (fault_->empty()) *fault_ = std::move(why);
    }

    /// Null when it is absent, or null itself.
    const json* member(std::string_view name) const {
        if (!object_->is_object()) return nullptr;
        const auto found = object_->find(name);
        return found == object_->end() || found->is_null() ? nullptr : &*found;
    }
    bool contains(std::string_view name) const { return object_->is_object() && object_->contains(name); }

    std::string text(std::string_view name) const {
        const json* value = member(name);
        if (value == nullptr) return {};
        const auto* content = value->get_ptr<const json::string_t*>();
        if (content == nullptr) refuse(fmt::format("'{}' is not a text", name));
        return content == nullptr ? std::string() : *content;
    }

    bool flag(std::string_view name, bool otherwise = false) const {
        const json* value = member(name);
        if (value == nullptr) return otherwise;
        const auto* content = value->get_ptr<const json::boolean_t*>();
        if (content == nullptr) refuse(fmt::format("'{}' is neither true nor false", name));
        return content == nullptr ? otherwise : *content;
    }

    double number(std::string_view name) const {
        const json* value = member(name);
        if (value == nullptr) return 0;
        const bool is_good = value->is_number() && std::isfinite(value->get<double>());
        if (!is_good) refuse(fmt::format("'{}' is not a number", name));
        return is_good ? value->get<double>() : 0;
    }

    std::uint64_t whole(const json& value, std::string_view name) const {
        if (value.is_number_unsigned()) return value.get<std::uint64_t>();
        refuse(fmt::format("'{}' is not a whole number", name));
        return 0;
    }

    std::optional<std::uint64_t> count(std::string_view name) const {
        const json* value = member(name);
        return value == nullptr ? std::nullopt : std::optional(whole(*value, name));
    }

    /// A time or a length of time.
    std::optional<base::nanoseconds> span(std::string_view name) const {
        const json* value = member(name);
        if (value == nullptr) return std::nullopt;
        const bool is_far = value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t(most_ns);
        const bool is_good = value->is_number_integer() && !is_far && value->get<std::int64_t>() >= -most_ns;
        if (!is_good) refuse(fmt::format("'{}' is not a whole number of nanoseconds within ten years", name));
        return base::nanoseconds(is_good ? value->get<std::int64_t>() : 0);
    }

    base::instant instant(const header& about) const {
        const std::optional<base::nanoseconds> at = span("at_ns");
        if (!at) refuse("it has no 'at_ns'");
        const base::nanoseconds since = at.value_or(base::nanoseconds{});
        const base::nanoseconds skew = span("skew_ns").value_or(base::nanoseconds{});
        const auto wall = about.start.wall + std::chrono::duration_cast<base::wall_time::duration>(since + skew);
        return {about.start.steady + since, wall};
    }

    /// The object under that name, or an empty one.
    fields inside(std::string_view name) const {
        const json* value = member(name);
        return fields(value == nullptr ? nothing() : *value, *fault_);
    }

    /// What the list `drives` holds.
    std::vector<fields> drives() const {
        std::vector<fields> all;
        const json* list = member("drives");
        if (list == nullptr || !list->is_array() || list->size() > most_drives) {
            refuse("it has no list of drives, or too long a one");
            return all;
        }
        for (const json& one : *list) all.emplace_back(one, *fault_);
        return all;
    }

    const json& object() const { return *object_; }
    std::string& fault() const { return *fault_; }

private:
    static const json& nothing() {
        static const json empty = json::object();
        return empty;
    }

    const json* object_;
    std::string* fault_;
};

/// Reads the form that exact_time writes; the fraction can have any length or be missing.
std::optional<base::wall_time> read_exact_time(std::string_view text) {
    const auto number = [&text](std::size_t digits) -> std::optional<int> {
        if (text.size() < digits) return std::nullopt;
        int value = 0;
        for (const char digit : text.substr(0, digits)) {
            if (digit < '0' || digit > '9') return std::nullopt;
            value = value * 10 + (digit - '0');
        }
        text.remove_prefix(digits);
        return value;
    };
    const auto skip = [&text](char expected) {
        if (!text.starts_with(expected)) return false;
        text.remove_prefix(1);
        return true;
    };
    const auto year = number(4);
    if (!year || !skip('-')) return std::nullopt;
    const auto month = number(2);
    if (!month || !skip('-')) return std::nullopt;
    const auto day = number(2);
    if (!day || !skip('T')) return std::nullopt;
    const auto hour = number(2);
    if (!hour || !skip(':')) return std::nullopt;
    const auto minute = number(2);
    if (!minute || !skip(':')) return std::nullopt;
    const auto second = number(2);
    if (!second) return std::nullopt;
    std::int64_t fraction = 0;
    if (skip('.')) {
        std::int64_t weight = 100000000;
        while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
            fraction += weight * (text.front() - '0');
            weight /= 10;
            text.remove_prefix(1);
        }
    }
    if (text != "Z" || *year < 1970 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(unsigned(*month)),
                                           std::chrono::day(unsigned(*day))};
    if (!date.ok()) return std::nullopt;
    const auto since = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                       std::chrono::minutes(*minute) + std::chrono::seconds(*second) + base::nanoseconds(fraction);
    return base::wall_time(std::chrono::duration_cast<base::wall_time::duration>(since));
}

json parse_line(std::string_view line, std::string& fault) {
    json parsed = base::parse_ordered_json(line, most_depth);
    if (!parsed.is_object()) fault = "it is not a JSON object";
    return parsed;
}

sample::drive_identity read_identity(const fields& drive) {
    return {drive.text("device"), drive.text("qdev"), drive.text("node_name")};
}

sample::inventory read_inventory(const fields& line) {
    sample::inventory drives;
    for (const fields& one : line.drives()) {
        sample::drive_info drive;
        drive.identity = read_identity(one);
        drive.attachment = {one.text("attached_as"), one.text("attached_to")};
        drive.media.inserted = one.flag("inserted");
        drive.media.file = one.text("file");
        drive.media.format = one.text("format");
        drive.media.read_only = one.flag("read_only");
        drive.media.removable = one.flag("removable");
        drive.media.size_bytes = one.count("size_bytes");
        drive.media.content = one.text("content");
        if (one.member("cache") != nullptr) {
            const fields cache = one.inside("cache");
            drive.media.cache =
                sample::cache_mode{cache.flag("direct"), cache.flag("no_flush"), cache.flag("writeback", true)};
        }
        drives.push_back(std::move(drive));
    }
    return drives;
}

sample::vm_identity read_vm(const fields& line) {
    sample::vm_identity vm;
    vm.vm = line.text("vm");
    vm.name = line.text("name");
    vm.uuid = line.text("uuid");
    vm.socket = line.text("socket");
    vm.protocol = line.text("protocol");
    vm.version = line.text("version");
    vm.package = line.text("package");
    vm.machine = line.text("machine");
    vm.accelerator = line.text("accelerator");
    vm.arch = line.text("arch");
    const std::uint64_t cpus = line.count("cpus").value_or(0);
    if (cpus > most_cpus) line.refuse("'cpus' is out of range");
    vm.cpus = static_cast<unsigned>(std::min(cpus, most_cpus));
    vm.memory_bytes = line.count("memory_bytes").value_or(0);
    const std::uint64_t pid = line.count("pid").value_or(0);
    if (pid > std::uint64_t(std::numeric_limits<int>::max())) line.refuse("'pid' is out of range");
    vm.pid = static_cast<int>(std::min<std::uint64_t>(pid, std::uint64_t(std::numeric_limits<int>::max())));
    return vm;
}

sample::monitor_change read_monitor(const fields& line, const header& about) {
    sample::monitor_change change;
    change.at = line.instant(about);
    change.detail = line.text("detail");
    const std::string state = line.text("state");
    const auto known = std::find_if(sample::monitor_states.begin(), sample::monitor_states.end(),
                                    [&](sample::monitor_state one) { return name(one) == state; });
    if (known == sample::monitor_states.end()) {
        line.refuse("it has no monitor state that is known");
    } else {
        change.state = *known;
    }
    const std::string problem = line.text("problem");
    const auto found =
        std::find_if(problems.begin(), problems.end(), [&](base::errc one) { return base::name(one) == problem; });
    if (found != problems.end()) change.problem = *found;
    return change;
}

sample::poll_result read_poll(const fields& line) {
    sample::poll_result poll;
    const std::string result = line.text("result");
    const auto found = std::find(outcomes.begin(), outcomes.end(), result);
    if (found != outcomes.end()) poll.outcome = static_cast<sample::poll_outcome>(found - outcomes.begin());
    if (found == outcomes.end() && !result.empty()) line.refuse("it has no result that is known");
    poll.duration = line.span("duration_ns").value_or(base::nanoseconds{});
    poll.lateness = line.span("late_ns").value_or(base::nanoseconds{});
    return poll;
}

sample::qmp_event read_event(const fields& line, const header& about) {
    sample::qmp_event event;
    event.at = line.instant(about);
    event.name = line.text("event");
    if (event.name.empty()) line.refuse("it has no 'event'");
    const json* data = line.member("data");
    if (data == nullptr) return event;
    // QEMU's data are an object; a text is what could not be read as JSON.
    event.data = data->is_string() ? data->get<std::string>() : base::json_text(*data);
    return event;
}

base::process_usage read_process(const fields& process) {
    base::process_usage usage;
    usage.cpu_seconds = process.number("cpu_seconds");
    usage.resident_bytes = process.count("resident_bytes").value_or(0);
    usage.virtual_bytes = process.count("virtual_bytes").value_or(0);
    usage.start_time_seconds = process.number("start_time_seconds");
    const std::string state = process.text("state");
    if (state.size() == 1) usage.state = state.front();
    return usage;
}

void read_changes(const fields& changed, sample::drive_counters& counters) {
    for (std::size_t kind = 0; kind < operation_keys.size(); ++kind) {
        const json* list = changed.member(operation_keys[kind]);
        if (list == nullptr) continue;
        std::array<std::uint64_t, 6> values{};
        if (!list->is_array() || list->size() > values.size()) {
            changed.refuse("the counters of an operation are not a list of up to six");
            continue;
        }
        for (std::size_t i = 0; i < list->size(); ++i) values[i] = changed.whole((*list)[i], operation_keys[kind]);
        counters.by_operation[kind] = {values[0], values[1], values[2], values[3], values[4], values[5]};
    }
    if (changed.contains("idle_ns")) {
        counters.idle = changed.span("idle_ns");
        if (counters.idle && counters.idle->count() < 0) changed.refuse("'idle_ns' is below zero");
    }
    if (changed.contains("write_end_bytes")) {
        counters.highest_write_offset_bytes = changed.count("write_end_bytes");
    }
    counters.detailed = changed.flag("detailed", counters.detailed);
}

/// The place that the text names, if there is such a drive.
std::optional<std::size_t> place_of(std::string_view text, std::size_t drives) {
    std::size_t place = 0;
    if (text.empty() || text.size() > 5) return std::nullopt;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') return std::nullopt;
        place = place * 10 + std::size_t(digit - '0');
    }
    return place < drives ? std::optional(place) : std::nullopt;
}

sample::sample read_counters(const fields& line, const header& about, std::vector<sample::drive_sample> drives) {
    sample::sample counters;
    counters.at = line.instant(about);
    counters.rtt = line.span("rtt_ns").value_or(base::nanoseconds{});
    if (line.member("process") != nullptr) counters.process = read_process(line.inside("process"));
    for (const auto& [text, what] : line.inside("changed").object().items()) {
        const std::optional<std::size_t> place = place_of(text, drives.size());
        if (!place) {
            line.refuse("something has changed of a drive that is not there");
            continue;
        }
        read_changes(fields(what, line.fault()), drives[*place].counters);
    }
    counters.drives = std::move(drives);
    return counters;
}

end read_end(const fields& line, const header& about) {
    end how;
    how.at = line.instant(about);
    const std::string reason = line.text("reason");
    const auto known =
        std::find_if(end_reasons.begin(), end_reasons.end(), [&](end_reason one) { return name(one) == reason; });
    if (known == end_reasons.end()) {
        line.refuse("it ends for a reason that is not known");
    } else {
        how.reason = *known;
    }
    if (const std::optional<std::uint64_t> code = line.count("exit_code")) {
        if (*code > 255) line.refuse("'exit_code' is out of range");
        how.exit_code = static_cast<int>(std::min<std::uint64_t>(*code, 255));
    }
    return how;
}

}  // namespace

std::string line_writer::first_line() const {
    json line;
    line["schema"] = {{"name", schema_name}, {"version", schema_major}, {"minor", schema_minor}};
    line["type"] = "header";
    line["id"] = about_.id;
    line["qmpwatch"] = about_.qmpwatch;
    line["start"] = exact_time(about_.start.wall);
    line["poll_ns"] = about_.poll.count();
    line["interval_ns"] = about_.interval.count();
    line["host"] = {{"system", about_.host.system}, {"cpu", about_.host.cpu}, {"cpus", about_.host.cpus}};
    line["git_commit"] = about_.git_commit;
    line["ci_job"] = about_.ci_job;
    line["labels"] = json::object();
    for (const auto& [key, value] : about_.labels) line["labels"][key] = value;
    line["redacted"] = about_.is_redacted;
    return line_of(line);
}

std::string line_writer::write(const happening& one) {
    struct writer {
        line_writer& self;
        const header& about;

        std::string operator()(const sample::monitor_change& change) const {
            json line = line_at("monitor", about, change.at);
            line["state"] = name(change.state);
            if (!change.detail.empty()) line["detail"] = change.detail;
            if (change.problem) line["problem"] = base::name(*change.problem);
            return line_of(line);
        }
        std::string operator()(const sample::vm_identity& vm) const {
            json line;
            line["type"] = "vm";
            line["vm"] = vm.vm;
            line["name"] = vm.name;
            line["uuid"] = vm.uuid;
            line["socket"] = vm.socket;
            line["protocol"] = vm.protocol;
            line["version"] = vm.version;
            line["package"] = vm.package;
            line["machine"] = vm.machine;
            line["accelerator"] = vm.accelerator;
            line["arch"] = vm.arch;
            line["cpus"] = vm.cpus;
            line["memory_bytes"] = vm.memory_bytes;
            line["pid"] = vm.pid;
            return line_of(line);
        }
        std::string operator()(const sample::run_state_change& change) const {
            json line = line_at("state", about, change.at);
            line["state"] = change.state;
            return line_of(line);
        }
        std::string operator()(const sample::inventory& drives) const { return line_of(inventory_line(drives)); }
        std::string operator()(const sample::sample& counters) const { return self.write_sample(counters); }
        std::string operator()(const sample::qmp_event& event) const {
            json line = line_at("event", about, event.at);
            line["event"] = event.name;
            if (!event.data.empty()) {
                json data = base::parse_ordered_json(event.data);
                line["data"] = data.is_object() ? std::move(data) : json(event.data);
            }
            return line_of(line);
        }
        std::string operator()(const sample::poll_result& poll) const {
            json line;
            line["type"] = "poll";
            // One line a poll: what is usual is left out.
            if (poll.outcome != sample::poll_outcome::succeeded) {
                line["result"] = outcomes[static_cast<std::size_t>(poll.outcome)];
            }
            line["duration_ns"] = poll.duration.count();
            line["late_ns"] = poll.lateness.count();
            return line_of(line);
        }
        std::string operator()(const marker& note) const {
            json line = line_at("marker", about, note.at);
            line["text"] = note.text;
            return line_of(line);
        }
    };
    return std::visit(writer{*this, about_}, one);
}

std::string line_writer::write_sample(const sample::sample& counters) {
    std::string text;
    const bool is_same_list =
        before_ && std::equal(before_->begin(), before_->end(), counters.drives.begin(), counters.drives.end(),
                              [](const auto& a, const auto& b) { return a.identity == b.identity; });
    if (!is_same_list) {
        json list = json::array();
        before_.emplace();
        for (const sample::drive_sample& drive : counters.drives) {
            list.push_back(identity_of(drive.identity));
            before_->push_back({drive.identity, {}});
        }
        text = line_of({{"type", "drives"}, {"drives", std::move(list)}});
    }
    base::append(text, "{{\"type\":\"sample\",\"at_ns\":{}", at_ns(about_, counters.at));
    if (const std::int64_t skew = skew_ns(about_, counters.at); skew != 0) {
        base::append(text, ",\"skew_ns\":{}", skew);
    }
    base::append(text, ",\"rtt_ns\":{}", counters.rtt.count());
    if (counters.process) {
        const base::process_usage& usage = *counters.process;
        const json process{{"cpu_seconds", usage.cpu_seconds},
                           {"resident_bytes", usage.resident_bytes},
                           {"virtual_bytes", usage.virtual_bytes},
                           {"start_time_seconds", usage.start_time_seconds},
                           {"state", std::string(1, usage.state)}};
        text += ",\"process\":" + base::json_text(process);
    }
    text += ",\"changed\":{";
    bool is_first = true;
    for (std::size_t i = 0; i < counters.drives.size(); ++i) {
        const std::string changed = changes((*before_)[i].counters, counters.drives[i].counters);
        if (changed.empty()) continue;
        base::append(text, "{}\"{}\":{{{}}}", is_first ? "" : ",", i, changed);
        is_first = false;
        (*before_)[i].counters = counters.drives[i].counters;
    }
    text += "}}\n";
    return text;
}

std::string line_writer::last_line(const end& how) const {
    json line = line_at("end", about_, how.at);
    line["reason"] = name(how.reason);
    line["complete"] = how.is_complete();
    if (how.exit_code) line["exit_code"] = *how.exit_code;
    return line_of(line);
}

base::result<header> line_reader::read_header(std::string_view text) {
    std::string fault;
    const json parsed = parse_line(text, fault);
    if (!fault.empty()) return base::fail(base::errc::data, fault);
    const fields line(parsed, fault);
    const fields schema = line.inside("schema");
    if (schema.text("name") != schema_name) {
        return base::fail(base::errc::data, "it does not begin with the header of a run");
    }
    header about;
    const std::uint64_t major = schema.count("version").value_or(0);
    if (major > std::uint64_t(schema_major)) {
        return base::fail(
            base::errc::data,
            fmt::format("it is a run of version {}, and this qmpwatch reads up to version {}: use a newer qmpwatch",
                        major, schema_major));
    }
    if (major == 0) line.refuse("its header names no version of the format");
    about.major = static_cast<int>(major);
    about.minor = static_cast<int>(std::min<std::uint64_t>(schema.count("minor").value_or(0), 1000000));
    about.id = line.text("id");
    about.qmpwatch = line.text("qmpwatch");
    const std::optional<base::wall_time> start = read_exact_time(line.text("start"));
    if (!start) line.refuse("its header has no start time that can be read");
    about.start.wall = start.value_or(base::wall_time());
    const auto cadence = [&](std::string_view name, base::nanoseconds otherwise) {
        const base::nanoseconds span = line.span(name).value_or(otherwise);
        if (span < base::milliseconds(1)) line.refuse(fmt::format("'{}' is out of range", name));
        return span;
    };
    about.poll = cadence("poll_ns", about.poll);
    about.interval = cadence("interval_ns", about.interval);
    const fields host = line.inside("host");
    about.host = {host.text("system"), host.text("cpu"),
                  static_cast<unsigned>(std::min(host.count("cpus").value_or(0), most_cpus))};
    about.git_commit = line.text("git_commit");
    about.ci_job = line.text("ci_job");
    const fields labels = line.inside("labels");
    for (const auto& [key, value] : labels.object().items()) about.labels.emplace_back(key, labels.text(key));
    about.is_redacted = line.flag("redacted");
    if (!fault.empty()) return base::fail(base::errc::data, fault);
    return about;
}

base::result<std::optional<happening>> line_reader::read(std::string_view text) {
    std::string fault;
    const json parsed = parse_line(text, fault);
    if (!fault.empty()) return base::fail(base::errc::data, fault);
    const fields line(parsed, fault);
    const std::string type = line.text("type");
    std::optional<happening> heard;
    if (type == "sample") {
        sample::sample counters = read_counters(line, about_, drives_);
        if (last_sample_ && counters.at.steady < *last_sample_) line.refuse("it is older than the sample before it");
        if (fault.empty()) {
            last_sample_ = counters.at.steady;
            drives_ = counters.drives;
            heard = std::move(counters);
        }
    } else if (type == "drives") {
        std::vector<sample::drive_sample> drives;
        for (const fields& one : line.drives()) drives.push_back({read_identity(one), {}});
        if (fault.empty()) drives_ = std::move(drives);
    } else if (type == "poll") {
        heard = read_poll(line);
    } else if (type == "inventory") {
        heard = read_inventory(line);
    } else if (type == "monitor") {
        heard = read_monitor(line, about_);
    } else if (type == "vm") {
        heard = read_vm(line);
    } else if (type == "state") {
        heard = sample::run_state_change{line.text("state"), line.instant(about_)};
    } else if (type == "event") {
        heard = read_event(line, about_);
    } else if (type == "marker") {
        heard = marker{line.text("text"), line.instant(about_)};
    } else if (type == "end") {
        const end how = read_end(line, about_);
        if (fault.empty()) end_ = how;
    } else if (type == "header") {
        line.refuse("it is a second header: another run begins here");
    } else if (type.empty()) {
        line.refuse("it has no 'type'");
    }  // else a kind of line of a later minor version
    if (!fault.empty()) return base::fail(base::errc::data, fault);
    return heard;
}

}  // namespace qmpwatch::run
