#include "run/phases.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace qmpwatch::run {

namespace {

/// Finds the streams among the steps from sample to sample, in one pass.
class stream_finder {
public:
    stream_finder(const std::vector<progress::point>& points, direction way, const phase_settings& settings)
        : points_(points), way_(way), settings_(settings) {}

    std::vector<phase> find() {
        for (std::size_t i = 1; i < points_.size(); ++i) {
            if (done(i).operations == 0) continue;
            if (!recent_.empty() && points_[i - 1].elapsed - end_of(recent_.back()) >= settings_.pause) forget();
            take(i);
            if (sum_.operations >= settings_.operations && sum_.bytes >= settings_.bytes) extend(begin_of_stream(), i);
        }
        return std::move(found_);
    }

private:
    /// The step that ends with point `i`.
    amount done(std::size_t i) const { return points_[i][way_] - points_[i - 1][way_]; }
    base::nanoseconds length(std::size_t i) const { return points_[i].elapsed - points_[i - 1].elapsed; }
    base::nanoseconds end_of(std::size_t i) const {
        return std::clamp(points_[i].last_completion, points_[i - 1].elapsed, points_[i].elapsed);
    }

    void forget() {
        recent_.clear();
        first_ = 0;
        sum_ = {};
        active_ = {};
    }

    /// Adds a step to the window; those that have left it go. A step that is longer than the window has it to itself.
    void take(std::size_t i) {
        recent_.push_back(i);
        sum_ += done(i);
        active_ += length(i);
        for (; active_ > settings_.window && first_ + 1 < recent_.size(); ++first_) {
            sum_ = sum_ - done(recent_[first_]);
            active_ -= length(recent_[first_]);
        }
    }

    /// The step with which the stream in the window begins. A little that was done long before it (firmware that looks
    /// at the medium) is in the window too, since only active time counts there, but it is no part of the stream when
    /// the rest is one without it.
    std::size_t begin_of_stream() const {
        std::size_t begin = first_;
        amount rest = sum_;
        for (std::size_t k = first_; k + 1 < recent_.size(); ++k) {
            rest = rest - done(recent_[k]);
            if (rest.operations < settings_.operations || rest.bytes < settings_.bytes) break;
            const base::nanoseconds idle = points_[recent_[k + 1] - 1].elapsed - end_of(recent_[k]);
            if (idle > settings_.window) begin = k + 1;
        }
        return recent_[begin];
    }

    /// All from step `from` to step `to` is part of a stream.
    void extend(std::size_t from, std::size_t to) {
        const base::nanoseconds begin = points_[from - 1].elapsed;
        if (found_.empty() || begin - found_.back().end >= settings_.pause) {
            phase next;
            next.way = way_;
            next.begin = begin;
            found_.push_back(next);
            before_ = from - 1;
        }
        found_.back().end = end_of(to);
        found_.back().bytes = (points_[to][way_] - points_[before_][way_]).bytes;
    }

    const std::vector<progress::point>& points_;
    const direction way_;
    const phase_settings& settings_;
    std::vector<std::size_t> recent_;  ///< the steps with operations since the last pause; the window from first_ on
    std::size_t first_ = 0;
    amount sum_;  ///< of the window
    base::nanoseconds active_{};  ///< its length
    std::size_t before_ = 0;  ///< the point where the last phase begins
    std::vector<phase> found_;
};

double medium_score(const drive_digest& drive) {
    if (drive.moved.points().empty() || drive.info.attachment.device == "pflash") return 0;
    const progress::point& last = drive.moved.points().back();
    double score = static_cast<double>(last.read.bytes);
    if (looks_like_a_medium(drive.info)) score *= 10;
    if (last.write.bytes > last.read.bytes) score /= 10;
    return score;
}

std::string names_of(const std::vector<drive_digest>& drives) {
    std::string text;
    for (const drive_digest& each : drives) {
        if (!text.empty()) text += ", ";
        text += base::printable(each.drive);
    }
    return text;
}

}  // namespace

bool looks_like_a_medium(const sample::drive_info& info) {
    const std::string& device = info.attachment.device;
    const bool is_read_only = info.media.inserted && info.media.read_only;
    return info.media.removable || is_read_only || device == "usb-storage" || device.ends_with("-cd");
}

std::vector<phase> find_phases(const drive_digest& drive, direction way, const phase_settings& settings) {
    std::vector<phase> found = stream_finder(drive.moved.points(), way, settings).find();
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i].name = fmt::format("{} {}", way == direction::read ? "read" : "write", i + 1);
        found[i].drive = drive.drive;
    }
    return found;
}

base::result<std::optional<std::string>> install_medium(const digest& of, const std::string& wanted) {
    if (!wanted.empty()) {
        const bool is_known = std::any_of(of.drives.begin(), of.drives.end(),
                                          [&](const drive_digest& each) { return each.drive == wanted; });
        if (is_known) return std::optional(wanted);
        const std::string known = of.drives.empty() ? "it has no drives" : "it has " + names_of(of.drives);
        return base::fail(base::errc::usage, fmt::format("the run has no drive '{}' to be the medium; {}",
                                                         base::printable(wanted), known));
    }
    std::optional<std::string> best;
    double most = 0;
    for (const drive_digest& each : of.drives) {
        if (const double score = medium_score(each); score > most) {
            most = score;
            best = each.drive;
        }
    }
    return best;
}

base::result<phases> find_all_phases(const digest& of, const std::string& wanted_medium,
                                     const phase_settings& settings) {
    auto medium = install_medium(of, wanted_medium);
    if (medium.has_error()) return medium.error();
    phases parts;
    parts.medium = *medium;
    parts.whole.name = "run";
    parts.whole.end = of.watched();
    for (const drive_digest& each : of.drives) {
        for (const direction way : {direction::read, direction::write}) {
            std::vector<phase> found = find_phases(each, way, settings);
            if (way == direction::read && each.drive == parts.medium && !found.empty()) {
                const auto main =
                    std::max_element(found.begin(), found.end(),
                                     [](const phase& one, const phase& other) { return one.bytes < other.bytes; });
                for (auto later = found.end() - 1; later != main; --later) later->name = (later - 1)->name;
                main->name = "copy";
                parts.copy = *main;
            }
            parts.all.insert(parts.all.end(), found.begin(), found.end());
        }
    }
    std::sort(parts.all.begin(), parts.all.end(), [](const phase& one, const phase& other) {
        return std::tie(one.begin, one.drive, one.way) < std::tie(other.begin, other.drive, other.way);
    });
    return parts;
}

}  // namespace qmpwatch::run
