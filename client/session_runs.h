#pragma once

#include <functional>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/daemon_link.h"
#include "client/exit_code.h"
#include "core/analysis/arm_pairs.h"

namespace benchd::client {

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
