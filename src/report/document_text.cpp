#include "base/text.hpp"
#include "report/document.hpp"
#include "report/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qmpwatch::report {

namespace {

constexpr std::size_t least_width = 40;
constexpr std::string_view indent = "  ";
constexpr std::string_view gap = "  ";
constexpr std::size_t most_of_a_column = 32;

/// A table laid out: which columns are shown, and how wide.
class layout {
public:
    layout(const table& of, std::size_t width)
        : of_(of), widths_(of.columns.size()), is_shown_(of.columns.size(), true) {
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            widths_[i] = base::columns(of.columns[i].title);
            for (const auto& row : of.rows) {
                widths_[i] = std::max(widths_[i], base::columns(base::printable(row[i])));
            }
        }
        if (taken() <= width) return;
        const std::size_t last = widths_.back();
        for (std::size_t& each : widths_) each = std::min(each, most_of_a_column);
        while (taken() > width && drop_least()) {
        }
        if (is_shown_.back() && taken() < width) widths_.back() = std::min(last, widths_.back() + width - taken());
    }

    std::string line(const std::vector<std::string>& cells) const {
        std::string text(indent);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!is_shown_[i]) continue;
            if (text.size() > indent.size()) text += gap;
            const std::string cell = base::shorten(base::printable(cells[i]), widths_[i]);
            const std::size_t missing = widths_[i] - base::columns(cell);
            if (!of_.columns[i].is_text) text.append(missing, ' ');
            text += cell;
            if (of_.columns[i].is_text) text.append(missing, ' ');
        }
        text.resize(text.find_last_not_of(' ') + 1);
        return text;
    }

private:
    std::size_t taken() const {
        std::size_t sum = indent.size();
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            if (is_shown_[i]) sum += widths_[i] + gap.size();
        }
        return sum - gap.size();
    }

    /// All columns of the lowest importance go together. False when all that are left have to stay.
    bool drop_least() {
        int least = column{}.importance;
        for (std::size_t i = 0; i < is_shown_.size(); ++i) {
            if (is_shown_[i]) least = std::min(least, of_.columns[i].importance);
        }
        if (least == column{}.importance) return false;
        for (std::size_t i = 0; i < is_shown_.size(); ++i) {
            if (of_.columns[i].importance == least) is_shown_[i] = false;
        }
        return true;
    }

    const table& of_;
    std::vector<std::size_t> widths_;
    std::vector<bool> is_shown_;
};

struct as_text {
    std::size_t width;

    std::string operator()(const paragraph& one) const {
        return base::hanging(indent, base::printable(one.text), width);
    }

    std::string operator()(const facts& list) const {
        std::size_t widest = 0;
        for (const fact& each : list) widest = std::max(widest, base::columns(base::printable(each.label)));
        widest = std::min(widest, width / 3);
        std::string out;
        for (const fact& each : list) {
            std::string label = base::shorten(base::printable(each.label), widest);
            label.append(widest - base::columns(label), ' ');
            out += base::hanging(fmt::format("{}{}{}", indent, label, gap), base::printable(each.value), width);
        }
        return out;
    }

    std::string operator()(const table& one) const {
        const layout columns(one, width);
        std::vector<std::string> titles;
        for (const column& each : one.columns) titles.push_back(each.title);
        std::string out = base::shorten(columns.line(titles), width) + '\n';
        for (const auto& row : one.rows) out += base::shorten(columns.line(row), width) + '\n';
        return out;
    }

    std::string operator()(const bullets& list) const {
        std::string out;
        for (const std::string& each : list) out += base::hanging("  - ", base::printable(each), width);
        return out;
    }

    std::string operator()(const findings_list& list) const {
        std::string out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (i > 0) out += '\n';
            out += finding_text(i + 1, list[i], width);
        }
        return out;
    }
};

}  // namespace

std::string document_text(const document& all, std::size_t width) {
    const as_text how{std::max(width, least_width)};
    std::string out;
    for (const section& each : all) {
        if (!out.empty()) out += '\n';
        out += base::hanging("", base::printable(each.title), how.width);
        bool is_first = true;
        for (const block& one : each.blocks) {
            if (!is_first) out += '\n';
            is_first = false;
            out += std::visit(how, one);
        }
    }
    return out;
}

}  // namespace qmpwatch::report
