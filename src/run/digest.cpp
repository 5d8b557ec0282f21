#include "run/digest.hpp"

#include "sample/vm_facts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace qmpwatch::run {

namespace {

/// Hears a run and its replay, and keeps what reports need.
class collector {
public:
    explicit collector(digest& to) : to_(to) {}

    void begin(const header& about, const replay_settings& how) {
        replay_.emplace(about, how);
        to_.windows = replay_->windows();
        to_.first_sample = to_.last_sample = about.start;
    }

    void hear(const happening& one) {
        if (const auto* counters = std::get_if<sample::sample>(&one)) {
            if (to_.samples++ == 0) to_.first_sample = counters->at;
            to_.last_sample = counters->at;
        }
        if (const std::optional<base::instant> at = time_of(one)) now_ = *at;
        replay_->hear(one, said_);
        if (const auto* counters = std::get_if<sample::sample>(&one)) take(*counters);
        if (const auto* vm = std::get_if<sample::vm_identity>(&one)) to_.vm = *vm;
        if (const auto* note = std::get_if<marker>(&one)) add(mark::kind::marker, note->text, "");
        for (pipeline::notice& said : std::exchange(said_, {})) take(said);
    }

    void finish() {
        // In the order of time, and what happened at one time in the order in which it was heard.
        std::sort(marks_.begin(), marks_.end(), [](const dated_mark& a, const dated_mark& b) {
            return std::pair(a.at, a.order) < std::pair(b.at, b.order);
        });
        for (dated_mark& each : marks_) {
            each.what.elapsed = each.at - to_.first_sample.steady;
            to_.marks.push_back(std::move(each.what));
        }
        std::sort(to_.stalls.begin(), to_.stalls.end(), [](const stall_digest& a, const stall_digest& b) {
            return std::tie(a.start, a.drive) < std::tie(b.start, b.drive);
        });
        to_.vm.vm = replay_->pipeline().name();
        find_trouble();
    }

private:
    base::nanoseconds elapsed(base::instant at) const { return at.steady - to_.first_sample.steady; }

    /// Where the zero of `elapsed` is, is known with the first sample only: finish() works it out.
    void add(mark::kind what, std::string text, std::string detail) {
        dated_mark made{now_.steady, marks_.size(), {}};
        made.what.what = what;
        made.what.text = std::move(text);
        made.what.detail = std::move(detail);
        marks_.push_back(std::move(made));
    }

    drive_digest& drive_of(const std::string& name) {
        const auto known = std::find_if(to_.drives.begin(), to_.drives.end(),
                                        [&](const drive_digest& one) { return one.drive == name; });
        if (known != to_.drives.end()) return *known;
        to_.drives.push_back({});
        to_.drives.back().drive = name;
        return to_.drives.back();
    }

    /// The pipeline tells two drives of one name apart, and knows which is which.
    void take(const sample::sample& counters) {
        const auto seen = replay_->pipeline().snapshot(counters.at.steady);
        if (!seen->last_sample || seen->last_sample->steady != counters.at.steady) return;  // thinned out
        for (const pipeline::drive_snapshot& drive : seen->drives) {
            drive_digest& kept = drive_of(drive.drive);
            // What was known of a drive is kept when it goes, or when the connection does, and of a medium when it is
            // ejected: an installer may do so at its end.
            if (!drive.info.attachment.device.empty() || kept.info.attachment.device.empty()) {
                sample::drive_media before = std::exchange(kept.info, drive.info).media;
                if (before.inserted && !kept.info.media.inserted) kept.info.media = std::move(before);
            }
            kept.counters = drive.counters;
            kept.moved.add(elapsed(counters.at), drive.counters);
        }
        if (counters.process) to_.cpu.push_back({elapsed(counters.at), counters.process->cpu_seconds});
    }

    void take(const pipeline::notice& said) {
        if (const auto* rate = std::get_if<pipeline::rate_notice>(&said.what)) {
            to_.intervals.push_back({said.elapsed.value_or(base::nanoseconds{}), said.time, *rate});
        } else if (const auto* event = std::get_if<pipeline::qmp_notice>(&said.what)) {
            add(mark::kind::event, event->event, event->data);
        } else if (const auto* state = std::get_if<pipeline::vm_notice>(&said.what)) {
            add(mark::kind::run_state, state->after, "");
        } else if (const auto* monitor = std::get_if<pipeline::monitor_notice>(&said.what)) {
            add(mark::kind::monitor, std::string(sample::name(monitor->after)), monitor->detail);
        } else if (const auto* stalled = std::get_if<pipeline::stall_notice>(&said.what)) {
            const stall::transition& happened = stalled->happened;
            if (happened.what != stall::change::closed) return;
            stall_digest kept;
            kept.drive = happened.drive_name;
            kept.cause = happened.cause;
            kept.level = happened.level;
            kept.start = elapsed(happened.start);
            kept.length = happened.length;
            kept.length_min = happened.length_min;
            kept.length_max = happened.length_max;
            if (happened.pattern != nullptr) kept.pattern = happened.pattern->name;
            to_.stalls.push_back(std::move(kept));
        }
    }

    void find_trouble() {
        sample::vm_facts facts;
        facts.identity = to_.vm;
        for (const drive_digest& drive : to_.drives) {
            sample::drive_facts about;
            about.info = drive.info;
            about.has_lost_completions =
                std::any_of(to_.stalls.begin(), to_.stalls.end(), [&](const stall_digest& one) {
                    return one.drive == drive.drive && one.cause == stall::cause::lost_completion;
                });
            facts.drives.push_back(std::move(about));
        }
        to_.findings = stall::advise(facts);
    }

    digest& to_;
    std::optional<replay> replay_;
    std::vector<pipeline::notice> said_;
    struct dated_mark {
        base::steady_time at;
        std::size_t order = 0;
        mark what;
    };
    std::vector<dated_mark> marks_;
    base::instant now_;  ///< of what was heard last
};

}  // namespace

base::result<digest> read_digest(const std::string& path, const replay_settings& how) {
    digest made;
    collector collected(made);
    const base::result<run_info> read = read_run(
        path, [&](const header& about) { collected.begin(about, how); },
        [&](const happening& one) { collected.hear(one); });
    if (read.has_error()) return read.error();
    made.info = *read;
    collected.finish();
    return made;
}

}  // namespace qmpwatch::run
