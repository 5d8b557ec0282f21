// One look at all VMs, for scripts: what `--once` prints as JSON and as CSV, and what the web server answers.
#pragma once

#include "pipeline/snapshot.hpp"

#include <string>

namespace qmpwatch::report {

/// One JSON object for each VM, each on a line of its own that ends with a line feed; docs/json.md is the contract.
/// Nothing at all without a VM.
std::string once_json(const pipeline::snapshot& state);

/// All of that as one JSON object, for /api/v1/snapshot: schema, time, interval_seconds, and the objects in `vms`. Ends
/// with a line feed.
std::string snapshot_json(const pipeline::snapshot& state);

/// A line of column names, then one for each drive. Values are quoted as in RFC 4180, lines end with a line feed, and
/// what is not known is empty. The columns are the keys of the JSON; those of `failed` and `invalid` are failed_read
/// and so on.
std::string once_csv(const pipeline::snapshot& state);

}  // namespace qmpwatch::report
