// Reads CSV back, as RFC 4180 has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report_test {

inline std::vector<std::vector<std::string>> read_csv(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row{""};
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (is_quoted) {
            if (letter != '"') {
                row.back() += letter;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                row.back() += '"';
                ++i;
            } else {
                is_quoted = false;
            }
        } else if (letter == '"') {
            is_quoted = true;
        } else if (letter == ',') {
            row.emplace_back();
        } else if (letter == '\n') {
            rows.push_back(std::move(row));
            row = {""};
        } else {
            row.back() += letter;
        }
    }
    return rows;
}

}  // namespace qmpwatch::report_test
