#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/command.h"
#include "client/app/exit_code.h"
#include "client/link/daemon_link.h"
#include "client/present/csv.h"

namespace benchd::client {

/// One session, whole.
///
/// @param id  or a unique prefix of it
Result<v1::Session> GetSession(DaemonLink& link, const std::string& id, bool with_log = false);

/// The ID of the caller's newest session.
/// @errors (exit 2) the caller has none.
Result<std::string> NewestSession(DaemonLink& link);

/// The session that the command line names, or the caller's newest.
Result<v1::Session> NamedSession(DaemonLink& link, const CommandContext& context,
                                 bool with_log = false);

/// For what needs a result that is not there yet.
Error NotEnded(const v1::Session& session);

/// Hands every run of a session on, in their order.
Result<void> ReadRuns(DaemonLink& link, const v1::ListSamplesRequest& request,
                      const std::function<void(v1::Run&&)>& take);

/// What is wanted of the runs of a session.
struct RunsWanted {
  bool measured = false;  ///< those that were measured
  bool warmup = false;    ///< those before them as well
  bool columns = false;   ///< what its harness says of its metrics
};

struct RunsOfSession {
  std::vector<v1::Run> measured;
  /// Of a session that has ended: only then do they stay as they are.
  std::vector<TableColumn> columns;
};

/// Reads the runs of a session once for all that is wanted, and not at all where nothing is.
///
/// @param session  with its spec and report
/// @errors (exit 2, 5) the daemon does not give the runs.
Result<RunsOfSession> ReadRunsOf(DaemonLink& link, const v1::Session& session, RunsWanted wanted);

}  // namespace benchd::client
