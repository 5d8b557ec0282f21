// The reply to query-block, QMP's JSON and HMP's text: what is in each drive.
#pragma once

#include "base/error.hpp"
#include "sample/drive.hpp"

#include <string_view>

namespace qmpwatch::sample {

/// Reads the JSON text of the value that query-block returns (an array). Every field is optional. `data` when it is
/// not JSON or not an array.
base::result<inventory> decode_query_block(std::string_view json);

/// Reads what `info block` prints. An entry without a device name is headed by its node name; `Attached to:` gives the
/// qdev. Never fails: what cannot be read is left out.
inventory decode_hmp_info_block(std::string_view text);

}  // namespace qmpwatch::sample
