#include "web/history.hpp"

#include <algorithm>

namespace qmpwatch::web {

namespace {

report::activity_point point_of(const sample::drive_counters& counters, base::nanoseconds at) {
    const auto& read = counters[sample::operation::read];
    const auto& write = counters[sample::operation::write];
    return {at, read.bytes, read.completed, write.bytes, write.completed};
}

bool fell(const report::activity_point& before, const report::activity_point& after) {
    return after.read_bytes < before.read_bytes || after.reads < before.reads ||
           after.written_bytes < before.written_bytes || after.writes < before.writes;
}

}  // namespace

void history::take(const pipeline::snapshot& state) {
    for (const auto& vm : state.vms) {
        if (!vm->last_sample) continue;
        const base::nanoseconds at = vm->last_sample->steady.time_since_epoch();
        for (const pipeline::drive_snapshot& drive : vm->drives) {
            const auto key = std::pair(vm->identity.vm, drive.drive);
            const auto found = drives_.find(key);
            if (found != drives_.end()) {
                take(found->second, drive, at);
            } else if (drives_.size() < most_drives) {
                take(drives_[key], drive, at);
            }
        }
    }
    const base::nanoseconds oldest = state.at.steady.time_since_epoch() - kept;
    std::erase_if(drives_, [oldest](const auto& each) { return each.second.points.back().at < oldest; });
}

void history::take(drive_history& of, const pipeline::drive_snapshot& drive, base::nanoseconds at) {
    const report::activity_point point = point_of(drive.counters, at);
    if (!of.points.empty()) {
        if (at <= of.points.back().at) return;
        if (fell(of.points.back(), point)) of = {};  // a new QEMU process
    }
    if (of.points.empty() || at - of.points.back().at >= apart) of.points.push_back(point);
    while (of.points.front().at < at - kept) of.points.pop_front();

    const pipeline::stall_snapshot& now = drive.stall;
    const bool was_open = !of.stalls.empty() && of.stalls.back().is_open;
    if (was_open) {
        drive_history::stall& open = of.stalls.back();
        const bool is_same = now.is_suspected && now.gap_start &&
                             now.gap_start->steady.time_since_epoch() - open.start < base::milliseconds(1) &&
                             open.start - now.gap_start->steady.time_since_epoch() < base::milliseconds(1);
        if (is_same) {
            open.length = now.gap_age;
            open.cause = now.cause;
        } else if (now.count() == of.stalls_before) {
            of.stalls.pop_back();  // it was none
        } else {
            open.is_open = false;
            if (now.count() == of.stalls_before + 1) open.length = now.lost() - of.lost_before;
        }
    }
    const bool is_open = !of.stalls.empty() && of.stalls.back().is_open;
    if (!is_open && now.is_suspected && now.gap_start) {
        of.stalls.push_back({now.gap_start->steady.time_since_epoch(), now.gap_age, now.cause, true});
        of.stalls_before = now.count();
        of.lost_before = now.lost();
    }
    while (!of.stalls.empty() && of.stalls.front().start + of.stalls.front().length < at - kept) of.stalls.pop_front();
}

const drive_history* history::find(const std::string& vm, const std::string& drive) const {
    const auto found = drives_.find(std::pair(vm, drive));
    return found == drives_.end() ? nullptr : &found->second;
}

}  // namespace qmpwatch::web
