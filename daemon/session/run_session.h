#pragma once

#include <asio/awaitable.hpp>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/session/services.h"

namespace benchd {

/// Checks whether the statistics support the requests of the spec. Called at submission to report
/// the error with which RunSession would fail.
Result<void> CheckStatistics(const SessionSpec& spec);

/// Runs one session from `preparing` to a final state: machine, children, warm-up, blocks, verdict.
///
/// The code follows the data flow and never throws; the final snapshot states how the session
/// ended. Watchers see a block only after the store has committed it. A record with `started_at`
/// resumes from its stored runs. An interrupted session (CancelToken::Interrupt) returns a snapshot
/// that is not final, from which it can resume.
asio::awaitable<SessionSnapshot> RunSession(SessionServices services, SessionRecord record);

}  // namespace benchd
