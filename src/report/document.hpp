// What a report says to people, before it is text or Markdown: sections of paragraphs, facts and tables. The texts in
// it are as runs have them: whoever renders them makes them harmless.
#pragma once

#include "stall/advice.hpp"

#include <cstddef>
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

/// For a terminal of that width, which counts as 40 below that. What is to be copied is not wrapped.
std::string document_text(const document& all, std::size_t width);

/// Markdown with GitHub's tables: for an issue, or $GITHUB_STEP_SUMMARY.
std::string document_markdown(const document& all);

}  // namespace qmpwatch::report
