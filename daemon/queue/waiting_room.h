#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/result.h"
#include "core/base/session_id.h"
#include "core/base/time.h"
#include "core/model/caller.h"
#include "core/model/session.h"
#include "daemon/queue/access.h"
#include "daemon/queue/expected_times.h"
#include "daemon/queue/running_time.h"
#include "daemon/queue/user_limits.h"
#include "daemon/queue/waiting_list.h"

namespace benchd {

/// What somebody who waits can expect.
struct Expectation {
  std::uint64_t position = 0;      ///< 1 = next
  std::optional<Nanoseconds> eta;  ///< until it starts; absent when nobody knows
};

/// Who waits, whose turn is next and when it will be: the waiting list together with what ended
/// sessions tell, which is how long they took and how much of the machine their users had.
///
/// Pure: time comes as an argument. Owned by the queue, on the loop's thread.
class WaitingRoom {
 public:
  /// More than this is not told: after so long nothing is as it was expected.
  static constexpr Nanoseconds kFarthest = std::chrono::hours(24 * 365);

  WaitingRoom(AccessPolicy access, UserLimits limits);

  /// Learns from what ran before benchd started.
  void Recall(const std::vector<SessionRecord>& records, Timestamp now);
  /// One that has begun before (`started_at`) comes first of all.
  void Enter(const SessionRecord& record, std::uint64_t sequence, Timestamp now);
  /// It will not run now. @return false when it does not wait.
  bool Leave(const SessionId& id) { return list_.Erase(id); }
  /// Its turn has come.
  void Begin(const SessionId& id) { list_.Begin(id); }
  /// A session has ended; whether it ran its snapshot tells.
  void End(const SessionRecord& record, Timestamp now);

  /// Looks who has had the machine for as long as a day allows, and who may have it again.
  /// @return whether that has changed the order.
  bool Review(Timestamp now);
  /// When Review() will find somebody who may again; nothing while nobody waits for that.
  std::optional<Timestamp> NextReview() const;

  /// Whose turn it is, or nullptr. Valid until something changes.
  const WaitingSession* Next() const { return list_.Next(); }
  /// The waiting session, or nullptr.
  const WaitingSession* Find(const SessionId& id) const { return list_.Find(id); }
  std::size_t size() const { return list_.size(); }
  /// @errors kResourceExhausted: the caller has as many sessions waiting as one may; `submitting`
  ///         more are on their way.
  Result<void> CheckRoomFor(const Caller& caller, std::size_t submitting) const;

  /// What those of `ids` that wait can expect. `until_free` is how long the machine will be taken
  /// by what runs now; absent: nobody knows.
  std::map<SessionId, Expectation> Expect(const std::set<SessionId>& ids, Timestamp now,
                                          std::optional<Nanoseconds> until_free) const;
  /// See WaitingList::places_computed().
  std::uint64_t places_computed() const { return list_.places_computed(); }

 private:
  void Remember(const SessionRecord& ended);
  void ReviewAnew(Timestamp now) {
    next_review_ = Timestamp::min();
    Review(now);
  }

  const AccessPolicy access_;
  const UserLimits limits_;
  WaitingList list_;
  TypicalDuration typical_;
  RunningTime running_time_;
  std::set<std::uint32_t> exempt_;                // uids of admins
  std::map<std::uint32_t, Timestamp> may_again_;  // those who are held, and until when
  Timestamp next_review_ = Timestamp::min();      // nothing changes by itself before
};

}  // namespace benchd
