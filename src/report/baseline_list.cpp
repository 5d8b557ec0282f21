#include "report/baseline_list.hpp"

#include "base/json.hpp"
#include "report/document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace qmpwatch::report {

namespace {

using json = nlohmann::ordered_json;

/// 2026-11-30 21:29 of a time as it stands in the index.
std::string minute_of(const std::string& rfc3339) {
    constexpr std::size_t length = 16, separator = 10;
    std::string text = rfc3339.substr(0, length);
    if (text.size() > separator) text[separator] = ' ';
    return text.empty() ? "-" : text;
}

std::vector<std::string> kinds_of(const std::vector<listed_baseline>& runs) {
    std::vector<std::string> kinds;
    for (const listed_baseline& each : runs) {
        const std::string& kind = each.accepted.fingerprint;
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    return kinds;
}

std::string head_of(const std::vector<listed_baseline>& runs) {
    const auto count = [&](baseline_state state) {
        return std::count_if(runs.begin(), runs.end(),
                             [&](const listed_baseline& each) { return each.state == state; });
    };
    std::string text = fmt::format("{} of {} runs count", count(baseline_state::counts), runs.size());
    for (const baseline_state state : {baseline_state::missing, baseline_state::changed}) {
        const auto some = count(state);
        if (some > 0) text += fmt::format(", {} {} {}", some, some == 1 ? "is" : "are", name(state));
    }
    return text;
}

section section_of(const std::string& kind, const std::vector<listed_baseline>& runs) {
    table made;
    made.columns = {{"file", true}, {"recorded", true, 3}, {"accepted", true, 2}, {"state", true}, {"note", true, 1}};
    std::string of;
    for (const listed_baseline& each : runs) {
        const gate::accepted_run& its = each.accepted;
        if (its.fingerprint != kind) continue;
        of = its.fingerprint_text;
        made.rows.push_back(
            {its.file, minute_of(its.recorded), minute_of(its.accepted), std::string(name(each.state)), its.note});
    }
    return {fmt::format("Kind {}", kind), {paragraph{of}, made}};
}

}  // namespace

std::string_view name(baseline_state state) {
    switch (state) {
        case baseline_state::counts: return "counts";
        case baseline_state::older: return "older";
        case baseline_state::retired: return "retired";
        case baseline_state::missing: return "missing";
        case baseline_state::changed: break;
    }
    return "changed";
}

std::string baseline_list_text(const std::vector<listed_baseline>& runs, const std::string& folder, std::size_t width) {
    document all{{fmt::format("Baselines in {}", folder), {paragraph{head_of(runs)}}}};
    for (const std::string& kind : kinds_of(runs)) all.push_back(section_of(kind, runs));
    return document_text(all, width);
}

std::string baseline_list_json(const std::vector<listed_baseline>& runs) {
    json list = json::array();
    for (const listed_baseline& each : runs) {
        const gate::accepted_run& its = each.accepted;
        json one;
        one["file"] = its.file;
        one["state"] = name(each.state);
        one["sha256"] = its.sha256;
        one["id"] = its.id;
        one["fingerprint"] = its.fingerprint;
        one["of"] = its.fingerprint_text;
        one["recorded"] = its.recorded;
        one["accepted"] = its.accepted;
        one["retired"] = its.retired;
        one["note"] = its.note;
        list.push_back(std::move(one));
    }
    json all;
    all["schema"]["name"] = "qmpwatch-baseline-list";
    all["schema"]["version"] = 1;
    all["runs"] = std::move(list);
    return base::json_text(all) + "\n";
}

}  // namespace qmpwatch::report
