// CSV: quoted as in RFC 4180, with line feeds at the ends of lines.
#pragma once

#include "report/drive_fields.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::report {

/// The text as one cell.
std::string csv_cell(std::string_view text);

/// The names of the columns of these fields, each with a comma before it: `failed` and `read` become failed_read.
std::string csv_names(const std::vector<field>& fields);

/// Their cells, each with a comma before it; empty for nothing, and for what is no finite number.
std::string csv_cells(const std::vector<field>& fields);

}  // namespace qmpwatch::report
