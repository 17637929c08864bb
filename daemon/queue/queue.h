#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/base/session_id.h"
#include "daemon/model/session.h"
#include "daemon/ports/clock.h"
#include "daemon/ports/launcher.h"
#include "daemon/ports/machine.h"
#include "daemon/ports/random_source.h"
#include "daemon/ports/sample_store.h"
#include "daemon/ports/session_archive.h"
#include "daemon/queue/access.h"
#include "daemon/queue/side_turns.h"
#include "daemon/queue/signal.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/run_session.h"

namespace benchd {

using QueuePolicy = AccessPolicy;

/// How the queue stands.
struct QueueStatus {
  bool paused = false;
  bool draining = false;
  std::uint64_t queued = 0;
  std::optional<SessionId> running;
  std::optional<std::uint32_t> reserved_by;  ///< uid of who holds the machine: sessions wait
};

/// What List() is asked for.
struct SessionFilter {
  bool all = false;  ///< ended ones too
  std::optional<SessionState> state;
  std::map<std::string, std::string> labels;  ///< all must match
};

/// A session as somebody may see it; `visible` is false for others': then only id, uid and state
/// count.
struct SessionView {
  SessionRecord record;
  bool visible = true;
};

/// Admission, order, who may, and the one session that runs. Lives on the loop's thread.
///
/// Every method takes the caller from the connection and answers kPermissionDenied or, where even
/// the existence is none of theirs, kNotFound. An id may be any unique prefix. The queue outlives
/// the coroutines that run on its executor: main.cc ends the loop first.
class Queue {
 public:
  struct Services {
    Launcher& launcher;
    Machine& machine;
    SampleStore& store;
    SessionArchive& archive;
    const Clock& clock;
    RandomSource& random;
    EventHub& hub;
  };

  Queue(asio::any_io_executor executor, Services services, QueuePolicy policy);

  /// Loads the archive: queued sessions keep their place, one that was running has failed.
  asio::awaitable<Result<void>> Load();

  /// Takes sessions one after the other until Stop(); the one that runs then is cancelled.
  asio::awaitable<void> Work();
  void Stop();

  /// Checks the spec and what it wants of the machine, looks its programs up as the caller, commits
  /// it and queues it. A session whose program cannot be found or executed is committed, too, and
  /// has failed when this answers.
  asio::awaitable<Result<SessionSnapshot>> Submit(SessionSpec spec, std::string request_id);

  Result<SessionRecord> Get(const Caller& caller, const std::string& id_prefix) const;
  std::vector<SessionView> List(const Caller& caller, const SessionFilter& filter) const;
  /// Answers when the session has ended and its children are gone.
  asio::awaitable<Result<SessionSnapshot>> Cancel(Caller caller, std::string id_prefix);

  /// For work beside the sessions: `begin` is called when it may be done, which is never while a
  /// session runs; until the Turn is given up no session starts.
  [[nodiscard]] SideTurns::Turn AskForTurn(std::function<void()> begin) {
    return turns_.Ask(std::move(begin));
  }
  /// The same for a coroutine: the turn, when it has come.
  /// @errors kUnavailable when benchd stops first.
  asio::awaitable<Result<SideTurns::Turn>> AwaitTurn();
  /// Whether somebody has such a turn.
  bool SideWork() const { return turns_.busy(); }
  /// The session that runs, until it has its final state; nullptr without one. Not for clients:
  /// whose it is has not been asked.
  const SessionRecord* Running() const;
  /// Waits until something has changed: a session's state, whose turn it is, the end.
  asio::awaitable<void> Changed() { return changed_.Wait(); }
  /// Somebody holds the machine for work by hand, or nobody any more; for Status().
  void SetReserved(std::optional<std::uint32_t> uid) { reserved_by_ = uid; }
  /// A client has made the daemon do something, maybe while a child was measured.
  void NoteDisturbance() { disturbances_.Note(services_.clock.Steady()); }

  Result<QueueStatus> SetPaused(const Caller& caller, bool paused, bool draining);
  QueueStatus Status() const;

  /// True when nothing runs and nothing waits; for the idle exit of a user daemon.
  bool Idle() const;

 private:
  /// A waiting session; the order of Places is the order of running: priority, then submission.
  struct Place {
    std::int32_t priority;
    std::uint64_t sequence;
    SessionId id;
    bool operator<(const Place& other) const {
      if (priority != other.priority) return priority > other.priority;
      return sequence < other.sequence;
    }
  };
  using RequestKey = std::pair<std::uint32_t, std::string>;  // uid, the client's request id

  Result<SessionId> Find(const Caller& caller, const std::string& prefix) const;
  asio::awaitable<Result<void>> Admit(SessionRecord record);
  asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(SessionSpec* spec);
  SessionId FreshId();
  void Enqueue(SessionRecord record, bool waits);
  void Dequeue(const SessionId& id);
  void UpdatePositions();
  asio::awaitable<void> RunOne(SessionId id);
  void Progress(const SessionSnapshot& snapshot);
  asio::awaitable<void> Archive(SessionSnapshot snapshot);
  asio::awaitable<void> Finish(SessionSnapshot snapshot);

  asio::any_io_executor executor_;
  Services services_;
  QueuePolicy policy_;
  Signal changed_;
  std::map<SessionId, SessionRecord> sessions_;
  std::map<SessionId, std::uint64_t> sequence_;  // of submission
  std::vector<SessionId> by_submission_;
  std::map<RequestKey, SessionId> requests_;
  std::multiset<RequestKey> submitting_;
  std::set<Place> waiting_;
  SideTurns turns_{changed_};
  std::optional<SessionId> running_;
  CancelToken cancel_;  // of the running session
  DisturbanceLog disturbances_;
  std::optional<std::uint32_t> reserved_by_;
  bool paused_ = false;
  bool draining_ = false;
  bool stopping_ = false;
};

}  // namespace benchd
