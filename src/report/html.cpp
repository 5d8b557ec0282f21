#include "report/html.hpp"

#include "base/text.hpp"
#include "report/page_style.hpp"

#include <fmt/format.h>

namespace qmpwatch::report {

std::string escape_html(std::string_view text) {
    std::string out;
    for (const char c : base::printable(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string page_head(std::string_view title, std::string_view more) {
    return fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n{}"
                       "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
                       more, page_icon, escape_html(title), page_style);
}

}  // namespace qmpwatch::report
