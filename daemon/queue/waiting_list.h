#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/session_id.h"
#include "core/base/time.h"
#include "daemon/queue/waiting_line.h"

namespace benchd {

/// A place in the queue: which one it is, and how long those before it will take.
struct WaitingPlace {
  std::uint64_t position = 0;  ///< 1 = next
  WaitingLine::Sum wait{};
  bool operator==(const WaitingPlace&) const = default;
};

/// Who waits and whose turn is next; pure.
///
/// First sessions that have run already (`resumed`), then by priority. The users of one priority
/// take turns: next is the one who was served least recently, at whatever priority; among those
/// never served, the one with the oldest session. A user's own sessions of one priority go in
/// order of submission. Users that are held are passed over: their sessions come last.
///
/// To insert, to erase and to find the next one costs a walk over the users at most, one place a
/// walk over the lines: one for each user and priority. Only Places() looks at every session.
class WaitingList {
 public:
  void Insert(WaitingSession session);
  /// Takes out one that will not run now. @return false when it was not in here.
  bool Erase(const SessionId& id);
  /// Takes out one that begins: its user has been served, unless it only goes on.
  void Begin(const SessionId& id);

  /// A user has been served, now: after all those of whom this was said before.
  void Serve(std::uint32_t uid) { served_[uid] = ++turn_; }
  /// Who may not begin a session for now.
  void Hold(std::set<std::uint32_t> uids) { held_ = std::move(uids); }
  const std::set<std::uint32_t>& held() const { return held_; }
  /// How long sessions take here; absent while nothing is known.
  void Expect(std::optional<Nanoseconds> typical);

  /// Whose turn it is, or nullptr. Valid until the list changes.
  const WaitingSession* Next() const;
  const WaitingSession* Find(const SessionId& id) const;
  std::size_t size() const { return sessions_.size(); }
  std::size_t CountOf(std::uint32_t uid) const;
  std::size_t CountUsers() const { return counts_.size(); }

  /// Of one that is in here.
  WaitingPlace PlaceOf(const SessionId& id) const;
  std::map<SessionId, WaitingPlace> Places() const;
  /// How many places have been computed so far: what keeping the order costs, for tests.
  std::uint64_t places_computed() const { return places_computed_; }

 private:
  using Level = std::map<std::uint32_t, WaitingLine>;    // the lines of one priority, by uid
  using Turns = std::map<std::uint32_t, std::uint64_t>;  // by uid: larger is later
  struct Contender {
    std::uint64_t turn;      // the last one; 0 = none yet
    std::uint64_t sequence;  // of the oldest session
    std::uint32_t uid;
    const WaitingLine* line;
    bool operator<(const Contender& other) const {
      return turn != other.turn ? turn < other.turn : sequence < other.sequence;
    }
  };
  /// The lines that take turns with each other, in the order of these.
  struct Round {
    std::int32_t priority;
    bool held;
    std::vector<Contender> contenders;
  };

  WaitingLine& LineOf(const WaitingSession& session);
  std::uint64_t LastTurn(std::uint32_t uid) const;
  Contender ContenderOf(std::uint32_t uid, const WaitingLine& line) const;
  void ForEachRound(const std::function<bool(const Round&)>& visit) const;

  std::map<SessionId, WaitingSession> sessions_;
  WaitingLine resumed_;
  std::map<std::int32_t, Level, std::greater<>> levels_;  // no line and no level is empty
  std::map<std::uint32_t, std::size_t> counts_;           // sessions by uid
  Turns served_;
  std::uint64_t turn_ = 0;
  std::set<std::uint32_t> held_;
  std::optional<Nanoseconds> typical_;
  mutable std::uint64_t places_computed_ = 0;
};

}  // namespace benchd
