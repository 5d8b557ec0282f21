// Lays out the table: which columns fit, how wide names may be, which lines are left out.
#include "view/table.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace qmpwatch::view {

namespace {

using pipeline::drive_snapshot;
using pipeline::vm_snapshot;

enum class style { plain, bold, dim, red, yellow };

std::string_view sgr(style how) {
    switch (how) {
        case style::plain: return "";
        case style::bold: return "\x1b[1m";
        case style::dim: return "\x1b[2m";
        case style::red: return "\x1b[31m";
        case style::yellow: return "\x1b[33m";
    }
    return "";
}

/// Text with one look. Widths are counted before the escape sequences are added.
struct piece {
    std::string text;
    style how = style::plain;
};
using line = std::vector<piece>;

constexpr std::string_view indent = "  ";
constexpr std::string_view gap = "  ";

std::string render(const line& pieces, const table_settings& settings) {
    std::string out;
    std::size_t room = settings.columns;
    for (const piece& each : pieces) {
        if (room == 0) break;
        const std::string text = base::shorten(each.text, room);
        room -= std::min(room, base::columns(text));
        const std::string_view start = settings.colour ? sgr(each.how) : "";
        out += start;
        out += text;
        if (!start.empty()) out += "\x1b[0m";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
}

std::string padding(std::string_view text, std::size_t width) {
    return std::string(width - std::min(width, base::columns(text)), ' ');
}

std::string left(std::string text, std::size_t width) { return text + padding(text, width); }
std::string right(const std::string& text, std::size_t width) { return padding(text, width) + text; }

std::string or_dash(const std::string& text) { return text.empty() ? "-" : base::printable(text); }

using operation_rate = sample::operation_rate;

std::optional<double> of_rate(const drive_snapshot& drive, operation_rate sample::drive_rate::* kind,
                              double operation_rate::* figure) {
    return drive.rate ? std::optional((*drive.rate).*kind.*figure) : std::nullopt;
}

std::optional<double> mean(const drive_snapshot& drive, std::optional<double> operation_rate::* figure) {
    return drive.rate ? drive.rate->all.*figure : std::nullopt;
}

struct column {
    std::string_view group;  ///< the upper title, over all neighbours of the same group
    std::string_view title;
    bool is_text;            ///< left-aligned and only as wide as its content; numbers stand still in a fixed width
    std::size_t width;       ///< of text: at most
    int importance;          ///< when the terminal is narrow, the columns of the lowest importance go first
    std::string (*cell)(const drive_snapshot&);
};

constexpr int never_dropped = 9;

const std::array<column, 9> all_columns{{
    {"", "device", true, 14, 5, [](const drive_snapshot& drive) { return or_dash(drive.info.attachment.device); }},
    {"", "bus", true, 14, 1, [](const drive_snapshot& drive) { return or_dash(drive.info.attachment.bus); }},
    {"MB/s", "read", false, 6, never_dropped,
     [](const drive_snapshot& drive) {
         return base::format_megabytes(of_rate(drive, &sample::drive_rate::read, &operation_rate::bytes_per_second));
     }},
    {"MB/s", "write", false, 6, never_dropped,
     [](const drive_snapshot& drive) {
         return base::format_megabytes(of_rate(drive, &sample::drive_rate::write, &operation_rate::bytes_per_second));
     }},
    {"IOPS", "read", false, 6, 6,
     [](const drive_snapshot& drive) {
         return base::format_count(of_rate(drive, &sample::drive_rate::read, &operation_rate::operations_per_second));
     }},
    {"IOPS", "write", false, 6, 6,
     [](const drive_snapshot& drive) {
         return base::format_count(of_rate(drive, &sample::drive_rate::write, &operation_rate::operations_per_second));
     }},
    {"mean", "size", false, 7, 2,
     [](const drive_snapshot& drive) { return base::format_bytes(mean(drive, &operation_rate::mean_bytes)); }},
    {"mean", "latency", false, 7, 3,
     [](const drive_snapshot& drive) {
         return base::format_latency(mean(drive, &operation_rate::mean_latency_seconds));
     }},
    {"", "idle", false, 5, 4,
     [](const drive_snapshot& drive) {
         return drive.counters.idle ? base::format_age(*drive.counters.idle) : std::string("-");
     }},
}};

/// The columns that fit and their widths.
struct layout {
    std::size_t name_width = 0;
    std::vector<std::pair<const column*, std::size_t>> columns;
};

/// A name may take this much before it costs a column.
constexpr std::size_t name_reserve = 13;

layout lay_out(const pipeline::snapshot& state, std::size_t width) {
    layout chosen;
    chosen.name_width = 5;
    for (const column& each : all_columns)
        chosen.columns.emplace_back(&each, each.is_text ? each.title.size() : each.width);
    for (const auto& vm : state.vms) {
        for (const drive_snapshot& drive : vm->drives) {
            chosen.name_width = std::max(chosen.name_width, base::columns(base::printable(drive.drive)));
            for (auto& [each, cells] : chosen.columns) {
                const std::size_t wanted = base::columns(each->cell(drive));
                cells = std::max(cells, each->is_text ? std::min(wanted, each->width) : wanted);
            }
        }
    }
    const auto taken = [&] {
        std::size_t sum = indent.size();
        for (const auto& [each, cells] : chosen.columns) sum += gap.size() + cells;
        return sum;
    };
    const std::size_t least = std::min(chosen.name_width, name_reserve);
    while (taken() + least > width) {
        int lowest = never_dropped;
        for (const auto& [each, cells] : chosen.columns) lowest = std::min(lowest, each->importance);
        if (lowest == never_dropped) break;
        std::erase_if(chosen.columns, [&](const auto& entry) { return entry.first->importance == lowest; });
    }
    const std::size_t left_over = width > taken() ? width - taken() : 0;
    chosen.name_width = std::min(chosen.name_width, std::max<std::size_t>(left_over, 1));
    return chosen;
}

/// A QOM path keeps the part that tells one drive from another: /machine/peripheral/virtio0/virtio-backend is cut to
/// "…virtio0/virtio-b…".
std::string fit_name(const std::string& name, std::size_t width) {
    if (base::columns(name) <= width) return name;
    if (constexpr std::string_view root = "/machine/"; name.compare(0, root.size(), root) == 0) {
        if (const std::size_t slash = name.find('/', root.size()); slash != std::string::npos) {
            return base::shorten("…" + name.substr(slash + 1), width);
        }
    }
    return base::shorten(name, width);
}

/// The two lines of titles: groups such as MB/s above, read and write below.
std::vector<line> header(const layout& columns) {
    std::string groups(indent.size() + columns.name_width, ' ');
    std::string titles = std::string(indent) + left(base::shorten("drive", columns.name_width), columns.name_width);
    for (std::size_t i = 0; i < columns.columns.size();) {
        const std::string_view group = columns.columns[i].first->group;
        std::size_t span = 0;
        do {
            const auto& [each, width] = columns.columns[i];
            span += gap.size() + width;
            titles += gap;
            titles += each->is_text ? left(std::string(each->title), width) : right(std::string(each->title), width);
        } while (++i < columns.columns.size() && !group.empty() && columns.columns[i].first->group == group);
        groups += gap;
        groups += fmt::format("{:^{}}", group, span - gap.size());
    }
    return {{{groups, style::dim}}, {{titles, style::dim}}};
}

bool is_active(const drive_snapshot& drive) {
    if (drive.rate) {
        const auto moved = [](const operation_rate& rate) { return rate.operations_per_second > 0; };
        return moved(drive.rate->all) || moved(drive.rate->flush) || moved(drive.rate->discard);
    }
    return std::any_of(sample::operations.begin(), sample::operations.end(),
                       [&](sample::operation kind) { return drive.counters[kind].completed > 0; });
}

line drive_line(const drive_snapshot& drive, const layout& columns, bool current) {
    std::string text(indent);
    text += left(fit_name(base::printable(drive.drive), columns.name_width), columns.name_width);
    for (const auto& [each, width] : columns.columns) {
        text += gap;
        const std::string cell = each->cell(drive);
        text += each->is_text ? left(base::shorten(cell, width), width) : right(cell, width);
    }
    return {{text, current && is_active(drive) ? style::plain : style::dim}};
}

std::string stalls_of(std::uint64_t count, base::nanoseconds lost) {
    return fmt::format("{} stall{}, {} lost", count, count == 1 ? "" : "s", base::format_length(lost));
}

/// Stalls that are over and leave no doubt behind: how many, for which causes.
line past_stalls_line(const pipeline::stall_snapshot& stall) {
    std::string text = fmt::format("{}^ {} (", indent, stalls_of(stall.count(), stall.lost()));
    for (const pipeline::stall_totals& each : stall.totals) {
        if (&each != &stall.totals.front()) text += ", ";
        text += name(each.cause);
    }
    return {{text + ")", style::dim}};
}

/// A drive that is or may be stalled: what is sure first, since the end is cut on a narrow terminal.
line stall_line(const drive_snapshot& drive, base::nanoseconds gap_age, bool current) {
    const pipeline::stall_snapshot& stall = drive.stall;
    std::string text = fmt::format("{}^ ", indent);
    if (stall.gap_start && stall.is_suspected) text += "STALLED " + base::format_age(gap_age) + std::string(gap);
    text += fmt::format("{} {}", name(stall.level), name(stall.cause));
    if (const auto totals = stall.totals_of(stall.cause); totals.count > 0) {
        text += ", " + stalls_of(totals.count, totals.lost);
    }
    const bool is_inferred = stall.cause == stall::cause::lost_completion;
    if (is_inferred && stall.would_faster_polling_tell) text += " (poll faster to be sure: --poll 1s)";
    if (is_inferred && !stall.pattern.empty()) text += fmt::format(" ({})", stall.pattern);
    if (!current) return {{text, style::dim}};
    return {{text, stall.level == stall::level::suspected ? style::yellow : style::red}};
}

/// A monitor that does not answer: nothing but its state, for how long, and why.
std::vector<line> trouble_lines(const vm_snapshot& vm, std::size_t width, base::instant now) {
    std::string sentence(sample::name(vm.monitor));
    if (const base::nanoseconds age = now.steady - vm.monitor_since.steady; age >= base::seconds(1)) {
        sentence += " for " + base::format_age(age);
    }
    if (!vm.monitor_detail.empty()) sentence += ": " + base::printable(vm.monitor_detail);

    const style how = vm.monitor == sample::monitor_state::connecting ? style::plain : style::red;
    const std::string name = base::printable(vm.identity.vm) + std::string(gap);
    const std::size_t name_width = base::columns(name);
    const std::size_t other = width > indent.size() ? width - indent.size() : 0;
    const std::vector<std::string> parts = base::wrap(sentence, width > name_width ? width - name_width : 0, other, 3);
    std::vector<line> lines{{{name, style::bold}, {parts.front(), how}}};
    for (std::size_t i = 1; i < parts.size(); ++i)
        lines.push_back({{std::string(indent), style::plain}, {parts[i], how}});
    return lines;
}

std::string machine(const sample::vm_identity& identity) {
    const std::string& type = identity.machine;
    const std::string& accelerator = identity.accelerator;
    return base::printable(type + (type.empty() || accelerator.empty() ? "" : ", ") + accelerator);
}

/// What is known of the VM; the facts that do not fit are left out, the machine first.
line ready_line(const vm_snapshot& vm, const pipeline::snapshot& state, std::size_t width, base::instant now) {
    struct fact {
        piece what;
        int importance;
    };
    std::vector<fact> facts{{{base::printable(vm.identity.vm), style::bold}, never_dropped}};
    const bool running = vm.run_state.empty() || vm.run_state == "running";
    facts.push_back(
        {{vm.run_state.empty() ? "ready" : base::printable(vm.run_state), running ? style::plain : style::yellow},
         never_dropped});
    if (vm.first_rate_in) {
        const auto left = std::chrono::ceil<base::seconds>(*vm.first_rate_in - (now.steady - state.at.steady));
        facts.push_back(
            {{"first numbers in " + base::format_duration(std::max(left, base::seconds(1))), style::plain}, 4});
    }
    if (!vm.identity.version.empty())
        facts.push_back({{"QEMU " + base::printable(vm.identity.version), style::dim}, 2});
    if (const std::string type = machine(vm.identity); !type.empty()) facts.push_back({{type, style::dim}, 1});
    if (vm.cpu_percent) facts.push_back({{fmt::format("CPU {:.0f} %", *vm.cpu_percent), style::dim}, 3});

    const auto taken = [&] {
        std::size_t sum = 0;
        for (const fact& each : facts) sum += gap.size() + base::columns(each.what.text);
        return sum - gap.size();
    };
    for (int importance = 1; taken() > width && importance < never_dropped; ++importance) {
        std::erase_if(facts, [&](const fact& each) { return each.importance == importance; });
    }
    line pieces;
    for (fact& each : facts) {
        if (!pieces.empty()) pieces.push_back({std::string(gap), style::plain});
        pieces.push_back(std::move(each.what));
    }
    return pieces;
}

/// `stall` and `past_stalls` belong to the drive above them.
enum class kind { vm, drive, stall, past_stalls, other };

struct body_line {
    line pieces;
    kind what;
};

std::vector<body_line> body(const pipeline::snapshot& state, const layout& columns, std::size_t width,
                            base::instant now) {
    std::vector<body_line> lines;
    for (const auto& vm : state.vms) {
        if (!lines.empty()) lines.push_back({{}, kind::other});
        const bool ready = vm->monitor == sample::monitor_state::ready;
        if (ready) {
            lines.push_back({ready_line(*vm, state, width, now), kind::vm});
        } else {
            kind what = kind::vm;
            for (line& each : trouble_lines(*vm, width, now)) {
                lines.push_back({std::move(each), what});
                what = kind::other;
            }
        }
        for (const drive_snapshot& drive : vm->drives) {
            lines.push_back({drive_line(drive, columns, ready), kind::drive});
            if (drive.stall.level != stall::level::none) {
                const base::nanoseconds age = pipeline::gap_age_at(now.steady, *vm, drive);
                lines.push_back({stall_line(drive, age, ready), kind::stall});
            } else if (!drive.stall.totals.empty()) {
                lines.push_back({past_stalls_line(drive.stall), kind::past_stalls});
            }
        }
    }
    if (lines.empty()) lines.push_back({{{"no VM found yet", style::plain}}, kind::other});
    return lines;
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} more {}{}", count, what, count == 1 ? "" : "s");
}

/// Cuts the body to `room` lines, the last of which says what is missing.
void cut(std::vector<body_line>& lines, std::size_t room) {
    if (lines.size() <= room || room == 0) return;
    auto first = lines.begin() + static_cast<std::ptrdiff_t>(room - 1);
    if (room > 1 && first->what == kind::stall) --first;  // never without its drive
    const auto missing = [&](kind what) {
        return static_cast<std::size_t>(
            std::count_if(first, lines.end(), [&](const body_line& each) { return each.what == what; }));
    };
    const std::size_t vms = missing(kind::vm), drives = missing(kind::drive), stalls = missing(kind::stall);
    std::string text = "...";
    if (vms > 0) text += " and " + counted(vms, "VM");
    if (drives > 0) text += (vms > 0 ? ", " : " and ") + counted(drives, "drive");
    if (stalls > 0) text += fmt::format(" ({} with stalls)", stalls);
    lines.erase(first, lines.end());
    lines.push_back({{{std::string(indent), style::plain}, {text, style::dim}}, kind::other});
}

std::string footer(const pipeline::snapshot& state, const table_settings& settings) {
    std::string text = "over the last " + base::format_duration(state.interval);
    if (!settings.metrics_address.empty()) text += std::string(gap) + base::printable(settings.metrics_address);
    return text;
}

}  // namespace

std::vector<std::string> table(const pipeline::snapshot& state, const table_settings& settings, base::instant now) {
    const layout columns = lay_out(state, settings.columns);
    const bool has_drives =
        std::any_of(state.vms.begin(), state.vms.end(), [](const auto& vm) { return !vm->drives.empty(); });
    std::vector<line> head = has_drives ? header(columns) : std::vector<line>{};
    std::vector<body_line> middle = body(state, columns, settings.columns, now);
    std::vector<line> foot{{}, {{footer(state, settings), style::dim}}};

    // The lines that say least go first: the blank one, stalls that are over, the footer, the titles; only then rows.
    const auto too_high = [&] {
        return settings.rows > 0 && head.size() + middle.size() + foot.size() > settings.rows;
    };
    if (too_high()) foot.erase(foot.begin());
    if (too_high()) std::erase_if(middle, [](const body_line& each) { return each.what == kind::past_stalls; });
    if (too_high() && settings.rows < head.size() + foot.size() + 4) foot.clear();
    if (too_high() && settings.rows < head.size() + 3) head.clear();
    if (too_high()) cut(middle, settings.rows - head.size() - foot.size());

    std::vector<std::string> lines;
    for (const line& each : head) lines.push_back(render(each, settings));
    for (const body_line& each : middle) lines.push_back(render(each.pieces, settings));
    for (const line& each : foot) lines.push_back(render(each, settings));
    return lines;
}

}  // namespace qmpwatch::view
