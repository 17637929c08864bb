#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/limits.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The limits of one user's use of the machine. Limits that are not set do not apply, and admins
/// are not limited.
struct UserLimits {
  std::optional<std::uint64_t> queued;             ///< waiting sessions; more are refused
  std::optional<std::uint64_t> waiting_bytes;      ///< size of the waiting sessions
  std::optional<std::uint64_t> submissions_a_day;  ///< submissions within the last 24 hours
  std::optional<Nanoseconds> running_a_day;        ///< time within the last 24 hours
  bool operator==(const UserLimits&) const = default;
};

/// The properties of a waiting session that determine its turn.
struct QueuedSession {
  SessionId id;
  std::uint64_t sequence = 0;  ///< order of submission; unique
  std::uint32_t uid = 0;
  std::int32_t priority = 0;
  Nanoseconds max_time{};
  std::uint64_t bytes = 0;  ///< size of its spec and environment
  bool resumed = false;     ///< ran when benchd ended: comes first, not counted as a turn
  bool exempt = false;      ///< submitted by an admin: never held, like a resumed session
};

/// A place in the queue.
struct Place {
  std::uint64_t position = 0;           ///< 1 = next
  Nanoseconds wait{};                   ///< after the running session; at most FairQueue::kFarthest
  std::optional<Timestamp> not_before;  ///< earliest start, if the user is held
  bool operator==(const Place&) const = default;
};

/// The waiting sessions and their order.
///
/// Resumed sessions come first, then all others by priority. Users with sessions of the same
/// priority take turns: the next user is the one who was served least recently, at any priority.
/// Among users never served, the one with the oldest session is next. Sessions of one user and
/// priority run in order of submission. A user who has had the machine for `running_a_day` within
/// 24 hours is held: the user's sessions come last, and do not begin until enough of that time is
/// more than 24 hours ago.
///
/// Pure: time is an argument. Owned by the queue, on the loop's thread. After a change, the whole
/// order is computed once, when it is needed: O(n), 0.3 ms for 10,000 sessions. Every other
/// function costs a look-up or a walk over the users.
class FairQueue {
 public:
  /// The longest wait that is predicted; longer ones count as equal.
  static constexpr Nanoseconds kFarthest = std::chrono::hours(24 * 365);
  /// The period over which UserLimits::running_a_day is counted.
  static constexpr Nanoseconds kLimitedPeriod = std::chrono::hours(24);
  /// The number of recent sessions from which the duration of the next ones is estimated: enough to
  /// limit the weight of a single unusual session, and few enough to follow present use.
  static constexpr std::size_t kRememberedDurations = 20;

  explicit FairQueue(UserLimits limits) : limits_(limits) {}

  void Insert(QueuedSession session);
  /// Removes a session that will not run. @return false if it was not waiting.
  bool Erase(const SessionId& id);
  /// Removes a session whose turn has come, and counts the turn for its user unless the session is
  /// resumed.
  void Begin(const SessionId& id);

  /// Counts a turn for a user. After a start of benchd, called once for each user whose sessions
  /// have begun, in the order of their last sessions.
  void Serve(std::uint32_t uid);
  /// Records a session that has ended and how long it held the machine; called in order of the
  /// ends. After a start of benchd, called for each session of the last kLimitedPeriod and for the
  /// last kRememberedDurations sessions.
  void Ended(std::uint32_t uid, Timestamp end, Nanoseconds held);

  /// Records the time for which a user had reserved the machine.
  void Reserved(std::uint32_t uid, Timestamp start, Timestamp end);
  /// Records a submission; called in chronological order.
  void Submitted(std::uint32_t uid, Timestamp at);

  /// Sets and lifts holds. @return whether the order has changed.
  bool Refresh(Timestamp now);
  /// Returns the time at which Refresh() will lift the next hold of a user with waiting sessions.
  std::optional<Timestamp> NextRefresh() const;

  /// Returns the session whose turn is next; nullptr if no session waits or all are held. Valid
  /// until the next change.
  const QueuedSession* Next();
  /// Returns the place of a session; empty if it does not wait.
  std::optional<Place> PlaceOf(const SessionId& id);
  /// Checks whether a user who is not an admin may submit another session, with a spec of `bytes`,
  /// while `submitting` other submissions of this user are in progress.
  /// @errors kResourceExhausted: the limit of waiting sessions or daily submissions is reached.
  Result<void> CheckRoomFor(std::uint32_t uid, std::size_t submitting, std::uint64_t bytes,
                            Timestamp now) const;
  /// Checks whether a user who is not an admin may ever use the machine for the time `wanted`.
  /// @errors kResourceExhausted, stating how much of today's time is left.
  Result<void> CheckTime(std::uint32_t uid, std::string_view what, Nanoseconds wanted,
                         Timestamp now) const;
  /// Returns the machine time that the user has left; empty if it is not limited.
  std::optional<Nanoseconds> TimeLeft(std::uint32_t uid, Timestamp now) const;

  /// Returns how much of the limits `uid` uses, or each user who uses any of them.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid, Timestamp now) const;

  std::size_t size() const { return sessions_.size(); }
  /// Returns how often the order was computed; for tests of its cost.
  std::uint64_t orders_computed() const { return orders_computed_; }

 private:
  struct Span {
    Timestamp start;
    Timestamp end;
  };
  struct User {
    std::size_t limited = 0;            // waiting sessions, without those of admins
    std::uint64_t bytes = 0;            // size of these sessions
    std::deque<Timestamp> submissions;  // the latest, no more than the daily limit
    std::uint64_t last_turn = 0;        // larger is later; 0 = none yet
    std::uint64_t next_turn = 0;        // within Order(): includes turns to come
    // The latest uses of the machine, as far back as they decide whether the user is held.
    std::deque<Span> spans;
    Nanoseconds ran{};  // the sum of the spans
    Timestamp not_before = Timestamp::min();
    bool held = false;  // as of the last Refresh()
  };
  struct Waiting {
    QueuedSession session;
    User* user;
    Place place{};  // valid while ordered_
    bool held() const { return user->held && !session.resumed && !session.exempt; }
  };

  /// The sort key from which the order is computed: by group, user and submission.
  struct Key {
    int standing;  // 0 = resumed, 1 = may begin, 2 = held
    std::int32_t priority;
    std::uint32_t uid;
    std::uint64_t sequence;
    Waiting* waiting;
    bool operator<(const Key& other) const;
  };
  static Key KeyOf(Waiting& waiting);
  void TakeTime(User& user, Timestamp start, Timestamp end);
  static std::uint64_t SubmittedToday(const User& user, Timestamp now);
  Result<void> CheckSubmissions(std::uint32_t uid, const User& user, std::size_t submitting,
                                Timestamp now) const;
  void Order();
  void TakeTurns(std::span<const Key> group);
  Nanoseconds TypicalDuration() const;

  const UserLimits limits_;
  std::map<SessionId, Waiting> sessions_;
  std::map<std::uint32_t, User> users_;  // never erased: Waiting points here
  std::vector<Key> sorted_;  // kept sorted: sorting anew or walking a map would dominate the cost
  std::uint64_t turn_ = 0;
  std::deque<Nanoseconds> durations_;  // of the latest sessions that have ended
  std::vector<Waiting*> order_;
  bool ordered_ = true;  // whether order_ and the places are current
  std::uint64_t orders_computed_ = 0;
};

}  // namespace benchd
