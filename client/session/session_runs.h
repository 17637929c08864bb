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

/// Returns a complete session.
///
/// @param id  the ID or a unique prefix of it
Result<v1::Session> GetSession(DaemonLink& link, const std::string& id, bool with_log = false);

/// Returns the ID of the caller's newest session.
///
/// @errors (exit 2) the caller has none.
Result<std::string> NewestSession(DaemonLink& link);

/// Returns the session that the command line names, else the caller's newest one.
Result<v1::Session> NamedSession(DaemonLink& link, const CommandContext& context,
                                 bool with_log = false);

/// Returns the error for a command that needs the result of a session that has not ended.
Error NotEnded(const v1::Session& session);

/// Calls `take` with each run of a session, in order.
Result<void> ReadRuns(DaemonLink& link, const v1::ListSamplesRequest& request,
                      const std::function<void(v1::Run&&)>& take);

/// The data to read from the runs of a session.
struct RunsWanted {
  bool measured = false;  ///< the measured runs
  bool warmup = false;    ///< the warm-up runs as well, with `measured`
  bool columns = false;   ///< the properties of metrics that the harness reported
  bool stacks = false;    ///< the sampled stacks of the runs, with `measured`
};

struct RunsOfSession {
  std::vector<v1::Run> measured;
  /// Empty for a session that has not ended, because its metrics may still change.
  std::vector<TableColumn> columns;
};

/// Reads the wanted data in a single pass over the runs. Without any, does not read the runs.
///
/// @param session  needs its spec and report
/// @errors (exit 2, 5) the daemon does not return the runs.
Result<RunsOfSession> ReadRunsOf(DaemonLink& link, const v1::Session& session, RunsWanted wanted);

}  // namespace benchd::client
