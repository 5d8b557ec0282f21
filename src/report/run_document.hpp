// What a report of runs says to people, before it is text or Markdown: sections of paragraphs, facts and tables. The
// texts in it are as the run has them: whoever renders them makes them harmless.
#pragma once

#include "run/digest.hpp"
#include "run/summary.hpp"
#include "stall/advice.hpp"

#include <string>
#include <variant>
#include <vector>

namespace qmpwatch::report {

struct paragraph {
    std::string text;
};

struct fact {
    std::string label, value;
};
using facts = std::vector<fact>;

struct column {
    std::string title;
    bool is_text = false;  ///< else a number
    int importance = 9;    ///< where there is no room the columns with the lowest go first; 9 never goes
};

struct table {
    std::vector<column> columns;
    std::vector<std::vector<std::string>> rows;
};

using bullets = std::vector<std::string>;
using findings_list = std::vector<stall::finding>;
using block = std::variant<paragraph, facts, table, bullets, findings_list>;

struct section {
    std::string title;
    std::vector<block> blocks;
};

/// The first section's title is that of the whole.
using document = std::vector<section>;

document document_of(const run::digest& of, const run::summary& sum);
document document_of(const run::digest& first, const run::summary& first_sum, const run::digest& second,
                     const run::summary& second_sum);

/// 1:44.0 or 1:02:03.4: a time of the run; with a minus before the first sample.
std::string format_elapsed(base::nanoseconds elapsed);

}  // namespace qmpwatch::report
