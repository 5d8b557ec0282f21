#include "report/finding.hpp"

#include <fmt/format.h>

namespace qmpwatch::report {

std::string_view heading(stall::severity how_bad) {
    switch (how_bad) {
        case stall::severity::problem: return "PROBLEM";
        case stall::severity::warning: return "WARNING";
        case stall::severity::info: break;
    }
    return "NOTE";
}

std::string finding_text(std::size_t number, const stall::finding& one, std::size_t width) {
    const std::string first = fmt::format("{}. {}  ", number, heading(one.severity));
    const std::string drive = one.drive.empty() ? "" : base::printable(one.drive) + ": ";
    std::string out =
        base::hanging(first, fmt::format("{}{} ({})", drive, base::printable(one.title), name(one.certainty)), width);
    const auto list = [&](std::string_view title, std::string_view text) {
        out += base::hanging(fmt::format("   {:<7}- ", title), base::printable(text), width);
    };
    std::string_view title = "known";
    for (const std::string& each : one.known) {
        list(title, each);
        title = "";
    }
    title = "do";
    for (const stall::remedy& each : one.remedies) {
        list(title, each.what);
        title = "";
        // Not wrapped: it is there to be copied.
        if (!each.option.empty()) out += fmt::format("              {}\n", base::printable(each.option));
    }
    if (!one.proof.empty()) list("prove", one.proof);
    return out;
}

}  // namespace qmpwatch::report
