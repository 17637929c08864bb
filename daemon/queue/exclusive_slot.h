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

/// Grants turns to work that must not overlap a session's measurements: queries of the machine, or
/// its reservation.
///
/// One turn at a time. After each session, up to a fixed number of waiting turns come before the
/// next session. While sessions wait, later turns come after that session, so neither kind of work
/// can block the other forever. Owned by the queue, whose worker alone starts turns. Loop's
/// thread only.
class ExclusiveSlot {
 public:
  /// A place among the waiting turns, or the turn itself; released when destroyed. Must not outlive
  /// the queue.
  using Turn = Held<ExclusiveSlot>;

  /// `changed` wakes the worker, and must outlive this object.
  /// @param between_sessions  maximum number of turns before the next session
  ExclusiveSlot(Signal& changed, std::uint64_t between_sessions)
      : changed_(changed), between_sessions_(between_sessions) {}

  /// Requests a turn. Calls `begin` once, later, when it begins; never after the Turn is destroyed.
  [[nodiscard]] Turn Acquire(std::function<void()> begin);

  /// Returns whether a turn is in progress; no session may start then.
  bool busy() const { return running_.has_value(); }
  std::size_t waiting() const { return waiting_.size(); }

  /// Lets the turns that wait now come before the next session, up to the limit.
  void SessionEnded() { before_session_ = std::min(waiting_.size(), between_sessions_); }

  /// Begins the next turn, if it may come before a waiting session, or if no session waits.
  /// @return whether a turn has begun.
  bool BeginNext(bool session_waits);

 private:
  friend Turn;
  void GiveUp(std::uint64_t key);

  Signal& changed_;
  const std::size_t between_sessions_;
  std::map<std::uint64_t, std::function<void()>> waiting_;  // by key, in the order of arrival
  std::uint64_t next_key_ = 0;
  std::size_t before_session_ = 0;  // turns left before the next session
  std::optional<std::uint64_t> running_;
};

}  // namespace benchd
