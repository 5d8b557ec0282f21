#include "report/html.hpp"

#include "support/markup.hpp"

#include <doctest/doctest.h>

namespace qmpwatch::report {

TEST_CASE("text is made harmless in HTML") {
    CHECK(escape_html("a<b>&\"'c") == "a&lt;b&gt;&amp;&quot;&#39;c");
    CHECK(escape_html("\x1b\n\xff") == "???");
    CHECK(escape_html("Größe") == "Größe");
    CHECK(escape_html("") == "");
}

TEST_CASE("a page has a head with a title and everything in it") {
    const std::string html = page_head("a <b>", "<meta name=\"x\" content=\"y\">\n") + "</body>\n</html>\n";
    CHECK(support::markup_error(html) == "");
    CHECK(html.starts_with("<!doctype html>\n<html lang=\"en\">"));
    CHECK(support::has(html, "<title>a &lt;b&gt;</title>"));
    CHECK(support::has(html, "<meta name=\"x\" content=\"y\">"));
    CHECK_FALSE(support::has(html, "http://127"));
    CHECK_FALSE(support::has(html, "@import"));
}

TEST_CASE("the reader of the tests is strict") {
    for (const char* bad : {"<p>", "<p></b>", "</p>", "<p><b></p></b>", "a & b", "a < b", "a > b", "<p class=x></p>",
                            "<p id=\"a\"></p><p id=\"a\"></p>", "<rect width=\"nan\"/>", "<rect x=\"-inf%\"/>", "<p",
                            "<p title=\"<\"></p>", "<style>"}) {
        CAPTURE(bad);
        CHECK(support::markup_error(bad) != "");
    }
    CHECK(support::markup_error("<p class=\"a b\" hidden>a &amp; b<br></p><style>a > b</style><rect/>") == "");
}

}  // namespace qmpwatch::report
