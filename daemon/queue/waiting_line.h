#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/base/session_id.h"
#include "core/base/time.h"

namespace benchd {

/// A session that waits, as far as the order is concerned.
struct WaitingSession {
  SessionId id;
  std::uint64_t sequence = 0;  ///< of submission: no two are equal
  std::uint32_t uid = 0;
  std::int32_t priority = 0;
  Nanoseconds max_time{};
  bool resumed = false;  ///< it ran when benchd ended, and goes on first of all
};

/// The sessions of one user and one priority that wait, in order of submission, and how long they
/// will take together.
///
/// A value apart from WaitingList, which owns the sessions: these outlive their place here. Both
/// ends are cheap, the middle costs what lies behind it; a sum costs nothing.
class WaitingLine {
 public:
  /// Ten thousand sessions of a month each do not fit into Nanoseconds.
  using Sum = std::chrono::microseconds;

  /// `typical` is how long sessions take here, absent while nothing is known: a session is expected
  /// to take that long, its own max_time at most.
  void Insert(const WaitingSession* session, std::optional<Nanoseconds> typical);
  void Erase(const WaitingSession* session, std::optional<Nanoseconds> typical);
  /// Counts again after `typical` has changed.
  void Expect(std::optional<Nanoseconds> typical) { CountFrom(0, typical); }

  bool empty() const { return places_.empty(); }
  std::size_t size() const { return places_.size(); }
  const WaitingSession& at(std::size_t index) const { return *places_[index].session; }
  /// How many were submitted before.
  std::size_t CountBefore(std::uint64_t sequence) const;
  /// How long the first `count` will take, one after the other.
  Sum Duration(std::size_t count) const;

 private:
  struct Place {
    const WaitingSession* session;
    Sum through{};  // up to its end, from gone_ on
  };

  void CountFrom(std::size_t index, std::optional<Nanoseconds> typical);

  std::deque<Place> places_;
  Sum gone_{};  // where the count of the first begins: those before it have left
};

}  // namespace benchd
