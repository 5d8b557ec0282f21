// The flags of `record`.
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/live_flags.hpp"
#include "app/record.hpp"
#include "base/size.hpp"
#include "base/text.hpp"
#include "run/digest.hpp"
#include "run/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace qmpwatch::app {

namespace {

/// How much the install medium gave in the copy of a run that went well.
base::result<std::uint64_t> bytes_of_baseline(const std::string& path) {
    const base::result<run::digest> baseline = run::read_digest(path);
    if (baseline.has_error()) return baseline.error();
    const base::result<run::phases> parts = run::find_all_phases(*baseline);
    if (parts.has_error()) return parts.error();
    if (!parts->copy) {
        return base::fail(base::errc::data, fmt::format("{}: nothing was copied in it, so it cannot tell how much to "
                                                        "expect",
                                                        path));
    }
    return parts->copy->bytes;
}

}  // namespace

int record_command(const words& arguments) {
    // What comes after -- belongs to another program.
    const auto separator = std::find(arguments.begin(), arguments.end(), "--");
    const words own(arguments.begin(), separator);
    record_options options;
    if (separator != arguments.end()) options.command.assign(separator + 1, arguments.end());

    live_words given;
    std::vector<std::string> labels;
    std::string expect, baseline, gateway;
    command_line command{"qmpwatch record",
                         "Watches one VM and writes what happens into a run file, for report, replay and gate. Ends "
                         "when the guest shuts down."};
    command.text("-o,--output", options.output, "FILE", "The run file; compressed when its name ends in .gz");
    add_live_flags(command,
                   "The monitor socket of the VM, QMP or HMP: a path or tcp:HOST:PORT; it is waited for. NAME=PATH "
                   "gives the VM a name",
                   given, options);
    command.flag("--overwrite", options.overwrite, "Replace FILE if it exists");
    command.texts("--label", labels, "KEY=VALUE", "A note in the header, for reports and the gate. Repeat it for more");
    command.flag("--redact", options.redact, "Leave out paths, addresses of sockets and serials");
    command.duration("--until-quiet", options.until_quiet, base::seconds(1),
                     "End when the drives, once busy, have done next to nothing for so long; longer than any stall");
    command.duration("--for", options.time_limit, base::milliseconds(100), "End after so long");
    command.text("--expect", expect, "BYTES",
                 "How much will be read from the install medium, such as 7.6GB: shows a bar and the time left");
    command.text("--baseline", baseline, "RUN", "The same from a run that went well");
    command.text("--push-gateway", gateway, "URL", "Push the summary at the end to a Prometheus Pushgateway");
    command.config_file();
    command.footer(
        "-- COMMAND ... runs a command, which may start the VM; the recording ends with it and returns its exit code.\n"
        "SIGUSR1 and POST /api/v1/marker add a marker.");
    if (const std::optional<int> end = command.parse(own)) return *end;

    if (options.output.empty()) return command.refuse("into which file? -o FILE");
    if (separator != arguments.end() && options.command.empty()) return command.refuse("-- has no command after it");
    if (const std::optional<std::string> problem = take_live_flags(given, options)) return command.refuse(*problem);
    if (options.targets.size() != 1 || options.targets.front().is_pattern) {
        return command.refuse("a run is of one VM: one --socket, and no pattern; run one record for each VM");
    }
    for (const std::string& label : labels) {
        const std::size_t equals = label.find('=');
        if (equals == 0 || equals == std::string::npos) {
            return command.refuse(fmt::format("--label is KEY=VALUE, not '{}'", base::printable(label)));
        }
        const std::string key = label.substr(0, equals);
        if (std::any_of(options.labels.begin(), options.labels.end(),
                        [&](const auto& one) { return one.first == key; })) {
            return command.refuse(fmt::format("--label {} is given twice", base::printable(key)));
        }
        options.labels.emplace_back(key, label.substr(equals + 1));
    }
    if (!gateway.empty()) {
        const base::result<metrics::gateway_address> address = metrics::parse_gateway(gateway);
        if (address.has_error()) return command.refuse(address.error().message);
        options.push_gateway = *address;
    }
    if (!expect.empty() && !baseline.empty()) return command.refuse("either --expect or --baseline");
    base::result<std::uint64_t> expected = std::uint64_t(0);
    if (!expect.empty()) expected = base::parse_size(expect);
    if (!baseline.empty()) expected = bytes_of_baseline(baseline);
    if (expected.has_error()) return command.refuse(expected.error().message);
    if (*expected > 0) options.expected_bytes = *expected;
    return record(options);
}

}  // namespace qmpwatch::app
