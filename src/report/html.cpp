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

std::string file_page_head(std::string_view title) {
    return page_head(title, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                            "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n");
}

std::string file_page_end(std::string_view command) {
    return fmt::format("</main>\n<footer class=\"quiet\"><span>made by qmpwatch {}</span></footer>\n</body>\n</html>\n",
                       command);
}

}  // namespace qmpwatch::report
