#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/limits.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/ports/ports.h"
#include "daemon/queue/current_session.h"
#include "daemon/queue/exclusive_slot.h"
#include "daemon/queue/fair_queue.h"
#include "daemon/queue/session_registry.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/run_session.h"
#include "daemon/store/store.h"

namespace benchd {

/// What the configuration says about the queue.
struct QueuePolicy {
  AccessPolicy access;
  UserLimits limits;
  RetentionPolicy keep;
  /// Turns for other work between two sessions.
  std::uint64_t machine_turns = Budgets().At(Limit::kMachineTurns);
  /// A user's submissions whose programs are looked up at once; others wait.
  std::uint64_t helpers_a_user = Budgets().At(Limit::kHelpersAUser);
};

/// How the queue stands.
struct QueueStatus {
  QueueMode mode;
  std::uint64_t queued = 0;
  std::optional<SessionId> running;
  std::optional<std::uint32_t> reserved_by;  ///< uid of who holds the machine: sessions wait
  std::uint64_t changes = 0;                 ///< grows with every change of the queue
};

/// Admission, order, who may, and the one session that runs. Lives on the loop's thread.
///
/// Every method takes the caller from the connection and answers kPermissionDenied or, where even
/// the existence is none of theirs, kNotFound. An id may be any unique prefix. The queue outlives
/// the coroutines that run on its executor: main.cc ends the loop first.
class Queue {
 public:
  struct Services {
    Runner& runner;
    Store& store;
    const Clock& clock;
    RandomSource& random;
    EventHub& hub;
  };

  Queue(asio::any_io_executor executor, Services services, QueuePolicy policy);

  /// Loads what is stored: queued sessions keep their place, one that was running comes first and
  /// goes on, pause and drain last. @return the store's warnings, a sentence each.
  asio::awaitable<Result<std::vector<std::string>>> Load();

  /// Takes sessions one after the other until Stop(); the one that runs then is interrupted and
  /// goes on when benchd is back.
  asio::awaitable<void> Work();
  void Stop();

  /// Checks the spec and what it wants of the machine, looks its programs up as the caller, commits
  /// it and queues it. A session whose program cannot be found or executed is committed, too, and
  /// has failed when this answers.
  /// @param bundle  what has come with it, for its build: outlives the coroutine; null without one
  asio::awaitable<Result<SessionSnapshot>> Submit(SessionSpec spec, std::string request_id,
                                                  BundleUpload* bundle = nullptr);
  /// Whether that request of the caller's is a session already.
  asio::awaitable<Result<bool>> Knows(Caller caller, std::string request_id);

  /// Whether a session of the caller's has ended; computes no place.
  asio::awaitable<bool> HasEnded(Caller caller, std::string id_prefix);
  /// How a session stands, without its environment. Of one that has not ended at once: whoever
  /// subscribes in the same turn of the loop misses nothing.
  /// @param gone  here and below: that nobody waits for the answer any more (Store::Ask()).
  asio::awaitable<Result<SessionRecord>> Get(Caller caller, std::string id_prefix,
                                             std::stop_token gone = {});
  /// Everything that is kept, with the newest state over it.
  asio::awaitable<Result<SessionDetails>> Show(Caller caller, std::string id_prefix,
                                               std::stop_token gone = {});
  /// The sessions that a filter selects, the newest first. Everybody sees those of all users, but
  /// the labels of one's own alone, unless one is an admin: `filter.owner` is set here.
  asio::awaitable<Result<std::vector<SessionView>>> List(Caller caller, SessionFilter filter,
                                                         std::stop_token gone = {});
  /// The same as Get() of a session that was listed; checks no caller's right to see it.
  asio::awaitable<Result<SessionRecord>> Read(SessionId id, std::stop_token gone = {});
  /// Answers when the session has ended and its children are gone; what has ended stays as it is.
  /// @errors kResourceExhausted: a session that waits stays, as the disk has no room to say so.
  asio::awaitable<Result<SessionSnapshot>> Cancel(Caller caller, std::string id_prefix);

  /// Gives a queued session another priority. Its owner may lower it; anything above what it has
  /// now is for admins, also the way back up to 0: as one has lowered it, others rely on it. What
  /// it has already changes nothing.
  /// @errors kFailedPrecondition when it no longer waits, or its history is full.
  asio::awaitable<Result<SessionSnapshot>> Move(Caller caller, std::string id_prefix,
                                                std::int32_t priority);

  /// Whether a session that has not ended has that priority: Move() changes nothing then.
  asio::awaitable<bool> HasPriority(Caller caller, std::string id_prefix, std::int32_t priority);

  /// For work beside the sessions: `begin` is called when it may be done, which is never while a
  /// session runs; until the Turn is given up no session starts.
  [[nodiscard]] ExclusiveSlot::Turn AcquireExclusive(std::function<void()> begin) {
    return exclusive_.Acquire(std::move(begin));
  }
  /// The same for a coroutine: the turn, when it has come.
  /// @errors kUnavailable when benchd stops first.
  asio::awaitable<Result<ExclusiveSlot::Turn>> AwaitExclusive();
  /// Whether somebody has such a turn.
  bool HasExclusiveWork() const { return exclusive_.busy(); }
  /// The session that runs, until it has its final state; nullptr without one. Checks no caller's
  /// right to see it.
  const SessionRecord* Running() const;
  /// Waits until something has changed: a session's state, whose turn it is, the end.
  asio::awaitable<void> Changed() { return changed_.Wait(); }
  /// `told` is called at each of these moments, in the middle of the queue's work: it may look and
  /// note, no more.
  [[nodiscard]] Signal::Subscription OnChange(std::function<void()> told) {
    return changed_.Subscribe(std::move(told));
  }
  /// Whether somebody may have the machine for work by hand for so long.
  /// @errors kResourceExhausted: more than is left of their time of today.
  Result<void> CheckMayReserve(const Caller& caller, Nanoseconds wanted) const;
  /// Somebody holds the machine for work by hand, or nobody any more: for Status(), and as that
  /// user's time of today.
  void SetReserved(std::optional<std::uint32_t> uid);
  /// A client has made the daemon do something, maybe while a child was measured. For who takes
  /// calls in (rpc/endpoint.h): no method here notes its own.
  void NoteDisturbance() { disturbances_.Note(services_.clock.Steady()); }

  /// Pauses, drains or resumes, for admins; committed when it answers.
  asio::awaitable<Result<QueueStatus>> SetMode(Caller caller, QueueMode mode);
  QueueStatus Status() const;
  /// What of the limits of sessions is taken by `uid`, or by each user who takes any of it.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

  const AccessPolicy& access() const { return policy_.access; }

  /// See FairQueue::orders_computed().
  std::uint64_t orders_computed() const { return waiting_.orders_computed(); }

  /// True when nothing runs and nothing waits; for the idle exit of a user daemon.
  bool Idle() const;

 private:
  using RequestKey = std::pair<std::uint32_t, std::string>;  // uid, the client's request id
  class Submitting;
  class Admitting;

  Result<void> CheckTakesSessions(const SessionSpec& spec) const;
  asio::awaitable<Result<SessionSnapshot>> Admit(SessionRecord record, BundleUpload* bundle);
  asio::awaitable<Result<void>> KeepFailed(SessionSnapshot failed);
  asio::awaitable<Result<void>> NoteCancel(SessionSnapshot snapshot, Caller caller);
  asio::awaitable<Result<SessionSnapshot>> CancelWaiting(SessionSnapshot snapshot, Caller caller);
  asio::awaitable<std::optional<Error>> NoteInterruption(SessionSnapshot snapshot);

  asio::awaitable<Result<SessionId>> LookUp(Caller caller, std::string prefix,
                                            std::stop_token gone = {});
  asio::awaitable<Result<std::optional<SessionId>>> OfRequest(std::uint32_t uid,
                                                              std::string request_id);
  void Register(std::uint64_t key, SessionRecord record);
  void Enqueue(const SessionId& id);
  void Progress(const SessionSnapshot& snapshot);
  void TakeEnd(SessionSnapshot snapshot);
  SessionSnapshot Newest(SessionSnapshot snapshot);
  std::optional<Nanoseconds> UntilFree() const;
  void SetPlace(SessionSnapshot& told, const Place& place,
                std::optional<Nanoseconds> until_free) const;
  void PublishPlaces(bool even_unmoved = false);

  asio::awaitable<void> RunOne(SessionId id);
  asio::awaitable<void> Prune();
  void SetAlarm();

  Services services_;
  const QueuePolicy policy_;
  Signal changed_;
  Signal admitted_;  // a submission has left Admit()
  SessionRegistry registry_;
  FairQueue waiting_;
  ExclusiveSlot exclusive_;
  DisturbanceLog disturbances_;
  CurrentSession current_;
  std::optional<SessionId> running_;
  std::multiset<RequestKey> submitting_;
  std::map<std::uint32_t, std::uint64_t> admitting_;  // by uid: submissions in Admit()
  std::set<SessionId> ending_;               // no longer waiting, their end not yet committed
  std::map<SessionId, std::uint64_t> told_;  // positions that watchers were told at last
  asio::steady_timer alarm_;                 // when somebody may begin sessions again
  std::optional<std::uint32_t> reserved_by_;
  Timestamp reserved_since_{};
  QueueMode mode_;
  bool prune_due_ = true;
  bool stopping_ = false;
};

}  // namespace benchd
