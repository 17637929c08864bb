#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/limits.h"
#include "core/model/session.h"
#include "daemon/queue/exclusive_slot.h"
#include "daemon/session/disturbance_log.h"
#include "daemon/session/ports.h"
#include "daemon/session/run_session.h"
#include "daemon/store/store.h"

namespace benchd {

/// Returns the caller's name for the history: "uid 1000 (pid 123)".
std::string NameOf(const Caller& caller);

/// Returns the text for a new state in the history: "running", "done: pass", "failed: base, block
/// 3: ...".
/// @param canceller  the caller who cancelled the session, for the state `cancelled`.
std::string DescribeState(const SessionSnapshot& snapshot, const std::string& canceller);

/// History entries of a session that will resume: written at a stop, or at the next start.
inline constexpr const char* kInterruptedByStop = "interrupted: benchd was stopped";
inline constexpr const char* kInterruptedByEnd = "interrupted: benchd ended while it ran";

/// Commits the states of the running session in order.
///
/// The session does not wait for intermediate states, because a failure to store one must not stop
/// the measurement. On a full disk, states are kept here and stored when there is room. Other
/// errors are dropped, because later states repeat the information. Owned by CurrentSession, on the
/// loop's thread; outlives its coroutines.
class StateWriter {
 public:
  StateWriter(asio::any_io_executor executor, Store& store)
      : executor_(executor), store_(store), written_(executor) {}

  /// Commits the state later, without waiting.
  void Note(SessionSnapshot snapshot, HistoryEntry entry);

  /// Commits the state now. @errors those of Records::Update().
  asio::awaitable<Result<void>> Commit(SessionSnapshot snapshot, HistoryEntry entry);

 private:
  struct State {
    SessionSnapshot snapshot;
    HistoryEntry entry;
  };

  asio::awaitable<void> WriteSoon();
  asio::awaitable<Result<void>> WriteNoted();

  asio::any_io_executor executor_;
  Store& store_;
  Signal written_;
  std::deque<State> noted_;
  bool writing_ = false;
};

/// The running session, from its record in the store to its committed end.
///
/// Runs RunSession(), stores each state, ends the session early on request, and waits for room if
/// the disk is too full for the verdict. Owned by the queue, on the loop's thread.
class CurrentSession {
 public:
  struct Services {
    Runner& runner;
    Store& store;
    const Clock& clock;
    DisturbanceLog& disturbances;
    std::uint64_t max_pairs = Budgets().At(Limit::kPairs);  ///< of a session
  };
  /// Called with every intermediate state, but not with the last one, which Run() returns.
  using Tell = std::function<void(const SessionSnapshot&)>;

  CurrentSession(asio::any_io_executor executor, Services services, Tell tell);

  /// Runs a session from its state `known`; only one at a time.
  /// @return its committed final state; after Stop(), possibly a state that is not final.
  asio::awaitable<SessionSnapshot> Run(SessionSnapshot known);

  /// Cancels the running session; the first caller is recorded.
  void Cancel(const Caller& by);
  /// Interrupts the running session, unless it is being cancelled. No session runs afterwards.
  void Stop();

 private:
  asio::awaitable<SessionSnapshot> Execute(SessionRecord record);
  asio::awaitable<SessionSnapshot> CommitEnd(SessionSnapshot end);
  asio::awaitable<Result<void>> Keep(SessionSnapshot end);
  void Progress(const SessionSnapshot& snapshot);
  void PauseFor(const Error& full);

  Services services_;
  Tell tell_;
  StateWriter states_;
  CancelToken cancel_;
  std::string canceller_;  // for the history
  SessionSnapshot known_;  // the newest state that was passed to Tell
  bool stopping_ = false;
};

}  // namespace benchd
