#pragma once

#include <algorithm>
#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "core/base/held.h"

namespace benchd {

/// "Something changed": wakes every coroutine that waits, and tells those who subscribed. Loop's
/// thread only.
///
/// A waiter must look at the state before it waits and again after: it is not told how often.
class Signal {
 public:
  /// Unsubscribes when destroyed. Must not outlive the signal.
  using Subscription = Held<Signal>;

  explicit Signal(const asio::any_io_executor& executor)
      : timer_(executor, asio::steady_timer::time_point::max()) {}

  void Notify();
  /// How often so far.
  std::uint64_t count() const { return count_; }

  /// `told` is called with every Notify() from now on.
  [[nodiscard]] Subscription Subscribe(std::function<void()> told);

  asio::awaitable<void> Wait() {
    asio::error_code cancelled;  // the only way this wait ends
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  /// The same, but no longer than that.
  asio::awaitable<void> WaitUntil(asio::steady_timer::time_point until) {
    asio::steady_timer own(timer_.get_executor(), until);
    const Subscription notified = Subscribe([&own] { own.cancel(); });
    asio::error_code cancelled;  // or none, where the time is over
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

/// Whose turn it is for what must not happen while a session measures: asking the machine, or
/// having it.
///
/// One at a time. After each session come those that wait then, a fixed number of them at most,
/// before the next session; the others and those that ask later wait for the one after it while
/// sessions wait, so that neither kind can hold up the other for ever. Owned by the queue, whose
/// worker alone begins anything. Loop's thread only.
class ExclusiveSlot {
 public:
  /// A place among those who wait, or the turn itself; given up when destroyed. Must not outlive
  /// the queue.
  using Turn = Held<ExclusiveSlot>;

  /// `changed` wakes the worker, and outlives this.
  /// @param between_sessions  how many come before the next session at most
  ExclusiveSlot(Signal& changed, std::uint64_t between_sessions)
      : changed_(changed), between_sessions_(between_sessions) {}

  /// `begin` is called once, later, when the turn has come; never after the Turn is destroyed.
  [[nodiscard]] Turn Acquire(std::function<void()> begin);

  /// Somebody has the turn: no session may start.
  bool busy() const { return running_.has_value(); }
  std::size_t waiting() const { return waiting_.size(); }

  /// Those who wait now come before the next session, as many of them as may.
  void SessionEnded() { before_session_ = std::min(waiting_.size(), between_sessions_); }

  /// Begins the next one, if it may come before a session that waits, or none waits.
  /// @return whether one has begun.
  bool BeginNext(bool session_waits);

 private:
  friend Turn;
  void GiveUp(std::uint64_t key);

  Signal& changed_;
  const std::size_t between_sessions_;
  std::map<std::uint64_t, std::function<void()>> waiting_;  // by key: in order of asking
  std::uint64_t next_key_ = 0;
  std::size_t before_session_ = 0;  // how many come before the next session
  std::optional<std::uint64_t> running_;
};

}  // namespace benchd
