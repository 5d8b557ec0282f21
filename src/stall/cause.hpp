// The names of what can be wrong with a drive, and how sure the detector is of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace qmpwatch::stall {

/// Why a drive stood still. Idleness is not among them: it is not a stall.
enum class cause : std::uint8_t {
    lost_completion,  ///< QEMU finished an operation and the guest never heard: on usb-storage the lost CSW
    slow_backend,     ///< the operations themselves took that long: the host's disk, network or page cache
    vm_paused,        ///< the virtual CPUs did not run
    monitor_blocked,  ///< QEMU's main loop did not answer
    io_error,         ///< the operation failed
    throttled,        ///< the drive's own limits hold it back
    unknown,          ///< a stall, but the counters do not say which
};
inline constexpr std::array causes{cause::lost_completion, cause::slow_backend, cause::vm_paused,
                                   cause::monitor_blocked, cause::io_error,     cause::throttled,
                                   cause::unknown};

/// How sure: `probable` is what one stall can show at most, `confirmed` takes a pattern that recurs. So only
/// lost_completion, which is an inference, is ever confirmed; the other causes are measured, and stay `probable`.
enum class level : std::uint8_t { none, suspected, probable, confirmed };
inline constexpr std::array levels{level::none, level::suspected, level::probable, level::confirmed};

/// lost_completion, slow_backend, ...: the value of the label and of the JSON key.
std::string_view name(cause which);

/// none, suspected, probable, confirmed
std::string_view name(level which);

/// The place of a cause in an array over `causes`.
constexpr std::size_t index_of(cause which) { return static_cast<std::size_t>(which); }

}  // namespace qmpwatch::stall
