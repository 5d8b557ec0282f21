// A run in which everything happens that can, for the tests of this room.
#pragma once

#include "run/run.hpp"
#include "run/run_file.hpp"

#include <string>
#include <vector>

namespace qmpwatch::run_test {

/// A moment so long after the start of the run.
base::instant moment(const run::header& about, base::nanoseconds since, base::nanoseconds skew = {});

/// A header with all its fields.
run::header some_header();

/// One of each kind, with the corners: no idle time, a drive that comes, a counter that falls, data that is not JSON.
std::vector<run::happening> some_story(const run::header& about);

/// A VM that reads at 10 MB/s from usb-storage in bursts of a second, and loses the completion of the last operation of
/// each for 10 s: `losses` times, polled every second.
std::vector<run::happening> losing_story(const run::header& about, int losses);

/// All of it as the text of a run file.
std::string file_of(const run::header& about, const std::vector<run::happening>& story,
                    const std::optional<run::end>& how);

}  // namespace qmpwatch::run_test
