#pragma once

#include <sys/random.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/base/result.h"
#include "daemon/session/ports.h"

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

/// Random numbers from the kernel, because IDs must not be guessable and seeds must differ between
/// sessions.
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

/// Sends notifications to systemd (Type=notify): READY, a heartbeat from the loop, and STOPPING.
/// Does nothing without systemd.
///
/// Lives on the loop's thread, so that a loop that hangs misses its heartbeat; must outlive the
/// loop's run.
class Notifier {
 public:
  explicit Notifier(const asio::any_io_executor& loop);

  /// Sends READY=1, then WATCHDOG=1 at half the interval that systemd requests, if any.
  void Ready();
  /// Sends STOPPING=1; the heartbeat continues until Stop().
  void Stopping();
  void Stop();

 private:
  void Beat();

  asio::steady_timer timer_;
  std::chrono::microseconds interval_{};
};

/// Ends a user daemon that has been idle for too long.
///
/// Checks once per interval, so the daemon ends after one to two idle intervals. Lives on the
/// loop's thread; must outlive the loop's run.
class IdleExit {
 public:
  /// Returns a number that increases with any activity; empty if the daemon is busy now.
  using Activity = std::function<std::optional<std::uint64_t>()>;

  IdleExit(const asio::any_io_executor& loop, std::chrono::milliseconds interval, Activity activity,
           std::function<void()> on_idle);

  void Start();
  void Stop();

 private:
  void Wait();
  void Look();

  asio::steady_timer timer_;
  std::chrono::milliseconds interval_;
  Activity activity_;
  std::function<void()> on_idle_;
  std::optional<std::uint64_t> last_;
  bool stopped_ = false;
};

}  // namespace benchd
