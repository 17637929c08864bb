#pragma once

#include <asio/awaitable.hpp>
#include <functional>

#include "core/base/result.h"
#include "core/model/session.h"
#include "daemon/ports/ports.h"
#include "daemon/session/cancel_token.h"
#include "daemon/session/session_notes.h"
#include "daemon/store/store.h"

namespace benchd {

/// Whether the statistics can do what the spec asks; what RunSession would fail with, said at
/// submit.
Result<void> CheckStatistics(const SessionSpec& spec);

/// What a session needs of the outside. References outlive the session.
struct SessionServices {
  Runner& runner;
  Store& store;
  const Clock& clock;
  DisturbanceLog& disturbances;
  CancelToken& cancel;
  /// Told every new state; the queue stores and publishes it.
  std::function<void(const SessionSnapshot&)> publish;
};

/// One session from `preparing` to a final state: machine, children, warm-up, blocks, verdict.
///
/// Reads like the data flow and never throws; the final snapshot says how it ended. Watchers see a
/// block only after the store has committed it. A record with `started_at` goes on from its stored
/// runs; an interrupted session (CancelToken::Interrupt) answers a snapshot that is not final, from
/// which it can do so.
asio::awaitable<SessionSnapshot> RunSession(SessionServices services, SessionRecord record);

}  // namespace benchd
