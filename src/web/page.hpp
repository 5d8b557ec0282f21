// The live page: a snapshot as HTML, for a browser or a phone, in the look of the reports.
#pragma once

#include "base/clock.hpp"
#include "pipeline/snapshot.hpp"
#include "web/history.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::web {

/// What the page shows.
struct page_view {
    const pipeline::snapshot* state = nullptr;  ///< null before the first
    const history* past = nullptr;              ///< null: no charts
    std::string_view version;
    base::instant now;
};

/// The whole page. Its script fetches page_content() every 2 s; without scripts the browser loads the page again every
/// 5 s.
std::string page(const page_view& what);

/// What changes in it: an HTML fragment.
std::string page_content(const page_view& what);

/// The only script that the page may run, as a source of its Content-Security-Policy.
std::string_view page_script_source();

/// The script itself.
std::string_view page_script();

}  // namespace qmpwatch::web
