// Prints docs/stall-accuracy.md: stall_table SESSIONS. The document's head says how to make it again.
#include "stall/accuracy.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace {

constexpr const char* introduction = R"(# How well stalls are found

Made by a program, not by hand; the rule is described in [stall-detection.md](stall-detection.md). To make it again (a
minute or two), in a build folder with `-Dtests=true` and optimisation:

    ninja -C build/release tests/stall/stall_table
    QMPWATCH_FIXTURES=tests/fixtures build/release/tests/stall/stall_table 10000 > docs/stall-accuracy.md

The table of recordings is also checked by the unit tests; after a change of the detector `QMPWATCH_UPDATE_GOLDEN=1`
writes tests/golden/stall_recordings.md anew.

## Recordings

Stock QEMU 7.2.22 (`csw_qemu11`: 11.1.3) with a scripted guest; the truth is written by the script. The polls are
every line, every second, every fourth and every thirtieth of a recording at 0.5 s; where there are several ways to
begin, all of them are added up, and the worst error, the lowest level and the latest time are given. Live polls are
faster than this while a gap is open. `outside bounds` counts true lengths outside the bounds that were reported;
`after` is counted from the start of the first stall, in recordings without one from the first poll. `suspected` in
`idle` is withdrawn each time. At 15 s stalls are not counted one by one, and three minutes are needed for a level:
no recording is so long.

)";

constexpr const char* middle = R"(
## Simulation

The generator is tests/stall/session.cpp: bursts of 64 KiB reads at 46 MB/s with exponentially distributed lengths,
a second drive that is written to meanwhile, polls that follow the detector's wish (`poll` is the slowest), up to 5
ms late, one of a hundred up to 60 ms. The drive is on usb-storage unless the name says otherwise. Seeds are fixed,
so the numbers are too.

`confirmed` has to stay below 0.1 % for every way of idling that is not called adversarial. `probable` is what a
single gap of the right length leads to, so it is reached in a part of the sessions. Two of the adversarial guests
are confirmed always: whoever reads a varying amount and then sleeps for as long as a time-out looks the same in
every counter.

Continuous losses are losses with nothing but bursts of about a second between them. `by the 2nd` and `by the 3rd` are
the shares confirmed when the second or third loss had ended: they do not depend on how long the bursts were. `within
35 s` does, and is counted from the start of the first loss.

- **10.0 to 10.15 s on usb-storage**: the second loss is enough for most, the third for nearly all. Three losses take
  30.2 s, which leaves less than 5 s for the two bursts between and the poll that sees the end: exponential bursts of
  1 s are longer together in 5 %, of 1.6 s in 20 %. Only sessions that need the third loss and have such bursts are
  late. Of bursts of 0.08 s some hundredths are of one or two reads, or as long as the one before: then a loss is held
  back until the next burst, and where that happens twice the fourth loss decides.
- **10.9 s and 10 to 11 s**: out of the core of the band, or not of one length, a loss is weaker evidence, and takes
  three or more. Three losses of 10.9 s leave 2.2 s for two bursts.
- **30.7 s**: the second loss is enough for nearly all, but ends after 61 s: 35 s are out of reach.
- **3.0 s on usb-storage**: from a low prior, so it takes more losses, which still fit into 35 s.
- **Attachment unknown**: from a prior twenty times lower, so it takes the third loss.

)";

}  // namespace

int main(int count, char** words) {
    using namespace qmpwatch::stall_test;
    const std::uint64_t sessions = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1000;
    fmt::print("{}{}{}{}", introduction, recordings_table(), middle, simulation_tables(sessions));
}
