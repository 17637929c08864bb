#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>

#include "core/base/held.h"

namespace benchd {

/// A notification that wakes all waiting coroutines and calls all subscribers. Loop's thread only.
///
/// A waiter must check the state before and after it waits, because notifications merge.
class Signal {
 public:
  /// Unsubscribes when destroyed. Must not outlive the signal.
  using Subscription = Held<Signal>;

  explicit Signal(const asio::any_io_executor& executor)
      : timer_(executor, asio::steady_timer::time_point::max()) {}

  void Notify();
  /// Returns the number of notifications so far.
  std::uint64_t count() const { return count_; }

  /// Calls `told` at every Notify() from now on.
  [[nodiscard]] Subscription Subscribe(std::function<void()> told);

  asio::awaitable<void> Wait() {
    asio::error_code cancelled;  // always set, because only Notify() ends the wait
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  /// Like Wait(), with a time limit.
  asio::awaitable<void> WaitUntil(asio::steady_timer::time_point until) {
    asio::steady_timer own(timer_.get_executor(), until);
    const Subscription notified = Subscribe([&own] { own.cancel(); });
    asio::error_code cancelled;  // not set on a timeout
    co_await own.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }

 private:
  friend Subscription;
  void GiveUp(std::uint64_t key) { subscribers_.erase(key); }

  asio::steady_timer timer_;
  std::uint64_t count_ = 0;
  std::map<std::uint64_t, std::function<void()>> subscribers_;
  std::uint64_t next_key_ = 0;
};

}  // namespace benchd
