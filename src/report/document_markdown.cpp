#include "base/text.hpp"
#include "report/document.hpp"
#include "report/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qmpwatch::report {

namespace {

bool is_word(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// The text so that Markdown shows it as it is: no HTML, no marks, no cell of a table that ends early.
std::string escape(std::string_view raw) {
    const std::string text = base::printable(raw);
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        switch (letter) {
            case '<': out += "&lt;"; continue;
            case '>': out += "&gt;"; continue;
            case '&': out += "&amp;"; continue;
            case '_':
                // Inside a word it is no mark, and names are easier to read without the backslash.
                if (i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1])) break;
                out += '\\';
                break;
            case '\\':
            case '`':
            case '*':
            case '[':
            case ']':
            case '|':
            case '~':
            case '$':
            case '#': out += '\\'; break;
            default: break;
        }
        out += letter;
    }
    return out;
}

/// The text to be copied, as code; not for tables.
std::string code(std::string_view raw) {
    const std::string text = base::printable(raw);
    std::size_t longest = 0, run = 0;
    for (const char letter : text) {
        run = letter == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return longest == 0 ? fence + text + fence : fence + ' ' + text + ' ' + fence;
}

std::string row(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& each : cells) out += each.empty() ? " |" : fmt::format(" {} |", escape(each));
    return out + '\n';
}

struct as_markdown {
    std::string operator()(const paragraph& one) const { return escape(one.text) + '\n'; }

    std::string operator()(const facts& list) const {
        std::string out = "| | |\n|---|---|\n";
        for (const fact& each : list) out += row({each.label, each.value});
        return out;
    }

    std::string operator()(const table& one) const {
        std::vector<std::string> titles;
        std::string marks = "|";
        for (const column& each : one.columns) {
            titles.push_back(each.title);
            marks += each.is_text ? "---|" : "---:|";
        }
        std::string out = row(titles) + marks + '\n';
        for (const auto& cells : one.rows) out += row(cells);
        return out;
    }

    std::string operator()(const bullets& list) const {
        std::string out;
        for (const std::string& each : list) out += "- " + escape(each) + '\n';
        return out;
    }

    std::string operator()(const findings_list& list) const {
        std::string out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const stall::finding& one = list[i];
            const std::string drive = one.drive.empty() ? "" : escape(one.drive) + ": ";
            out += fmt::format("{}. **{}** {}{} ({})\n", i + 1, heading(one.severity), drive, escape(one.title),
                               name(one.certainty));
            for (const std::string& each : one.known) out += fmt::format("   - known: {}\n", escape(each));
            for (const stall::remedy& each : one.remedies) {
                out += fmt::format("   - do: {}{}\n", escape(each.what),
                                   each.option.empty() ? "" : ' ' + code(each.option));
            }
            if (!one.proof.empty()) out += fmt::format("   - prove: {}\n", escape(one.proof));
        }
        return out;
    }
};

}  // namespace

std::string document_markdown(const document& all) {
    std::string out;
    for (const section& each : all) {
        out += out.empty() ? "## " : "\n### ";
        out += escape(each.title) + '\n';
        for (const block& one : each.blocks) out += '\n' + std::visit(as_markdown{}, one);
    }
    return out;
}

}  // namespace qmpwatch::report
