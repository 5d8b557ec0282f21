#include "report/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <variant>

namespace qmpwatch::report {

namespace {

struct as_cell {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::uint64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
    std::string operator()(const std::string& value) const { return csv_cell(value); }
};

}  // namespace

std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char each : text) {
        if (each == '"') out += '"';
        out += each;
    }
    return out + '"';
}

std::string csv_names(const std::vector<field>& fields) {
    std::string out;
    for (const field& each : fields) {
        out += ',';
        if (!each.group.empty()) out.append(each.group) += '_';
        out += each.key;
    }
    return out;
}

std::string csv_cells(const std::vector<field>& fields) {
    std::string out;
    for (const field& each : fields) out += ',' + std::visit(as_cell{}, each.value);
    return out;
}

}  // namespace qmpwatch::report
