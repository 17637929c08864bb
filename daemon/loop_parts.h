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
#include "daemon/ports/ports.h"

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

/// What systemd hears of us (Type=notify): READY, a heartbeat from the loop, STOPPING. Without
/// systemd every call does nothing.
///
/// Lives on the loop's thread, so that a loop that hangs misses its beat; must outlive the loop's
/// run.
class Notifier {
 public:
  explicit Notifier(const asio::any_io_executor& loop);

  /// READY=1, then WATCHDOG=1 at half the interval that systemd asked for, if it did.
  void Ready();
  /// STOPPING=1; the heart goes on beating until Stop().
  void Stopping();
  void Stop();

 private:
  void Beat();

  asio::steady_timer timer_;
  std::chrono::microseconds interval_{};
};

/// Ends a daemon that nobody needs any more: one that benchctl started goes by itself.
///
/// Looks once an interval, so it ends after one to two of them without anything to do. Lives on the
/// loop's thread; must outlive the loop's run.
class IdleExit {
 public:
  /// Anything that went on since the last look makes this number grow; nothing when busy right now.
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

/// Confines every thread of this process to `cpus`; threads made later inherit it.
///
/// Benchmarks run elsewhere: no thread of the daemon may disturb them, gRPC's included. An empty
/// list changes nothing.
/// @errors kInvalidArgument when the kernel takes none of these CPUs.
Result<void> ConfineProcess(const std::vector<int>& cpus);

}  // namespace benchd
