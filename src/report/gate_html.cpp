// The verdict comes first, then all that led to it, then the two runs.
#include "base/text.hpp"
#include "report/gate_document.hpp"
#include "report/html.hpp"
#include "report/run_html.hpp"
#include "report/svg_chart.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <variant>

namespace qmpwatch::report {

namespace {

std::string_view css_of(gate::verdict which) {
    switch (which) {
        case gate::verdict::pass: return "good";
        case gate::verdict::fail: return "bad";
        case gate::verdict::inconclusive: break;
    }
    return "wait";
}

/// A block of the document as HTML.
struct as_html {
    std::string operator()(const paragraph& one) const {
        return "<p class=\"detail\">" + escape_html(one.text) + "</p>\n";
    }

    std::string operator()(const facts& list) const {
        std::string out = "<dl class=\"facts\">\n";
        for (const fact& each : list) {
            fmt::format_to(std::back_inserter(out), "<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(each.label),
                           escape_html(each.value));
        }
        return out + "</dl>\n";
    }

    std::string operator()(const table& one) const {
        std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
        const auto add = [&](std::string_view element, std::size_t column, std::string_view text) {
            fmt::format_to(std::back_inserter(out), "<{0}{1}>{2}</{0}>", element,
                           one.columns[column].is_text ? " class=\"kind\"" : "", escape_html(text));
        };
        for (std::size_t i = 0; i < one.columns.size(); ++i) add("th", i, one.columns[i].title);
        out += "</tr></thead>\n<tbody>\n";
        for (const auto& row : one.rows) {
            out += "<tr>";
            for (std::size_t i = 0; i < row.size(); ++i) add("td", i, row[i]);
            out += "</tr>\n";
        }
        return out + "</tbody>\n</table></div>\n";
    }

    std::string operator()(const bullets& list) const {
        std::string out = "<ul>\n";
        for (const std::string& each : list) out += "<li>" + escape_html(each) + "</li>\n";
        return out + "</ul>\n";
    }

    /// The gate has none.
    std::string operator()(const findings_list& /*list*/) const { return {}; }
};

/// What the page is called, and begins with.
std::string headline_of(const gate_report& of) {
    const std::optional<judged> why = decisive(of);
    return why ? fmt::format("{}: {} {}", loud_verdict(of), why->name, why->seen) : loud_verdict(of);
}

std::string lead_of(const gate_report& of) {
    if (!of.outcome) return of.problem;
    const std::optional<judged> why = decisive(of);
    return why ? why->why : std::string();
}

std::string chart_of(const gate_report& of) {
    interval_chart chart;
    chart.id = "gate";
    chart.title = "How many times as fast the candidates are";
    chart.tolerated = 1 - of.how.tolerance.margin;
    for (const gate::metric_outcome& each : of.outcome->metrics) {
        const std::string name = base::printable(gate::name(each.what));
        const auto add = [&](const std::optional<gate::estimate>& one, std::string_view reading) {
            if (!one) return;
            chart.rows.push_back({fmt::format("{}{}: {} ({} to {})", name, reading, ratio_text(one->shift),
                                              ratio_text(one->lower), ratio_text(one->upper)),
                                  each.decides ? css_of(each.its) : "quiet", std::exp(one->shift), std::exp(one->lower),
                                  std::exp(one->upper)});
        };
        add(each.change, each.harshest ? ", at best" : "");
        add(each.harshest, ", at worst");
    }
    return chart.rows.empty() ? std::string() : figure(chart);
}

void add_judged(std::string& out, const gate_report& of) {
    out += "<section class=\"card\">\n<h2>What was judged</h2>\n";
    for (const judged& each : all_judged(of)) {
        fmt::format_to(std::back_inserter(out),
                       "<div class=\"finding\"><div class=\"title\"><h3>{}</h3><span class=\"state {}\">{}</span></div>"
                       "<p class=\"detail\">{}</p></div>\n",
                       escape_html(each.name), each.decides ? css_of(each.its) : "quiet", escape_html(each.label),
                       escape_html(each.seen));
    }
    out += chart_of(of) + "</section>\n";
}

/// The page up to where the two runs would follow.
std::string beginning(const gate_report& of) {
    const std::string headline = headline_of(of);
    std::string out = file_page_head(headline) + hatches();
    fmt::format_to(std::back_inserter(out),
                   "<header class=\"headline\"><div><p class=\"quiet\">qmpwatch gate, exit code {}</p>\n<h1 "
                   "class=\"{}\">{}</h1>\n",
                   of.exit_code, of.outcome ? css_of(of.outcome->its) : "bad", escape_html(headline));
    if (const std::string lead = lead_of(of); !lead.empty()) out += "<p class=\"lead\">" + escape_html(lead) + "</p>\n";
    out += "</div></header>\n<main>\n";
    if (!of.outcome) return out;
    add_judged(out, of);
    // Its first section is what the page has said already.
    bool is_first = true;
    for (const section& each : document_of(of)) {
        if (!is_first) {
            out += "<section class=\"card long\">\n<h2>" + escape_html(each.title) + "</h2>\n";
            for (const block& one : each.blocks) out += std::visit(as_html{}, one);
            out += "</section>\n";
        }
        is_first = false;
    }
    return out;
}

}  // namespace

std::string gate_html(const gate_report& of, const run::digest& baseline, const run::summary& baseline_summary,
                      const run::digest& candidate, const run::summary& candidate_summary) {
    const pair_parts runs = run_html_parts(baseline, baseline_summary, candidate, candidate_summary, "h2");
    return beginning(of) +
           "<p class=\"quiet\">Two runs with the median times of their sides: the first is a baseline, the second a "
           "candidate.</p>\n" +
           runs.header + runs.body + file_page_end("gate");
}

std::string gate_html(const gate_report& of) { return beginning(of) + file_page_end("gate"); }

}  // namespace qmpwatch::report
