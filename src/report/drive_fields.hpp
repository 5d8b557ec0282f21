// What scripts get to know of a drive: one list of keys and values, for JSON and CSV, for events and --once.
#pragma once

#include "pipeline/notice.hpp"
#include "pipeline/snapshot.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace qmpwatch::report {

/// Nothing (null in JSON, empty in CSV), or the value. Integers stay exact.
using field_value = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

struct field {
    std::string_view group;  ///< the object that holds the key in JSON ("failed"), mostly empty
    std::string_view key;
    field_value value;
};

/// drive, device, bus, then the counters and rates. The same keys in the same order whatever is known.
std::vector<field> drive_fields(const pipeline::rate_notice& notice);

/// The same; after `bus` also what is in the drive: qdev, node_name, file, format, read_only, removable; and at the end
/// what is known of stalls: stall_level, stall_cause, stalls, stall_seconds, gap_seconds.
std::vector<field> drive_fields(const pipeline::drive_snapshot& drive);

/// Appends the fields to a JSON object. A template so that no JSON library is needed here.
template <class Json>
void append(Json& object, const std::vector<field>& fields) {
    for (const field& each : fields) {
        Json& place = each.group.empty() ? object : object[std::string(each.group)];
        Json& target = place[std::string(each.key)];
        std::visit(
            [&](const auto& value) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                    target = nullptr;
                } else {
                    target = value;
                }
            },
            each.value);
    }
}

}  // namespace qmpwatch::report
