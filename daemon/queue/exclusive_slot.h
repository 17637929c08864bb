#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "core/base/held.h"
#include "daemon/queue/signal.h"

namespace benchd {

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
