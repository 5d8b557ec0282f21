#include "gate/metric.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace qmpwatch::gate {

namespace {

constexpr std::string_view read_suffix = ":read", write_suffix = ":write";

/// The median distance of the points in the phase and the two at its edges.
base::nanoseconds cadence_between(const run::progress& moved, base::nanoseconds begin, base::nanoseconds end) {
    std::vector<base::nanoseconds> distances;
    const std::vector<run::progress::point>& points = moved.points();
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].elapsed > begin && points[i - 1].elapsed < end) {
            distances.push_back(points[i].elapsed - points[i - 1].elapsed);
        }
    }
    if (distances.empty()) return {};
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
}

const run::phase* longest_in_bytes(const std::vector<run::phase>& found) {
    const auto most = std::max_element(found.begin(), found.end(), [](const run::phase& one, const run::phase& other) {
        return one.bytes < other.bytes;
    });
    return most == found.end() ? nullptr : &*most;
}

std::string known_drives(const run::digest& of) {
    std::string text;
    for (const run::drive_digest& each : of.drives) text += (text.empty() ? "" : ", ") + base::printable(each.drive);
    return text.empty() ? "none" : text;
}

}  // namespace

base::result<metric> parse_metric(std::string_view text) {
    metric made;
    if (text == "copy") return made;
    if (text == "run") {
        made.what = metric::kind::run;
        return made;
    }
    made.what = metric::kind::drive;
    if (text.ends_with(write_suffix)) {
        made.way = run::direction::write;
        text.remove_suffix(write_suffix.size());
    } else if (text.ends_with(read_suffix)) {
        text.remove_suffix(read_suffix.size());
    } else {
        text = {};
    }
    if (text.empty()) return base::fail(base::errc::usage, "a metric is copy, run, DRIVE:read or DRIVE:write");
    made.drive = text;
    return made;
}

std::string name(const metric& of) {
    switch (of.what) {
        case metric::kind::copy: return "copy";
        case metric::kind::run: return "run";
        case metric::kind::drive: break;
    }
    return of.drive + std::string(of.way == run::direction::read ? read_suffix : write_suffix);
}

base::result<curve> curve::of(const run::digest& run, const metric& what, const std::string& medium) {
    curve made;
    made.last_ = run.watched();
    made.is_complete_ = run.info.is_imported || (run.info.ended && run.info.ended->is_complete());
    if (what.what == metric::kind::run) {
        if (made.last_ <= base::nanoseconds{}) return base::fail(base::errc::data, "a single sample has no length");
        made.end_ = made.last_;
        if (run.samples > 1) made.cadence_ = made.last_ / static_cast<std::int64_t>(run.samples - 1);
        return made;
    }

    std::optional<run::phase> part;
    if (what.what == metric::kind::copy) {
        const base::result<run::phases> parts = run::find_all_phases(run, medium);
        if (parts.has_error()) return base::fail(base::errc::data, parts.error().message);
        if (!parts->copy) return base::fail(base::errc::data, "there is no copy in it: no install medium was read");
        part = parts->copy;
    } else {
        const auto drive = std::find_if(run.drives.begin(), run.drives.end(),
                                        [&](const run::drive_digest& each) { return each.drive == what.drive; });
        if (drive == run.drives.end()) {
            return base::fail(base::errc::data, fmt::format("it has no drive '{}'; its drives: {}",
                                                            base::printable(what.drive), known_drives(run)));
        }
        const std::vector<run::phase> found = run::find_phases(*drive, what.way);
        const run::phase* const most = longest_in_bytes(found);
        if (most == nullptr) {
            return base::fail(base::errc::data,
                              fmt::format("the drive {} never {} for a while", base::printable(what.drive),
                                          what.way == run::direction::read ? "read" : "wrote"));
        }
        part = *most;
    }
    made.way_ = part->way;
    made.drive_ = part->drive;
    made.begin_ = part->begin;
    made.end_ = part->end;
    made.bytes_ = part->bytes;
    for (const run::drive_digest& each : run.drives) {
        if (each.drive == part->drive) made.moved_ = &each.moved;
    }
    made.begin_bytes_ = made.moved_->bytes_at(made.begin_, made.way_);
    made.cadence_ = cadence_between(*made.moved_, made.begin_, made.end_);
    return made;
}

std::optional<base::nanoseconds> curve::time_to(double bytes) const {
    if (moved_ == nullptr) return is_complete_ ? std::optional(length()) : std::nullopt;
    // What the drive moved after the phase is not part of it.
    if (bytes > static_cast<double>(bytes_)) return std::nullopt;
    const std::optional<base::nanoseconds> when = moved_->reached(begin_bytes_ + bytes, way_);
    if (!when) return std::nullopt;
    return std::max(*when - begin_, base::nanoseconds{});
}

}  // namespace qmpwatch::gate
