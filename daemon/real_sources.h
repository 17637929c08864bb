#pragma once

#include <sys/random.h>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <stdexcept>

#include "daemon/ports/sources.h"

namespace benchd {

/// The machine's clocks.
class SystemClock : public Clock {
 public:
  Timestamp Now() const override { return std::chrono::system_clock::now(); }
  SteadyTime Steady() const override { return std::chrono::steady_clock::now(); }
  asio::awaitable<void> Wait(Nanoseconds duration) const override {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, duration);
    co_await timer.async_wait(asio::use_awaitable);
  }
};

/// The kernel's random numbers: ids must not be guessable, and seeds differ from session to
/// session.
class KernelRandom : public RandomSource {
 public:
  std::uint64_t Next() override {
    std::uint64_t value = 0;
    // Requests of up to 256 bytes are never interrupted or cut short once the pool is ready.
    if (::getrandom(&value, sizeof(value), 0) != sizeof(value)) {
      throw std::runtime_error("getrandom failed");
    }
    return value;
  }
};

}  // namespace benchd
