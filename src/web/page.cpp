#include "web/page.hpp"

#include "base/duration.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "report/activity.hpp"
#include "report/html.hpp"
#include "report/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace qmpwatch::web {

namespace {

using report::escape_html;

constexpr std::string_view in_head = "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n";
// Changing the script changes its hash: the test says what it is.
constexpr std::string_view script = R"(
const main = document.querySelector("main"), lost = document.getElementById("lost");
async function refresh() {
  // Not while nobody looks, and not under the hands of somebody who is copying a text.
  if (!document.hidden && getSelection().isCollapsed) {
    try {
      const answer = await fetch("/api/v1/snapshot?format=html", { cache: "no-store" });
      if (answer.ok) main.innerHTML = await answer.text();
      lost.hidden = answer.ok;
    } catch {
      lost.hidden = false;
    }
  }
  setTimeout(refresh, 2000);
}
setTimeout(refresh, 2000);
)";
constexpr std::string_view script_source = "'sha256-XvaM28GNp07mXqdNMeM0GFCbzSDqCaPa7C25bw3GF7o='";
// More charts would make a page that nobody scrolls through, and that is heavy to fetch.
constexpr std::size_t most_drives_with_charts = 16;
constexpr std::size_t most_bins = 300;

/// Green when all is well, red when somebody has to look, else amber.
std::string_view color(const pipeline::vm_snapshot& vm) {
    if (vm.monitor == sample::monitor_state::blocked || vm.monitor == sample::monitor_state::stopped) return "bad";
    if (vm.monitor != sample::monitor_state::ready) return "wait";
    if (vm.run_state == "running") return "good";
    if (vm.run_state == "io-error" || vm.run_state == "internal-error" || vm.run_state == "guest-panicked")
        return "bad";
    return "wait";
}

std::string state_text(const pipeline::vm_snapshot& vm) {
    if (vm.monitor != sample::monitor_state::ready) return fmt::format("monitor {}", sample::name(vm.monitor));
    return vm.run_state.empty() ? "connected" : escape_html(vm.run_state);
}

/// What the VM is, in one quiet line: machine, accelerator, version, CPU, memory. What is not known is left out.
std::string about(const pipeline::vm_snapshot& vm) {
    std::string line;
    const auto add = [&line](std::string_view text) {
        if (text.empty()) return;
        if (!line.empty()) line += " · ";
        line += text;
    };
    const sample::vm_identity& who = vm.identity;
    if (!who.version.empty()) add(fmt::format("QEMU {}", escape_html(who.version)));
    add(escape_html(who.machine));
    add(escape_html(who.accelerator));
    if (vm.cpu_percent) add(fmt::format("CPU {:.0f} %", *vm.cpu_percent));
    if (vm.process) add(fmt::format("memory {}", base::format_bytes(static_cast<double>(vm.process->resident_bytes))));
    add(escape_html(who.socket));
    return line;
}

void add_cell(std::string& out, const std::string& text, std::string_view css) {
    const bool nothing = text == "0" || text == "-";
    base::append(out, "<td class=\"{}{}\">{}</td>", css, nothing ? " zero" : "", escape_html(text));
}

/// A badge while the drive is or may be stalled, and what stalls have cost so far.
void add_stalls(std::string& out, const pipeline::stall_snapshot& stall, base::nanoseconds gap_age) {
    if (stall.level != stall::level::none) {
        const std::string since =
            stall.gap_start && stall.is_suspected ? "stalled for " + base::format_age(gap_age) + ", " : "";
        base::append(out, "<div><span class=\"state {}\">{}{} {}</span></div>",
                     stall.level == stall::level::suspected ? "wait" : "bad", since, name(stall.level),
                     name(stall.cause));
        if (!stall.pattern.empty()) {
            base::append(out, "<small>{}{}</small>", escape_html(stall.pattern),
                         stall.would_faster_polling_tell ? "; poll faster to be sure: --poll 1s" : "");
        }
    }
    if (const std::uint64_t count = stall.count(); count > 0) {
        base::append(out, "<small>{} stall{}, {} lost</small>", count, count == 1 ? "" : "s",
                     base::format_length(stall.lost()));
    }
}

void add_drive(std::string& out, const pipeline::drive_snapshot& drive, base::nanoseconds gap_age) {
    const sample::attachment& attached = drive.info.attachment;
    base::append(out, "<tr><td>{}", escape_html(drive.drive));
    if (!attached.device.empty()) {
        base::append(out, "<small>{}{}{}</small>", escape_html(attached.device), attached.bus.empty() ? "" : " on ",
                     escape_html(attached.bus));
    }
    add_stalls(out, drive.stall, gap_age);
    out += "</td>";
    for (const auto way : {&sample::drive_rate::read, &sample::drive_rate::write}) {
        std::optional<double> bytes, operations, latency;
        if (drive.rate) {
            const sample::operation_rate& rate = (*drive.rate).*way;
            bytes = rate.bytes_per_second;
            operations = rate.operations_per_second;
            latency = rate.mean_latency_seconds;
        }
        add_cell(out, base::format_megabytes(bytes), "rate");
        add_cell(out, base::format_count(operations), "iops");
        add_cell(out, base::format_latency(latency), "latency");
    }
    out += "</tr>\n";
}

/// The time that the charts reach back: as long as there is something to show, in steps that do not wobble.
base::nanoseconds reach_of(const drive_history& past, base::nanoseconds now) {
    for (const base::nanoseconds each : {base::seconds(60), base::seconds(120), base::seconds(300)}) {
        if (now - past.points.front().at <= each) return each;
    }
    return history::kept;
}

/// MB/s and IOPS of the last minutes; nothing while the drive has been doing nothing.
std::string charts_of(const drive_history& past, const std::string& drive, std::string_view id, base::nanoseconds now) {
    const std::vector<report::activity_bin> bins =
        report::binned(std::vector(past.points.begin(), past.points.end()), {}, most_bins);
    if (std::none_of(bins.begin(), bins.end(), [](const auto& each) { return each.is_busy; })) return {};

    const auto from_now = [now](base::nanoseconds at) { return base::in_seconds(at - now); };
    report::mirrored_chart chart;
    chart.begin = -base::in_seconds(reach_of(past, now));
    chart.labels = report::time_labels::before_now;
    for (const drive_history::stall& each : past.stalls) {
        std::string words(name(each.cause));
        std::replace(words.begin(), words.end(), '_', ' ');
        chart.bands.push_back(
            {from_now(each.start), from_now(each.start + each.length), name(each.cause),
             fmt::format("{}{}: {}", words, each.is_open ? " suspected" : "", base::format_length(each.length)), 1,
             base::in_seconds(each.length)});
    }
    report::mirrored_chart operations = chart;
    for (const report::activity_bin& each : bins) {
        const double begin = from_now(each.begin), end = from_now(each.end);
        chart.steps.push_back({begin, end, each.read_bytes_per_second / 1e6, each.written_bytes_per_second / 1e6});
        operations.steps.push_back({begin, end, each.reads_per_second, each.writes_per_second});
    }
    const auto finish = [&](report::mirrored_chart& one, std::string_view unit) {
        one.unit = unit;
        one.id = fmt::format("{}-{}", id, unit == "IOPS" ? "operations" : "bytes");
        one.title = fmt::format("{} of {} in the last minutes", unit, drive);
        one.caption = fmt::format("{}: {}", drive, unit);
        return figure(one);
    };
    return "<div class=\"pair\">\n" + finish(chart, "MB/s") + finish(operations, "IOPS") + "</div>\n";
}

void add_vm(std::string& out, const pipeline::vm_snapshot& vm, const page_view& what, std::size_t& charts) {
    const base::instant now = what.now;
    base::append(out,
                 "<section class=\"card\">\n<div class=\"title\"><h2>{}</h2><span class=\"state {}\">{}</span></div>\n"
                 "<p class=\"quiet\">{}</p>\n",
                 escape_html(vm.identity.vm), color(vm), state_text(vm), about(vm));
    if (!vm.monitor_detail.empty()) {
        base::append(out, "<p class=\"detail\">{}</p>\n", escape_html(vm.monitor_detail));
    }
    if (vm.monitor != sample::monitor_state::ready && vm.last_sample) {
        base::append(out, "<p class=\"quiet\">last answer {} ago</p>\n",
                     base::format_age(std::max(base::nanoseconds(0), now.steady - vm.last_sample->steady)));
    }
    if (!vm.drives.empty()) {
        out += "<table class=\"live\">\n<tr><th>drive</th>"
               "<th>read MB/s</th><th>IOPS</th><th class=\"latency\">latency</th>"
               "<th>write MB/s</th><th>IOPS</th><th class=\"latency\">latency</th></tr>\n";
        for (const pipeline::drive_snapshot& drive : vm.drives) {
            add_drive(out, drive, pipeline::gap_age_at(now.steady, vm, drive));
        }
        out += "</table>\n";
    }
    for (const pipeline::drive_snapshot& drive : vm.drives) {
        const drive_history* const past = what.past == nullptr ? nullptr : what.past->find(vm.identity.vm, drive.drive);
        if (past == nullptr || charts >= most_drives_with_charts) continue;
        const std::string figures =
            charts_of(*past, drive.drive, fmt::format("drive{}", charts), now.steady.time_since_epoch());
        if (!figures.empty()) ++charts;
        out += figures;
    }
    if (vm.first_rate_in) {
        base::append(out, "<p class=\"quiet\">first rates in {}</p>\n", base::format_age(*vm.first_rate_in));
    }
    out += "</section>\n";
}

}  // namespace

std::string page_content(const page_view& what) {
    const pipeline::snapshot* const state = what.state;
    std::string out = "<header><h1>qmpwatch</h1>";
    if (state != nullptr) {
        base::append(out, "<span class=\"quiet\">{} VM{}, rates over {}</span>", state->vms.size(),
                     state->vms.size() == 1 ? "" : "s", base::format_duration(state->interval));
    }
    base::append(out, "<span class=\"quiet\">{}</span></header>\n", base::rfc3339(what.now.wall));
    if (state == nullptr || state->vms.empty()) {
        return out + "<p class=\"quiet\">No VM is watched yet. Start qmpwatch with --socket and the path of a QEMU "
                     "monitor socket.</p>\n";
    }
    std::size_t charts = 0;
    for (const auto& vm : state->vms) add_vm(out, *vm, what, charts);
    return out;
}

std::string page(const page_view& what) {
    std::string out = report::page_head("qmpwatch", in_head);
    out += report::hatches();
    out += "<p id=\"lost\" class=\"bad\" hidden>qmpwatch does not answer: this is the last that it said.</p>\n<main>\n";
    out += page_content(what);
    base::append(out,
                 "</main>\n<footer class=\"quiet\"><a href=\"/metrics\">/metrics</a><a href=\"/healthz\">/healthz</a>"
                 "<a href=\"/api/v1/snapshot\">/api/v1/snapshot</a><span>qmpwatch {}</span></footer>\n"
                 "<script>{}</script>\n</body>\n</html>\n",
                 escape_html(what.version), script);
    return out;
}

std::string_view page_script_source() { return script_source; }

std::string_view page_script() { return script; }

}  // namespace qmpwatch::web
