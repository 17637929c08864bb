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
#include "daemon/queue/current_session.h"
#include "daemon/queue/exclusive_slot.h"
#include "daemon/queue/fair_queue.h"
#include "daemon/queue/session_registry.h"
#include "daemon/session/disturbance_log.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/ports.h"
#include "daemon/session/run_session.h"
#include "daemon/store/store.h"

namespace benchd {

/// The queue's settings from the configuration.
struct QueuePolicy {
  AccessPolicy access;
  UserLimits limits;
  RetentionPolicy keep;
  /// The maximum number of turns for other work between two sessions.
  std::uint64_t machine_turns = Budgets().At(Limit::kMachineTurns);
  /// The maximum number of a user's submissions whose programs are looked up at the same time.
  /// Further submissions wait.
  std::uint64_t helpers_a_user = Budgets().At(Limit::kHelpersAUser);
  /// The maximum number of pairs of a session.
  std::uint64_t max_pairs = Budgets().At(Limit::kPairs);
};

/// The state of the queue.
struct QueueStatus {
  QueueMode mode;
  std::uint64_t queued = 0;
  std::optional<SessionId> running;
  std::optional<std::uint32_t> reserved_by;  ///< uid of the user who holds the machine
  std::uint64_t changes = 0;                 ///< increases with every change of the queue
};

/// Admits and orders sessions, checks permissions, and runs one session at a time. Lives on the
/// loop's thread.
///
/// Every method takes the caller from the connection. Without permission it returns
/// kPermissionDenied, or kNotFound if the caller may not even know that the session exists. An ID
/// may be any unique prefix. The queue outlives the coroutines that run on its executor, because
/// main.cc ends the loop first.
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

  /// Loads the stored state. Queued sessions keep their places, a session that was running comes
  /// first and resumes, and pause and drain persist.
  /// @return the store's warnings, one sentence each
  asio::awaitable<Result<std::vector<std::string>>> Load();

  /// Runs one session after the other until Stop(), which interrupts the running session. That
  /// session resumes at the next start of benchd.
  asio::awaitable<void> Work();
  void Stop();

  /// Checks the spec and its requirements of the machine, looks its programs up as the caller,
  /// commits the session and queues it. A session whose program cannot be found or executed is also
  /// committed; it has failed when this function returns.
  /// @param bundle      the bundle to build from, or null; must outlive the coroutine
  /// @param await_disk  whether to return only when the session would survive a power loss. It may
  ///                    begin before.
  asio::awaitable<Result<SessionSnapshot>> Submit(SessionSpec spec, std::string request_id,
                                                  BundleUpload* bundle = nullptr,
                                                  bool await_disk = true);
  /// Returns whether this request of the caller has already become a session.
  asio::awaitable<Result<bool>> Knows(Caller caller, std::string request_id);

  /// Returns whether a session of the caller has ended. Does not compute its place in the queue.
  asio::awaitable<bool> HasEnded(Caller caller, std::string id_prefix);
  /// Returns the state of a session, without its environment. Does not suspend for a session that
  /// has not ended, so a caller that subscribes in the same turn of the loop misses no change.
  /// @param gone  here and below: requested when the client no longer waits (see Store::Ask()).
  asio::awaitable<Result<SessionRecord>> Get(Caller caller, std::string id_prefix,
                                             std::stop_token gone = {});
  /// Returns everything that is stored about a session, with its newest state.
  asio::awaitable<Result<SessionDetails>> Show(Caller caller, std::string id_prefix,
                                               std::stop_token gone = {});
  /// Returns the sessions that match the filter, newest first. Every user can list all sessions,
  /// but only admins can filter the sessions of other users by label: `filter.owner` is set
  /// accordingly.
  asio::awaitable<Result<std::vector<SessionView>>> List(Caller caller, SessionFilter filter,
                                                         std::stop_token gone = {});
  /// Returns the same as Get() for a listed session, without a check of permissions.
  asio::awaitable<Result<SessionRecord>> Read(SessionId id, std::stop_token gone = {});
  /// Cancels a session. Returns when it has ended and its children have exited; a session that has
  /// already ended does not change.
  /// @errors kResourceExhausted: the disk has no room to store the end, so the session stays
  /// queued.
  asio::awaitable<Result<SessionSnapshot>> Cancel(Caller caller, std::string id_prefix);

  /// Changes the priority of a queued session. Its owner may lower it. Only admins may raise it,
  /// even back to 0, because other users rely on the lowered priority. The present priority is
  /// accepted and changes nothing.
  /// @errors kFailedPrecondition if the session no longer waits, or its history is full.
  asio::awaitable<Result<SessionSnapshot>> Move(Caller caller, std::string id_prefix,
                                                std::int32_t priority);

  /// Returns whether a session that has not ended already has `priority`, so that Move() would
  /// change nothing.
  asio::awaitable<bool> HasPriority(Caller caller, std::string id_prefix, std::int32_t priority);

  /// Requests a turn for work other than sessions. Calls `begin` when the turn comes, never while a
  /// session runs; no session starts before the Turn is released.
  [[nodiscard]] ExclusiveSlot::Turn AcquireExclusive(std::function<void()> begin) {
    return exclusive_.Acquire(std::move(begin));
  }
  /// Waits for a turn and returns it.
  /// @errors kUnavailable if benchd stops first.
  asio::awaitable<Result<ExclusiveSlot::Turn>> AwaitExclusive();
  /// Returns whether such a turn is in progress.
  bool HasExclusiveWork() const { return exclusive_.busy(); }
  /// Returns the running session, or nullptr if no session runs or it has its final state. Does not
  /// check permissions.
  const SessionRecord* Running() const;
  /// Waits until a session's state or the turn has changed, or benchd stops.
  asio::awaitable<void> Changed() { return changed_.Wait(); }
  /// Calls `told` at each of these changes, in the middle of the queue's work: it may read and
  /// record the state, but must not change it.
  [[nodiscard]] Signal::Subscription OnChange(std::function<void()> told) {
    return changed_.Subscribe(std::move(told));
  }
  /// Checks whether the caller may reserve the machine for manual work for the time `wanted`.
  /// @errors kResourceExhausted: this is more than the caller's remaining time for today.
  Result<void> CheckMayReserve(const Caller& caller, Nanoseconds wanted) const;
  /// Records which user has reserved the machine, or that the reservation has ended. Status() shows
  /// the user, and the time counts towards the user's limit for today.
  void SetReserved(std::optional<std::uint32_t> uid);
  /// Records that a client has caused work in the daemon, possibly while a child was measured.
  /// Called by rpc/endpoint.h for each incoming call; the methods of this class do not call it.
  void NoteDisturbance() { disturbances_.Note(services_.clock.Steady()); }

  /// Pauses, drains or resumes the queue; only for admins. The mode is committed on return.
  asio::awaitable<Result<QueueStatus>> SetMode(Caller caller, QueueMode mode);
  QueueStatus Status() const;
  /// Returns how much of the session limits `uid` uses, or each user who uses any of them.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

  const AccessPolicy& access() const { return policy_.access; }

  /// See FairQueue::orders_computed().
  std::uint64_t orders_computed() const { return waiting_.orders_computed(); }

  /// Returns true if no session runs or waits; for the idle exit of a user daemon.
  bool Idle() const;

 private:
  using RequestKey = std::pair<std::uint32_t, std::string>;  // uid, the client's request id
  class Submitting;
  class Admitting;

  Result<void> CheckTakesSessions(const SessionSpec& spec) const;
  asio::awaitable<Result<SessionSnapshot>> Admit(SessionRecord record, BundleUpload* bundle);
  asio::awaitable<Result<void>> KeepFailed(SessionSnapshot failed);
  asio::awaitable<Result<void>> AwaitDisk(Caller caller, SessionId submitted);
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
  std::set<SessionId> ending_;               // no longer waiting; the end is not committed yet
  std::map<SessionId, std::uint64_t> told_;  // positions last sent to watchers
  asio::steady_timer alarm_;                 // when the next hold of a user ends
  std::optional<std::uint32_t> reserved_by_;
  Timestamp reserved_since_{};
  QueueMode mode_;
  bool prune_due_ = true;
  bool stopping_ = false;
};

}  // namespace benchd
