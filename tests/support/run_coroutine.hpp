// Runs one coroutine to its end on an event loop of its own turn: what it returns is returned, what it throws is
// thrown.
#pragma once

#include "base/asio.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace qmpwatch::support {

/// Fails the test when the coroutine takes longer than `limit`.
template <class T>
T run_coroutine(asio::io_context& context, asio::awaitable<T> work,
                std::chrono::seconds limit = std::chrono::seconds(20)) {
    std::optional<T> result;
    std::exception_ptr failure;
    asio::co_spawn(context, std::move(work), [&](std::exception_ptr thrown, T value) {
        failure = thrown;
        result.emplace(std::move(value));
        context.stop();
    });
    context.restart();
    context.run_for(limit);
    if (failure) std::rethrow_exception(failure);
    REQUIRE_MESSAGE(result.has_value(), "the coroutine did not end in time");
    return std::move(*result);
}

}  // namespace qmpwatch::support
