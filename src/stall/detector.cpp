#include "stall/detector.hpp"

#include "stall/drive_tracker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace qmpwatch::stall {

namespace {

/// Totals of so many drives that are gone are kept for their return.
constexpr std::size_t most_departed = 256;

bool starts_with(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

bool contains(std::string_view text, std::string_view part) {
    return !part.empty() && text.find(part) != std::string_view::npos;
}

/// True when the data of an event names the drive.
bool is_about(std::string_view data, const sample::drive_identity& drive) {
    const auto quoted = [&](const std::string& name) {
        return !name.empty() && contains(data, fmt::format("\"{}\"", name));
    };
    return quoted(drive.device) || quoted(drive.node_name) || quoted(drive.qdev);
}

/// Two drives of a VM can have one name; the second becomes "name (2)", as everywhere in qmpwatch.
std::string unique_name(const std::string& name, const std::vector<drive_tracker>& taken) {
    const auto is_taken = [&](const std::string& candidate) {
        return std::any_of(taken.begin(), taken.end(),
                           [&](const drive_tracker& one) { return one.name() == candidate; });
    };
    std::string candidate = name;
    for (int number = 2; is_taken(candidate); ++number) candidate = fmt::format("{} ({})", name, number);
    return candidate;
}

}  // namespace

struct vm_detector::state {
    explicit state(detector_settings chosen) : settings(chosen) {}

    void match_drives(const tick& when, const sample::sample& counters, std::vector<transition>& out);
    void look_up(drive_tracker& drive) const;
    tick time_of(const sample::sample& counters);
    void depart(drive_tracker& drive, base::instant at, std::string_view why, std::vector<transition>& out);

    const detector_settings settings;
    std::vector<drive_tracker> drives;  ///< in the order of the last sample
    std::map<std::string, drive_tracker::all_totals> departed;
    sample::inventory known;
    std::vector<drive_limits> limits;
    pause_log pauses;
    surroundings around;
    std::optional<base::instant> last;        ///< the last sample
    base::nanoseconds blocked{};              ///< longest answer since the last sample that came too late
};

vm_detector::vm_detector(detector_settings settings) : state_(std::make_unique<state>(settings)) {}
vm_detector::~vm_detector() = default;
vm_detector::vm_detector(vm_detector&&) noexcept = default;
vm_detector& vm_detector::operator=(vm_detector&&) noexcept = default;

void vm_detector::event(const sample::qmp_event& heard, std::vector<transition>& out) {
    const std::string_view name = heard.name;
    const base::steady_time at = heard.at.steady;
    if (name == "STOP" || name == "SUSPEND") {
        state_->pauses.heard(false, at);
    } else if (name == "RESUME" || name == "WAKEUP") {
        state_->pauses.heard(true, at);
    } else if (name == "RESET" || name == "SHUTDOWN") {
        for (drive_tracker& drive : state_->drives) drive.forget(heard.at, false, "the guest was reset", out);
    } else if (name == "BLOCK_IO_ERROR") {
        const bool is_known =
            std::any_of(state_->drives.begin(), state_->drives.end(),
                        [&](const drive_tracker& drive) { return is_about(heard.data, drive.identity); });
        for (drive_tracker& drive : state_->drives) {
            if (!is_known || is_about(heard.data, drive.identity)) drive.io_error_heard(at);
        }
    } else if (starts_with(name, "BLOCK_JOB_") || starts_with(name, "MIGRATION") || name == "JOB_STATUS_CHANGE") {
        state_->around.last_job = at;
        const bool is_over = name == "BLOCK_JOB_COMPLETED" || name == "BLOCK_JOB_CANCELLED" ||
                             contains(heard.data, "\"concluded\"") || contains(heard.data, "\"null\"") ||
                             contains(heard.data, "\"completed\"") || contains(heard.data, "\"failed\"") ||
                             contains(heard.data, "\"cancelled\"");
        const bool has_begun = contains(heard.data, "\"running\"") || contains(heard.data, "\"active\"");
        if (is_over || has_begun) state_->around.has_jobs = !is_over;
    }
}

void vm_detector::run_state(const sample::run_state_change& changed) {
    state_->pauses.asked(changed.state == "running", changed.at.steady);
}

void vm_detector::inventory(const sample::inventory& drives) {
    state_->known = drives;
    for (drive_tracker& drive : state_->drives) state_->look_up(drive);
}

void vm_detector::limits(const std::vector<drive_limits>& known) {
    state_->limits = known;
    for (drive_tracker& drive : state_->drives) state_->look_up(drive);
}

void vm_detector::poll_ended(const sample::poll_result& result) {
    if (result.outcome != sample::poll_outcome::timed_out) return;
    state_->blocked = std::max(state_->blocked, result.duration);
}

void vm_detector::state::look_up(drive_tracker& drive) const {
    const auto attached = std::find_if(known.begin(), known.end(),
                                       [&](const sample::drive_info& one) { return one.identity == drive.identity; });
    // A medium that changed has a new node name before the inventory has it: the drive hangs where it hung.
    if (attached != known.end()) drive.attach(attached->attachment.device);
    const auto limited = std::find_if(limits.begin(), limits.end(),
                                      [&](const drive_limits& one) { return one.identity == drive.identity; });
    if (limited != limits.end())
        drive.limit(limited->operations_per_second, limited->bytes_per_second);
    else
        drive.limit(0, 0);
}

tick vm_detector::state::time_of(const sample::sample& counters) {
    tick when;
    when.at = counters.at;
    when.half_rtt = counters.rtt / 2;
    when.before = last ? last->steady : counters.at.steady;
    when.blocked = std::max(std::exchange(blocked, {}),
                            counters.rtt > settings.blocked_after ? counters.rtt : base::nanoseconds());
    if (!last) return when;
    const base::nanoseconds steady = counters.at.steady - last->steady;
    const base::nanoseconds wall = counters.at.wall - last->wall;
    const bool has_jumped = std::chrono::abs(wall - steady) > settings.clock_tolerance;
    when.is_broken = has_jumped || when.blocked > base::nanoseconds();
    when.is_late = steady > 2 * settings.poll + settings.clock_tolerance;
    return when;
}

void vm_detector::step(const sample::sample& counters, std::vector<transition>& out) {
    state& self = *state_;
    if (self.last && counters.at.steady < self.last->steady) return;
    const tick when = self.time_of(counters);
    self.around.pauses = &self.pauses;
    const bool is_same = std::equal(
        self.drives.begin(), self.drives.end(), counters.drives.begin(), counters.drives.end(),
        [](const drive_tracker& drive, const sample::drive_sample& seen) { return drive.identity == seen.identity; });
    if (!is_same) self.match_drives(when, counters, out);
    std::uint64_t bytes = 0;
    for (std::size_t place = 0; place < self.drives.size(); ++place) {
        drive_tracker& drive = self.drives[place];
        const sample::drive_counters& seen = counters.drives[place].counters;
        const counter_sums now = sum_of(seen);
        bytes += now.bytes;
        drive.is_told_less = !seen.detailed;
        if (!drive.is_known())
            drive.first(when, now);
        else
            drive.step(when, now, self.around, out);
    }
    self.around.bytes = bytes;
    self.last = counters.at;
}

/// Makes `drives` stand in the order of the sample. A drive is the same as long as its name is.
void vm_detector::state::match_drives(const tick& when, const sample::sample& counters, std::vector<transition>& out) {
    std::vector<drive_tracker> next;
    next.reserve(counters.drives.size());
    std::vector<bool> is_kept(drives.size(), false);
    for (const sample::drive_sample& seen : counters.drives) {
        std::string name = unique_name(sample::drive_name(seen.identity), next);
        std::size_t place = 0;
        while (place < drives.size() && (is_kept[place] || drives[place].name() != name)) ++place;
        if (place < drives.size()) {
            is_kept[place] = true;
            next.push_back(std::move(drives[place]));
        } else {
            next.emplace_back(settings, std::move(name), seen.identity);
            const auto earlier = departed.find(next.back().name());
            if (earlier != departed.end()) next.back().resume_totals(earlier->second);
        }
    }
    for (std::size_t place = 0; place < drives.size(); ++place) {
        if (!is_kept[place]) depart(drives[place], when.at, "the drive is gone", out);
    }
    drives = std::move(next);
    for (std::size_t place = 0; place < drives.size(); ++place) {
        drives[place].place = place;
        drives[place].identity = counters.drives[place].identity;
        look_up(drives[place]);
    }
}

void vm_detector::state::depart(drive_tracker& drive, base::instant at, std::string_view why,
                                std::vector<transition>& out) {
    drive.forget(at, true, why, out);
    if (departed.size() < most_departed || departed.count(drive.name()) != 0) departed[drive.name()] = drive.totals();
}

void vm_detector::connection_lost(base::instant at, std::vector<transition>& out) {
    state& self = *state_;
    for (drive_tracker& drive : self.drives) self.depart(drive, at, "the connection is lost", out);
    self.drives.clear();
    self.known.clear();
    self.limits.clear();
    self.pauses = {};
    self.around = {};
    self.last.reset();
    self.blocked = {};
}

base::nanoseconds vm_detector::wanted_poll(base::nanoseconds normal) const {
    base::nanoseconds wanted = normal;
    for (const drive_tracker& drive : state_->drives) wanted = std::min(wanted, drive.wanted_poll(normal));
    return wanted;
}

std::size_t vm_detector::size() const { return state_->drives.size(); }

drive_view vm_detector::view(std::size_t drive) const { return state_->drives.at(drive).view(); }

}  // namespace qmpwatch::stall
