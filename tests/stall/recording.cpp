#include "stall/recording.hpp"

#include "base/json.hpp"
#include "sample/blockstats.hpp"
#include "support/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace qmpwatch::stall_test {

using nlohmann::json;

base::instant at(double seconds) {
    const auto span = std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(seconds));
    return {base::steady_time(span), base::wall_time(std::chrono::duration_cast<base::wall_time::duration>(span))};
}

double seconds_of(base::steady_time when) { return base::in_seconds(when.time_since_epoch()); }

std::vector<frame> load(std::string_view name) {
    std::vector<frame> frames;
    for (const std::string& line : support::fixture_lines(name)) {
        const json poll = base::parse_json(line);
        frame next;
        next.seconds = poll.at("t").get<double>();
        const double rtt = poll.contains("rtt") ? poll.at("rtt").get<double>() : poll.at("rtt_ms").get<double>() / 1000;
        next.counters.at = at(next.seconds);
        next.counters.rtt = std::chrono::duration_cast<base::nanoseconds>(std::chrono::duration<double>(rtt));
        auto& drives = next.counters.drives;
        const auto read =
            poll.contains("text")
                ? sample::decode_hmp_blockstats(poll.at("text").get<std::string>(), drives)
                : sample::decode_blockstats(base::json_text(poll.at(poll.contains("return") ? "return" : "blockstats")),
                                            drives);
        if (read.has_error()) throw std::runtime_error(read.error().message);
        if (poll.contains("status")) next.status = poll.at("status").get<std::string>();
        if (poll.contains("events")) next.events = poll.at("events").get<std::vector<std::string>>();
        frames.push_back(std::move(next));
    }
    return frames;
}

std::vector<true_gap> load_truth(std::string_view name) {
    std::vector<true_gap> gaps;
    const json whole = base::parse_json(support::fixture(name));
    for (const json& one : whole.at("truth")) {
        true_gap gap;
        gap.kind = one.at("kind").get<std::string>();
        gap.start = one.at("start").get<double>();
        gap.length = one.contains("len") ? one.at("len").get<double>() : one.at("end").get<double>() - gap.start;
        gaps.push_back(gap);
    }
    return gaps;
}

sample::inventory attached(const sample::sample& counters, const std::string& device) {
    sample::inventory drives;
    for (const sample::drive_sample& drive : counters.drives) {
        sample::drive_info info;
        info.identity = drive.identity;
        info.attachment.device = device;
        drives.push_back(info);
    }
    return drives;
}

std::vector<stall::transition> replay(const std::vector<frame>& frames, const look& how,
                                      stall::detector_settings settings) {
    stall::vm_detector detector(settings);
    return replay(frames, how, detector);
}

std::vector<stall::transition> replay(const std::vector<frame>& frames, const look& how, stall::vm_detector& detector) {
    std::vector<stall::transition> said;
    detector.inventory(attached(frames.at(0).counters, how.device));
    for (std::size_t index = 0; index < frames.size(); ++index) {
        const frame& each = frames[index];
        if (!how.is_hmp) {
            for (const std::string& event : each.events) detector.event({event, "", each.counters.at}, said);
        }
        if (index % how.every != how.first % how.every) continue;
        detector.step(each.counters, said);
        if (how.is_hmp && !each.status.empty()) detector.run_state({each.status, at(each.seconds + 0.001)});
    }
    return said;
}

std::string describe(const std::vector<stall::transition>& said) {
    std::string text;
    for (const stall::transition& one : said) {
        text += fmt::format(
            "{:9.3f} {:13} {:15} {:9} start {:9.3f} length {:7.3f} [{:.3f} {:.3f}] paused {:.3f} n {} {:.1f} s{} {}: "
            "{}\n",
            seconds_of(one.at.steady), name(one.what), name(one.cause), name(one.level), seconds_of(one.start.steady),
            base::in_seconds(one.length), base::in_seconds(one.length_min), base::in_seconds(one.length_max),
            base::in_seconds(one.paused), one.count, base::in_seconds(one.lost),
            one.is_retroactive ? " retroactive" : "", one.pattern != nullptr ? one.pattern->name : "", one.reason);
    }
    return text;
}

}  // namespace qmpwatch::stall_test
