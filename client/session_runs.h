#pragma once

#include <functional>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/daemon_link.h"
#include "client/exit_code.h"
#include "core/analysis/arm_pairs.h"

namespace benchd::client {

/// One session, whole.
///
/// @param id  or a unique prefix of it
Result<v1::Session> GetSession(DaemonLink& link, const std::string& id, bool with_log = false);

/// The ID of the caller's newest session.
/// @errors (exit 2) the caller has none.
Result<std::string> NewestSession(DaemonLink& link);

/// Hands every run of a session on, in their order.
Result<void> ReadRuns(DaemonLink& link, const v1::ListSamplesRequest& request,
                      const std::function<void(v1::Run&&)>& take);

/// The candidates of an ended session among each other, computed here from its runs: of each
/// benchmark with several candidates, in the metric of its first gate. Nothing is read for another
/// session.
///
/// @param session  with its spec and report
/// @errors (exit 2, 5) the daemon does not give the runs.
Result<std::vector<ArmPairs>> ReadArmPairs(DaemonLink& link, const v1::Session& session);

}  // namespace benchd::client
