#include "web/page.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace qmpwatch::web {

namespace {

constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="5">
<title>qmpwatch</title>
<style>
:root { --ground: #f6f7f9; --card: #ffffff; --line: #e3e6ea; --text: #1c2128; --quiet: #626b76; --link: #0a5cc2;
  --good: #1a7f37; --wait: #9a6700; --bad: #c62828; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1116; --card: #171b22; --line: #2a303a; --text: #e4e8ee; --quiet: #929ca9; --link: #6cb0ff;
    --good: #4ac26b; --wait: #d9a72c; --bad: #ff7b72; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.25rem 1rem 2rem; background: var(--ground); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, footer { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; }
header { margin-bottom: 1rem; }
h1 { margin: 0; font-size: 1.35rem; letter-spacing: -.01em; }
h2 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
p { margin: 0; }
.detail { font-size: .93rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .87rem; overflow-wrap: anywhere; }
.vm { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: .9rem;
  padding: .85rem 1rem; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .6rem; }
.state { border: 1px solid; border-radius: 99px; padding: .05rem .6rem; font-size: .8rem; white-space: nowrap; }
.good { color: var(--good); } .wait { color: var(--wait); } .bad { color: var(--bad); }
table { margin-top: .6rem; border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { color: var(--quiet); font-size: .8rem; font-weight: 500; }
th, td { padding: .3rem 0 .3rem 1rem; text-align: right; white-space: nowrap; }
td { border-top: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
td small { display: block; color: var(--quiet); }
.zero { color: var(--quiet); }
@media (min-width: 40rem) { table { table-layout: fixed; } th:not(:first-child) { width: 12%; } }
@media (max-width: 40rem) {
  .latency, th:first-child { display: none; }
  tr { display: grid; grid-template-columns: repeat(4, 1fr); }
  th, td { padding: .1rem 0; border: 0; }
  td:first-child { grid-column: 1 / -1; border-top: 1px solid var(--line); padding-top: .3rem; }
}
</style>
</head>
<body>
)";

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
    fmt::format_to(std::back_inserter(out), "<td class=\"{}{}\">{}</td>", css, nothing ? " zero" : "", text);
}

/// A badge while the drive is or may be stalled, and what stalls have cost so far.
void add_stalls(std::string& out, const pipeline::stall_snapshot& stall, base::nanoseconds gap_age) {
    if (stall.level != stall::level::none) {
        const std::string since =
            stall.gap_start && stall.is_suspected ? "stalled for " + base::format_age(gap_age) + ", " : "";
        fmt::format_to(std::back_inserter(out), "<div><span class=\"state {}\">{}{} {}</span></div>",
                       stall.level == stall::level::suspected ? "wait" : "bad", since, name(stall.level),
                       name(stall.cause));
        if (!stall.pattern.empty()) {
            fmt::format_to(std::back_inserter(out), "<small>{}{}</small>", escape_html(stall.pattern),
                           stall.would_faster_polling_tell ? "; poll faster to be sure: --poll 1s" : "");
        }
    }
    if (const std::uint64_t count = stall.count(); count > 0) {
        fmt::format_to(std::back_inserter(out), "<small>{} stall{}, {} lost</small>", count, count == 1 ? "" : "s",
                       base::format_length(stall.lost()));
    }
}

void add_drive(std::string& out, const pipeline::drive_snapshot& drive, base::nanoseconds gap_age) {
    const sample::attachment& attached = drive.info.attachment;
    fmt::format_to(std::back_inserter(out), "<tr><td>{}", escape_html(drive.drive));
    if (!attached.device.empty()) {
        fmt::format_to(std::back_inserter(out), "<small>{}{}{}</small>", escape_html(attached.device),
                       attached.bus.empty() ? "" : " on ", escape_html(attached.bus));
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

void add_vm(std::string& out, const pipeline::vm_snapshot& vm, base::instant now) {
    fmt::format_to(std::back_inserter(out),
                   "<section class=\"vm\">\n<div class=\"title\"><h2>{}</h2><span class=\"state {}\">{}</span></div>\n"
                   "<p class=\"quiet\">{}</p>\n",
                   escape_html(vm.identity.vm), color(vm), state_text(vm), about(vm));
    if (!vm.monitor_detail.empty()) {
        fmt::format_to(std::back_inserter(out), "<p class=\"detail\">{}</p>\n", escape_html(vm.monitor_detail));
    }
    if (vm.monitor != sample::monitor_state::ready && vm.last_sample) {
        fmt::format_to(std::back_inserter(out), "<p class=\"quiet\">last answer {} ago</p>\n",
                       base::format_age(std::max(base::nanoseconds(0), now.steady - vm.last_sample->steady)));
    }
    if (!vm.drives.empty()) {
        out += "<table>\n<tr><th>drive</th>"
               "<th>read MB/s</th><th>IOPS</th><th class=\"latency\">latency</th>"
               "<th>write MB/s</th><th>IOPS</th><th class=\"latency\">latency</th></tr>\n";
        for (const pipeline::drive_snapshot& drive : vm.drives) {
            add_drive(out, drive, pipeline::gap_age_at(now.steady, vm, drive));
        }
        out += "</table>\n";
    }
    if (vm.first_rate_in) {
        fmt::format_to(std::back_inserter(out), "<p class=\"quiet\">first rates in {}</p>\n",
                       base::format_age(*vm.first_rate_in));
    }
    out += "</section>\n";
}

}  // namespace

std::string escape_html(std::string_view text) {
    std::string out;
    for (const char c : base::printable(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string page(const pipeline::snapshot* state, std::string_view version, base::instant now) {
    std::string out(head);
    out += "<header><h1>qmpwatch</h1>";
    if (state != nullptr) {
        fmt::format_to(std::back_inserter(out), "<span class=\"quiet\">{} VM{}, rates over {}</span>",
                       state->vms.size(), state->vms.size() == 1 ? "" : "s", base::format_duration(state->interval));
    }
    out += "</header>\n<main>\n";
    if (state == nullptr || state->vms.empty()) {
        out += "<p class=\"quiet\">No VM is watched yet. Start qmpwatch with --socket and the path of a QEMU monitor "
               "socket.</p>\n";
    } else {
        for (const auto& vm : state->vms) add_vm(out, *vm, now);
    }
    fmt::format_to(std::back_inserter(out),
                   "</main>\n<footer class=\"quiet\"><a href=\"/metrics\">/metrics</a><a href=\"/healthz\">/healthz</a>"
                   "<span>qmpwatch {}</span><span>{}</span></footer>\n</body>\n</html>\n",
                   escape_html(version), base::rfc3339(now.wall));
    return out;
}

}  // namespace qmpwatch::web
