// The reply to query-blockstats, QMP's JSON and HMP's text, as raw counters.
#pragma once

#include "base/error.hpp"
#include "sample/sample.hpp"

#include <string_view>
#include <vector>

namespace qmpwatch::sample {

/// Reads the JSON text of the value that query-blockstats returns (an array) into `drives`, in QEMU's order. Whatever
/// `drives` held is replaced; its memory is used again, so that polling does not allocate.
/// Every field is optional, unknown ones are skipped, nested `parent` and `backing` records are ignored (they never
/// count). A field of the wrong type or below zero counts as missing. Fails with `data` when the text is not JSON or
/// not an array; `drives` is empty then.
base::result<void> decode_blockstats(std::string_view json, std::vector<drive_sample>& drives);

/// Reads what `info blockstats` prints, the same way: one line a drive before QEMU 11, a small table a drive since.
/// HMP names a drive by its `device` alone: drives from -blockdev come out with an empty identity until
/// identify_by_inventory names them. Lines that are not statistics are skipped; fails with `data` when there is text
/// and not a single counter in it: a form that is not known must not come out as zeros.
/// An `idle_time_ns` of 0 means that the drive was never accessed.
base::result<void> decode_hmp_blockstats(std::string_view text, std::vector<drive_sample>& drives);

/// Gives the drives of an HMP sample the identities of `info block`, which lists the same drives in the same order.
/// False, and nothing changed, when the two lists do not name the same drives: then `info block` has to be asked again.
bool identify_by_inventory(std::vector<drive_sample>& drives, const inventory& known);

}  // namespace qmpwatch::sample
