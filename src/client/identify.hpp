// Who the VM is, read from QMP's and HMP's small replies. Pure: text in, fields out. Whatever cannot be read is empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpwatch::client {

/// The text of a member of a JSON object: {"name": "winarm"} and "name" give winarm.
std::string text_member(std::string_view json, std::string_view key);

/// The same, as it is: lines stay lines. Not for a terminal.
std::string raw_text_member(std::string_view json, std::string_view key);

/// qom-list: the types of the children, without the rest: child<arm-gicv3> is arm-gicv3.
std::vector<std::string> child_types(std::string_view json);

/// query-cpus-fast: the QOM path of the first processor; empty when there is none.
std::string first_processor(std::string_view json);

/// trace-event-get-state: the events and whether each is on. One that this QEMU was built without is left out.
std::vector<std::pair<std::string, bool>> trace_states(std::string_view json);

/// A JSON string's text; none when it is something else.
std::optional<std::string> text_value(std::string_view json);

/// query-kvm: true when it is enabled.
bool kvm_enabled(std::string_view json);

/// pc-q35-7.2-machine is the machine pc-q35-7.2.
std::string machine_from_type(std::string_view type);

/// `VM status: paused (io-error)` is io-error, `VM status: running` is running. Empty when it is no status line.
std::string run_state_from_hmp(std::string_view text);

/// The first line without its end; empty when it looks like an error.
std::string line_from_hmp(std::string_view text);

/// `7.2.22Debian 1:7.2` for the version 7.2.22 has the package `Debian 1:7.2`.
std::string package_from_hmp(std::string_view text, std::string_view version);

/// `kvm mshv [tcg]` is tcg: the one in brackets is in use. Empty when there is none.
std::string accelerator_from_hmp(std::string_view text);

/// `kvm support: enabled`.
bool kvm_enabled_from_hmp(std::string_view text);

}  // namespace qmpwatch::client
