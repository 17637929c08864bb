#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session.h"
#include "daemon/ports/runner.h"
#include "daemon/ports/sources.h"
#include "daemon/queue/state_writer.h"
#include "daemon/session/run_session.h"
#include "daemon/store/store.h"

namespace benchd {

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
