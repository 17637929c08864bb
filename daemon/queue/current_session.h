#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <deque>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session.h"
#include "daemon/ports/ports.h"
#include "daemon/queue/exclusive_slot.h"
#include "daemon/session/run_session.h"
#include "daemon/store/store.h"

namespace benchd {

/// Who did something, for the history: "uid 1000 (pid 123)".
std::string NameOf(const Caller& caller);

/// What a new state is called in the history: "running", "done: pass", "failed: base, block 3:
/// ...".
/// @param canceller  who asked for it, where the state is `cancelled`.
std::string DescribeState(const SessionSnapshot& snapshot, const std::string& canceller);

/// Of a session that will go on: benchd said so when it was stopped, or found out afterwards.
inline constexpr const char* kInterruptedByStop = "interrupted: benchd was stopped";
inline constexpr const char* kInterruptedByEnd = "interrupted: benchd ended while it ran";

/// Commits the states of the session that runs, each after those before it.
///
/// The session does not wait for the states on its way: one of them that cannot be stored is no
/// reason to stop measuring. What finds no room on a full disk is kept here and stored when there
/// is some; any other error is dropped, as the states after it will say it again. Owned by
/// CurrentSession, on the loop's thread; outlives its coroutines.
class StateWriter {
 public:
  StateWriter(asio::any_io_executor executor, Store& store)
      : executor_(executor), store_(store), written_(executor) {}

  /// Commits it soon.
  void Note(SessionSnapshot snapshot, HistoryEntry entry);

  /// Commits it now. @errors those of Records::Update().
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

/// The one session that runs, from its record in the store to an end that is committed.
///
/// Around RunSession() it keeps each state it goes through, ends it early when asked to, and waits
/// for room when the disk is too full for the verdict. Owned by the queue, on the loop's thread.
class CurrentSession {
 public:
  struct Services {
    Runner& runner;
    Store& store;
    const Clock& clock;
    DisturbanceLog& disturbances;
  };
  /// Told every state on the way; not the last one, which is the answer of Run().
  using Tell = std::function<void(const SessionSnapshot&)>;

  CurrentSession(asio::any_io_executor executor, Services services, Tell tell);

  /// Runs one session, which stands as `known` says. One at a time.
  /// @return how it ended, committed; after Stop() maybe a state that is not final.
  asio::awaitable<SessionSnapshot> Run(SessionSnapshot known);

  /// Ends the session that runs; who asked first has cancelled it.
  void Cancel(const Caller& by);
  /// Interrupts the session that runs, unless it is being cancelled; none runs afterwards.
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
  SessionSnapshot known_;  // the newest that was told
  bool stopping_ = false;
};

}  // namespace benchd
