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

/// What one user may take of the machine; nothing set: all of it. Admins are not limited.
struct UserLimits {
  std::optional<std::uint64_t> queued;             ///< sessions that wait; more are refused
  std::optional<std::uint64_t> waiting_bytes;      ///< what these take
  std::optional<std::uint64_t> submissions_a_day;  ///< within the last 24 hours
  std::optional<Nanoseconds> running_a_day;  ///< within the last 24 hours; then their sessions wait
  bool operator==(const UserLimits&) const = default;
};

/// A session that waits, as far as its turn is concerned.
struct QueuedSession {
  SessionId id;
  std::uint64_t sequence = 0;  ///< of submission: no two are equal
  std::uint32_t uid = 0;
  std::int32_t priority = 0;
  Nanoseconds max_time{};
  std::uint64_t bytes = 0;  ///< of its spec and environment
  bool resumed = false;     ///< it ran when benchd ended: goes on first of all, no turn of its user
  bool exempt = false;      ///< an admin's: never held, as little as a resumed one
};

/// A place in the queue.
struct Place {
  std::uint64_t position = 0;           ///< 1 = next
  Nanoseconds wait{};                   ///< after what runs now, FairQueue::kFarthest at most
  std::optional<Timestamp> not_before;  ///< of a user who is held: not before that time
  bool operator==(const Place&) const = default;
};

/// Who waits and whose turn is next.
///
/// First those that are resumed, then by priority. The users of one priority take turns: next is
/// who was served least recently, at whatever priority; among those never served, who has the
/// oldest session. A user's own sessions of one priority go in order of submission. Who has had the
/// machine for `running_a_day` within 24 hours is held: comes last, and does not begin until enough
/// of that time is more than 24 hours ago.
///
/// Pure: time is an argument. Owned by the queue, on the loop's thread. After a change the whole
/// order is computed once, when it is asked for: O(n), 0.3 ms for 10,000 sessions. All else costs a
/// look-up or a walk over the users.
class FairQueue {
 public:
  /// Longer waits are not told apart: after so long nothing is as it was expected.
  static constexpr Nanoseconds kFarthest = std::chrono::hours(24 * 365);
  /// What UserLimits::running_a_day counts.
  static constexpr Nanoseconds kLimitedPeriod = std::chrono::hours(24);
  /// So many ended sessions tell how long the next ones will take: enough for one odd one not to
  /// count for much, few enough to follow what people run today.
  static constexpr std::size_t kRememberedDurations = 20;

  explicit FairQueue(UserLimits limits) : limits_(limits) {}

  void Insert(QueuedSession session);
  /// It will not run now. @return false when it does not wait.
  bool Erase(const SessionId& id);
  /// Its turn has come: its user is served, unless it only goes on.
  void Begin(const SessionId& id);

  /// For what ran before benchd started: once for every user whose sessions have begun, in the
  /// order of their last ones.
  void Serve(std::uint32_t uid);
  /// A session that had begun has ended, and had the machine for so long; in order of their ends.
  /// After a start: once for each of the last kLimitedPeriod, and of the last kRememberedDurations.
  void Ended(std::uint32_t uid, Timestamp end, Nanoseconds held);

  /// The same of a user who had the machine for work by hand.
  void Reserved(std::uint32_t uid, Timestamp start, Timestamp end);
  /// A user has submitted a session; in the order of the moments.
  void Submitted(std::uint32_t uid, Timestamp at);

  /// Takes and lifts holds. @return whether that changed the order.
  bool Refresh(Timestamp now);
  /// When Refresh() will lift the hold of somebody who waits.
  std::optional<Timestamp> NextRefresh() const;

  /// Whose turn it is; nullptr: nobody waits, or all are held. Valid until something changes.
  const QueuedSession* Next();
  /// Nothing when it does not wait.
  std::optional<Place> PlaceOf(const SessionId& id);
  /// For who is no admin, with a spec of so many `bytes`; `submitting` more of this user's are on
  /// their way. @errors kResourceExhausted: as many wait, or came today, as may.
  Result<void> CheckRoomFor(std::uint32_t uid, std::size_t submitting, std::uint64_t bytes,
                            Timestamp now) const;
  /// For who is no admin: whether the machine may be had for so long at all.
  /// @errors kResourceExhausted with what is left of today's time.
  Result<void> CheckTime(std::uint32_t uid, std::string_view what, Nanoseconds wanted,
                         Timestamp now) const;
  /// What the user may still have of the machine; nothing: there is no limit.
  std::optional<Nanoseconds> TimeLeft(std::uint32_t uid, Timestamp now) const;

  /// Of the limits that there are, what `uid` takes, or each user who takes any of it.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid, Timestamp now) const;

  std::size_t size() const { return sessions_.size(); }
  /// How often the order was computed: what keeping it costs, for tests.
  std::uint64_t orders_computed() const { return orders_computed_; }

 private:
  struct Span {
    Timestamp start;
    Timestamp end;
  };
  struct User {
    std::size_t limited = 0;            // sessions that wait, an admin's not counted
    std::uint64_t bytes = 0;            // that these take
    std::deque<Timestamp> submissions;  // the latest, as many as may be within a day
    std::uint64_t last_turn = 0;        // larger is later; 0 = none yet
    std::uint64_t next_turn = 0;        // within Order(): the last one, those to come included
    // The latest time with the machine, as much of it as decides whether the user is held.
    std::deque<Span> spans;
    Nanoseconds ran{};  // their sum
    Timestamp not_before = Timestamp::min();
    bool held = false;  // by the last Refresh()
  };
  struct Waiting {
    QueuedSession session;
    User* user;
    Place place{};  // while order_ is valid
    bool held() const { return user->held && !session.resumed && !session.exempt; }
  };

  /// What the order is computed from: sorted by group, user and submission.
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
  std::vector<Key> sorted_;  // always: to sort anew, or walk a map, takes longer than all the rest
  std::uint64_t turn_ = 0;
  std::deque<Nanoseconds> durations_;  // of the last sessions that ended
  std::vector<Waiting*> order_;
  bool ordered_ = true;  // whether order_ and the places are those of now
  std::uint64_t orders_computed_ = 0;
};

}  // namespace benchd
