// The two clocks. Intervals are measured on the steady one; the wall clock only stamps what people read.
#pragma once

#include <chrono>
#include <string>

namespace qmpwatch::base {

using steady_time = std::chrono::steady_clock::time_point;
using wall_time = std::chrono::system_clock::time_point;
using nanoseconds = std::chrono::nanoseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// One moment on both clocks.
struct instant {
    steady_time steady{};
    wall_time wall{};
};

inline instant now() { return {std::chrono::steady_clock::now(), std::chrono::system_clock::now()}; }

/// A duration as a number of seconds.
template <class Rep, class Period>
constexpr double in_seconds(std::chrono::duration<Rep, Period> span) {
    return std::chrono::duration<double>(span).count();
}

/// RFC 3339 in UTC with milliseconds: 2026-11-30T21:29:13.042Z
std::string rfc3339(wall_time when);

}  // namespace qmpwatch::base
