// Two runs that never happened, as digests: what reports are tested with.
#pragma once

#include "run/digest.hpp"
#include "run/summary.hpp"

namespace qmpwatch::report_test {

/// An install from an image on NVMe: a copy of seven windows of 15 s with 74.4 MB/s on average, 79.8 in the middle; one
/// stall of the host's storage. The guest shut down.
run::digest some_run();

/// The same install from USB storage with 4 MB/s: twenty lost completions of 10 s, a pause of 30 s, a marker, events, a
/// line of the file that made no sense. Cut off by a time limit.
run::digest some_slow_run();

/// A log of something else, of which next to nothing is known: no host, no versions, no wall clock, one drive without
/// attachment that did next to nothing, samples without idle times.
run::digest some_imported_run();

/// With the medium chosen by itself and windows of 15 s.
run::summary summary_of(const run::digest& of);

}  // namespace qmpwatch::report_test
