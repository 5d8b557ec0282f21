// Which runs can be compared: what they were runs of.
#pragma once

#include "run/digest.hpp"

#include <span>
#include <string>
#include <vector>

namespace qmpwatch::gate {

/// Something that is known of a run.
struct property {
    std::string key;    ///< as --allow-mismatch names it: media, bus, cache, vcpus, memory, accelerator, guest, ...
    std::string what;   ///< for sentences: "the medium's content"
    std::string value;  ///< for people; empty when it is not known
    bool refuses = true;  ///< runs that differ in it are not compared; otherwise there is a warning

    friend bool operator==(const property&, const property&) = default;
};

/// All properties, known or not, always in the same order. `drives` are those that the metrics are about: the first one
/// is the install medium where there is one.
std::vector<property> properties_of(const run::digest& run, std::span<const std::string> drives);

/// The keys of the properties that refuse.
std::span<const std::string_view> refusing_keys();

/// What a baseline folder sorts runs by: the properties that refuse, as one text, and its SHA-256 (12 digits).
struct fingerprint {
    std::string text;  ///< bus=nvme, cache=writeback, ...: what is known
    std::string hash;
};
fingerprint fingerprint_of(std::span<const property> properties);

/// The fingerprint that a run is accepted and looked for by: of the VM and of the drive that the system is installed
/// from, `medium` where it is not to be guessed. Of a run in which nothing was copied it is of the VM alone.
fingerprint fingerprint_of_run(const run::digest& run, const std::string& medium);

/// A run and its properties.
struct described_run {
    std::string path;
    std::vector<property> properties;
};

struct mismatches {
    std::vector<std::string> refusals;  ///< sentences; comparing is refused
    std::vector<std::string> warnings;  ///< sentences
    std::vector<std::string> unknown;  ///< keys that refuse and that some run says nothing of
};

/// Holds each run against the first. What either does not know is not compared. A key in `allowed` warns where it
/// would refuse.
mismatches compare_properties(std::span<const described_run> runs, std::span<const std::string> allowed);

}  // namespace qmpwatch::gate
