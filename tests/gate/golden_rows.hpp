// The worked examples whose values stand in fixtures/gate/golden.json: what went in.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace qmpwatch::gate {

struct golden_row {
    std::string key;  ///< in golden.json
    bool are_times = true;  ///< seconds for the same bytes, else MB/s
    std::vector<double> candidates, baselines;
    double margin = 0.20;
};

inline const std::vector<golden_row>& golden_rows() {
    static const std::vector<double> field_report{165, 160, 135}, slow{60.2, 58.9, 63.0, 55.7},
        usual{74.4, 70.1, 77.8, 72.3}, five{73.0, 71.2, 76.1, 69.9, 74.8}, five_usual{74.4, 70.1, 77.8, 72.3, 75.0};
    // What the file of golden values has in place of infinity.
    constexpr double never = 1e12;
    static const std::vector<golden_row> rows{
        {"W1 times cand {1230} base {165,160,135}", true, {1230}, field_report},
        {"W2 times cand {165,160,135} base {1230}", true, field_report, {1230}},
        {"W3 times cand {180} base {165,160,135}", true, {180}, field_report},
        {"W3b times cand {240}", true, {240}, field_report},
        {"W4 times cand {150,158,140} base {165,160,135}", true, {150, 158, 140}, field_report},
        {"W5 times cand {210,225,198} base {165,160,135}", true, {210, 225, 198}, field_report},
        {"W6 times cand {172,181,169} base {165,160,135}", true, {172, 181, 169}, field_report},
        {"W7 MB/s 4v4 m=.20", false, slow, usual},
        {"W7b m=.10", false, slow, usual, 0.10},
        {"W8 MB/s 5v5 m=.20", false, five, five_usual},
        {"W8b m=.05", false, five, five_usual, 0.05},
        {"W9 1v1 4.1 vs 74.4", false, {4.1}, {74.4}},
        {"W9b 74.4 vs 4.1", false, {74.4}, {4.1}},
        {"W9c times 165 vs 135", true, {165}, {135}},
        {"W9d times 1230 vs 160", true, {1230}, {160}},
        {"W10 2v2 times {300,330} base {160,135}", true, {300, 330}, {160, 135}},
        {"W10b {150,170} base {160,135}", true, {150, 170}, {160, 135}},
        {"W11 4v4 censored lower {210,400,400,225} base {165,160,135,150}",
         true,
         {210, 400, 400, 225},
         {165, 160, 135, 150}},
        {"W11b censored +inf", true, {210, never, never, 225}, {165, 160, 135, 150}},
        {"W12 3v3 censored lower {158,166,200} base", true, {158, 166, 200}, field_report},
        {"W12b +inf", true, {158, 166, never}, field_report},
    };
    return rows;
}

/// Logarithms of speeds.
inline std::vector<double> logarithms(const std::vector<double>& values, bool are_times) {
    std::vector<double> made;
    for (const double value : values) made.push_back(are_times ? -std::log(value) : std::log(value));
    return made;
}

}  // namespace qmpwatch::gate
