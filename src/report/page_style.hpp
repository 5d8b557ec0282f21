// The look of the pages, as CSS: light and dark, for a wide screen, a phone and paper. The report and the live page
// have it in common.
#pragma once

#include <string_view>

namespace qmpwatch::report {

/// A curve with a gap. In the page, so that no browser asks a server for one.
inline constexpr std::string_view page_icon =
    "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Crect width='16' height='16' rx='3' fill='%231f6feb'/%3E"
    "%3Cpath d='M2 11h3V5h2v6h3m2 0V4h2v7' fill='none' stroke='white' stroke-width='1.5'/%3E%3C/svg%3E\">\n";

inline constexpr std::string_view page_style = R"(
:root { --ground: #f6f7f9; --card: #ffffff; --line: #e3e6ea; --text: #1c2128; --quiet: #626b76; --link: #0a5cc2;
  --good: #1a7f37; --wait: #9a6700; --bad: #c62828; --code: #eef1f4;
  --read: #1f6feb; --write: #0b7f77; --first: #b3541e; --second: #1f6feb;
  --lost_completion: #d1242f; --slow_backend: #c25e00; --vm_paused: #57606a; --monitor_blocked: #8250df;
  --io_error: #bf3989; --throttled: #7d6b00; --unknown: #6e7781; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ground: #0e1116; --card: #171b22; --line: #2a303a; --text: #e4e8ee; --quiet: #929ca9; --link: #6cb0ff;
    --good: #4ac26b; --wait: #d9a72c; --bad: #ff7b72; --code: #222831;
    --read: #58a6ff; --write: #3fc4b7; --first: #f0a26b; --second: #58a6ff;
    --lost_completion: #ff7b72; --slow_backend: #f0a04b; --vm_paused: #a5b0bd; --monitor_blocked: #bc8cff;
    --io_error: #ff80c8; --throttled: #d8c64a; --unknown: #9da7b3; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.25rem 1rem 2rem; background: var(--ground); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, footer { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; }
header { margin-bottom: 1rem; }
h1 { margin: 0; font-size: 1.35rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
h3 { margin: 0; font-size: .95rem; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
p { margin: 0; }
.detail { font-size: .93rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .87rem; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: .9rem;
  padding: .85rem 1rem; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .6rem; }
.state { border: 1px solid; border-radius: 99px; padding: .05rem .6rem; font-size: .8rem; white-space: nowrap; }
.good { color: var(--good); } .wait { color: var(--wait); } .bad { color: var(--bad); }
table { margin-top: .6rem; border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { color: var(--quiet); font-size: .8rem; font-weight: 500; }
th, td { padding: .3rem 0 .3rem 1rem; text-align: right; white-space: nowrap; }
td { border-top: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
td small, th small { display: block; color: var(--quiet); font-weight: 400; }
.zero { color: var(--quiet); }
@media (min-width: 40rem) { table.live { table-layout: fixed; } table.live th:not(:first-child) { width: 12%; } }
@media (max-width: 40rem) {
  .live .latency, .live th:first-child { display: none; }
  .live tr { display: grid; grid-template-columns: repeat(4, 1fr); }
  .live th, .live td { padding: .1rem 0; border: 0; }
  .live td:first-child { grid-column: 1 / -1; border-top: 1px solid var(--line); padding-top: .3rem; }
}

.headline h1 { font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
.headline h2 { font-size: 1.25rem; line-height: 1.25; text-wrap: balance; }
.headline p { margin-top: .35rem; }
main > .headline { margin: .6rem 0 .9rem; }
.lead { font-size: 1.05rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.2rem, 1fr)); gap: .6rem; margin: 0 0 .9rem; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .55rem .75rem .6rem; }
.tile b { display: block; font-size: 1.35rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.tile b small { font-size: .8rem; font-weight: 500; color: var(--quiet); }
.tile > span { color: var(--quiet); font-size: .8rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); gap: 0 .9rem;
  align-items: start; }
.pair > * { min-width: 0; }
.scroll { overflow-x: auto; }
th, td { padding-top: .22rem; padding-bottom: .22rem; }
thead td { border: 0; }
thead th[colspan="2"] { text-align: center; box-shadow: inset 1rem 0 var(--card), inset 0 -1px var(--line); }
th[scope="row"], th.group { min-width: 6.5rem; text-align: left; font-size: .87rem; font-weight: 400;
  border-top: 1px solid var(--line); }
th.group { padding-top: .8rem; border-top: 0; color: var(--text); font-weight: 600; }
thead th { color: var(--text); font-weight: 600; vertical-align: bottom; overflow-wrap: anywhere; }
td.kind, th.kind { text-align: left; white-space: nowrap; width: 1%; }
td.words, th.words { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .5rem 1.25rem;
  margin: .6rem 0 0; }
.facts div { min-width: 0; }
dt { color: var(--quiet); font-size: .8rem; }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: .4rem 0 0; padding-left: 1.2rem; }
li { margin-top: .15rem; overflow-wrap: anywhere; }
.finding { border-top: 1px solid var(--line); margin-top: .7rem; padding-top: .7rem; }
h2 + .finding { border-top: 0; margin-top: 0; }
code { background: var(--code); border-radius: 5px; padding: .1rem .35rem; font: .87em ui-monospace, Menlo, Consolas,
  monospace; overflow-wrap: anywhere; user-select: all; -webkit-user-select: all; }
details { margin-top: .6rem; }
summary { cursor: pointer; color: var(--link); font-size: .93rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin-top: .45rem; font-size: .84rem;
  color: var(--quiet); }
.legend span { white-space: nowrap; }
.swatch { display: inline-block; width: 1.6em; height: .85em; margin-right: .4em; vertical-align: -.05em; }

.chart { margin: .7rem 0 0; padding: 0 .4rem 0 2.9rem; }
.chart + .chart { margin-top: 1rem; }
.pair > .chart { margin-top: .7rem; }
.chart figcaption { margin-left: -2.9rem; font-size: .87rem; color: var(--quiet); }
.chart svg { display: block; width: 100%; overflow: visible; }
.chart.flush { padding-left: 0; }
.chart.flush figcaption { margin-left: 0; }
svg text { fill: var(--quiet); font-size: 11px; font-variant-numeric: tabular-nums; }
svg text.name { fill: var(--text); font-size: 12px; }
svg .grid { stroke: var(--line); }
svg .axis { stroke: var(--quiet); }
svg .read { fill: var(--read); stroke: var(--read); }
svg .write { fill: var(--write); stroke: var(--write); }
svg svg { pointer-events: none; }
svg .area { fill-opacity: .32; stroke-width: 1.2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
svg .curve { fill: none; stroke-width: 1.8; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
svg text.read, svg text.write { stroke: none; font-weight: 600; }
svg .first { stroke: var(--first); } svg .second { stroke: var(--second); }
svg .curve.second { stroke-dasharray: 6 3; }
svg .busy { fill: var(--quiet); fill-opacity: .3; }
svg .row { fill: var(--ground); }
svg .cell { fill: transparent; }
svg .cell:hover { fill: var(--quiet); fill-opacity: .16; }
svg .mark { stroke: var(--quiet); stroke-dasharray: 2 3; }
svg .mark.marker { stroke: var(--text); stroke-dasharray: none; }
svg .flag { fill: var(--text); }
svg .reach { stroke: transparent; stroke-width: 9; }
svg .band { stroke-width: 1; stroke-opacity: .55; }
svg .band:hover { stroke-width: 2; stroke-opacity: 1; }
svg .beyond { fill: var(--bad); fill-opacity: .1; }
svg .interval { stroke: currentColor; stroke-width: 3; stroke-linecap: round; }
svg .point { fill: currentColor; }
svg .minor { display: none; }
@media (min-width: 40rem) { svg .minor { display: inline; } }
.lost_completion { fill: url(#hatch-lost_completion); stroke: var(--lost_completion); }
.slow_backend { fill: url(#hatch-slow_backend); stroke: var(--slow_backend); }
.vm_paused { fill: url(#hatch-vm_paused); stroke: var(--vm_paused); }
.monitor_blocked { fill: url(#hatch-monitor_blocked); stroke: var(--monitor_blocked); }
.io_error { fill: url(#hatch-io_error); stroke: var(--io_error); }
.throttled { fill: url(#hatch-throttled); stroke: var(--throttled); }
.unknown { fill: url(#hatch-unknown); stroke: var(--unknown); }

@media (max-width: 40rem) {
  .headline h1 { font-size: 1.3rem; }
  th, td { padding-left: .65rem; }
}
@media print {
  body { max-width: none; padding: 0; background: none; font-size: 10pt; }
  .card, .tile, figure, .finding { break-inside: avoid; }
  .card.long { break-inside: auto; }
  .pair { display: block; }
  .scroll { overflow: visible; }
}
)";

}  // namespace qmpwatch::report
