// One finding, for people and for scripts: the same in `doctor` and in reports.
#pragma once

#include "base/text.hpp"
#include "stall/advice.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace qmpwatch::report {

/// PROBLEM, WARNING, NOTE
std::string_view heading(stall::severity how_bad);

/// For a terminal of that width: what it is, what is known, what to do. Options and commands to be copied are not
/// wrapped.
std::string finding_text(std::size_t number, const stall::finding& one, std::size_t width);

/// As a JSON object; docs/doctor.md is the contract. A template so that no JSON library is needed here.
template <class Json>
Json finding_object(const stall::finding& one) {
    const auto text_or_null = [](const std::string& text) {
        return text.empty() ? Json() : Json(base::printable(text));
    };
    Json object;
    object["id"] = one.id;
    object["severity"] = name(one.severity);
    object["certainty"] = name(one.certainty);
    object["drive"] = text_or_null(one.drive);
    object["title"] = base::printable(one.title);
    object["known"] = Json::array();
    for (const std::string& each : one.known) object["known"].push_back(base::printable(each));
    object["remedies"] = Json::array();
    for (const stall::remedy& each : one.remedies) {
        Json remedy;
        remedy["what"] = base::printable(each.what);
        remedy["option"] = text_or_null(each.option);
        object["remedies"].push_back(std::move(remedy));
    }
    object["proof"] = text_or_null(one.proof);
    return object;
}

}  // namespace qmpwatch::report
