#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <deque>
#include <string>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session.h"
#include "daemon/queue/side_turns.h"
#include "daemon/store/store.h"

namespace benchd {

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

/// Who did something, for the history: "uid 1000 (pid 123)".
std::string NameOf(const Caller& caller);

/// What a new state is called in the history: "running", "done: pass", "failed: base, block 3:
/// ...".
/// @param canceller  who asked for it, where the state is `cancelled`.
std::string DescribeState(const SessionSnapshot& snapshot, const std::string& canceller);

/// Of a session that will go on: benchd said so when it was stopped, or found out afterwards.
inline constexpr const char* kInterruptedByStop = "interrupted: benchd was stopped";
inline constexpr const char* kInterruptedByEnd = "interrupted: benchd ended while it ran";

}  // namespace benchd
