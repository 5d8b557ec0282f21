// The live page: a snapshot as one small HTML page without scripts, for a browser or a phone.
#pragma once

#include "base/clock.hpp"
#include "pipeline/snapshot.hpp"

#include <string>
#include <string_view>

namespace qmpwatch::web {

/// The text made printable and harmless inside HTML, in elements and in quoted attributes.
std::string escape_html(std::string_view text);

/// The whole page; `state` is null before the first snapshot. It asks the browser to load it again every 5 s.
std::string page(const pipeline::snapshot* state, std::string_view version, base::instant now);

}  // namespace qmpwatch::web
