// Run files whose truth is known: an install medium is read evenly for so many seconds.
#pragma once

#include "gate/gate.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace qmpwatch::gate_test {

struct made_run {
    double seconds = 100;  ///< that the copy takes
    std::uint64_t bytes = 1000000000;
    std::optional<double> cut_after{};  ///< the recording stopped (--for) after so many seconds of the copy
    std::optional<run::end_reason> ended_by =
        run::end_reason::guest_shutdown;  ///< of a run that was not cut; none: no end
    base::nanoseconds poll = std::chrono::seconds(1);
    int start_minute = 0;  ///< after 2026-11-01 00:00 UTC: when it was recorded
    std::vector<double> stalls_at{};  ///< seconds: a completion is lost there, 10 s long
    std::string bus = "usb-storage", accelerator = "tcg", content = "sampled-sha256:1234", version = "7.2.22";
    unsigned vcpus = 2;
    std::string guest{};  ///< the label
};

/// Writes it and gives the path.
std::string write_run(const std::filesystem::path& path, const made_run& what);

/// Writes and reads it.
gate::input read_made(const std::filesystem::path& path, const made_run& what);

}  // namespace qmpwatch::gate_test
