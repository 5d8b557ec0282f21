// What every page is made of: text made harmless, and the head with the style that they share.
#pragma once

#include <string>
#include <string_view>

namespace qmpwatch::report {

/// The text made printable and harmless inside HTML and SVG, in elements and in quoted attributes.
std::string escape_html(std::string_view text);

/// From the doctype to <body>, with the style and an icon. `title` is plain text; `more` is HTML for the head and
/// stands before the style: a policy, a refresh.
std::string page_head(std::string_view title, std::string_view more);

/// The head of a page that is a file: nothing in it is fetched, run or sent.
std::string file_page_head(std::string_view title);

/// From </main> to the end of such a page. `command` made it: report, gate.
std::string file_page_end(std::string_view command);

}  // namespace qmpwatch::report
