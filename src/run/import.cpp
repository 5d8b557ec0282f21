#include "run/import.hpp"

#include "run/import_parts.hpp"
#include "sample/attachment.hpp"

#include <algorithm>

namespace qmpwatch::run {
namespace {

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

}  // namespace

content recognize(std::string_view beginning) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (beginning.starts_with(byte_order_mark)) beginning.remove_prefix(byte_order_mark.size());
    if (beginning.find('\0') != std::string_view::npos) return content::unknown;
    std::string_view rest = beginning;
    bool is_first = true;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos) continue;
        if (line[begin] != '{') break;
        if (is_first && has(line.substr(0, 512), "\"schema\"") && has(line.substr(0, 512), schema_name)) {
            return content::run_file;
        }
        is_first = false;
        const bool has_answer = has(line, "\"blockstats\"") || has(line, "\"return\"") || has(line, "\"text\"");
        if (has(line, "\"t\"") && has_answer) return content::json_lines;
    }
    for (const std::string_view word : {"rd_bytes=", "idle_time_ns=", "(qemu)", " monitor - type "}) {
        if (has(beginning, word)) return content::hmp_log;
    }
    return content::unknown;
}

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (line.ends_with('\r')) line.remove_suffix(1);  // a log of a terminal has two
    return line;
}

std::optional<base::nanoseconds> cadence_of(const std::vector<happening>& story) {
    std::vector<base::nanoseconds> distances;
    std::optional<base::steady_time> before;
    for (const happening& one : story) {
        const auto* counters = std::get_if<sample::sample>(&one);
        if (counters == nullptr) continue;
        if (before) distances.push_back(counters->at.steady - *before);
        before = counters->at.steady;
    }
    if (distances.empty()) return std::nullopt;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    const std::int64_t median = middle->count();
    std::int64_t step = 1'000'000;
    while (step * 100 <= median && step < 1'000'000'000) step *= 10;
    return base::nanoseconds(std::max((median + step / 2) / step, std::int64_t(1)) * step);
}

sample::inventory inventory_of(const sample::sample& counters) {
    sample::inventory drives;
    for (const sample::drive_sample& one : counters.drives) {
        sample::drive_info drive;
        drive.identity = one.identity;
        drive.attachment = sample::attachment_from_path(one.identity.qdev);
        drive.media.inserted = !one.identity.node_name.empty();
        drives.push_back(std::move(drive));
    }
    return drives;
}

base::instant moment(base::nanoseconds since_zero) {
    return {base::steady_time(since_zero),
            base::wall_time(std::chrono::duration_cast<base::wall_time::duration>(since_zero))};
}

void set_wall_clock(imported& run, base::wall_time wall) {
    const auto move = [wall](base::instant& at) { at.wall += wall.time_since_epoch(); };
    run.about.has_wall_clock = true;
    for (happening& one : run.story) {
        std::visit(
            [&move](auto& what) {
                if constexpr (requires { what.at; }) move(what.at);
            },
            one);
    }
    move(run.about.start);
}

void complete(imported& run, const sample::vm_identity& vm) {
    run.story.insert(run.story.begin(), vm);
    if (const auto cadence = cadence_of(run.story)) run.about.poll = *cadence;
    run.about.interval = std::max(run.about.interval, run.about.poll);
}

}  // namespace qmpwatch::run
