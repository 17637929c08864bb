#pragma once

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

namespace benchd {

/// Awaits `coroutine` and stores its result in `*result`, which must outlive it. (co_spawn's own
/// handler needs a default-constructible value, which a Result is not.)
template <typename T>
asio::awaitable<void> KeepResult(asio::awaitable<T> coroutine, std::optional<T>* result) {
  *result = co_await std::move(coroutine);
}

inline void Rethrow(const std::exception_ptr& thrown) {
  if (thrown) std::rethrow_exception(thrown);
}

/// Runs one coroutine on `loop` until it ends, and returns its result.
template <typename T>
T RunToEnd(asio::io_context& loop, asio::awaitable<T> coroutine) {
  std::optional<T> result;
  asio::co_spawn(loop, KeepResult(std::move(coroutine), &result), Rethrow);
  loop.restart();
  while (!result && loop.run_one() > 0) {
  }
  return std::move(result).value();
}

}  // namespace benchd
