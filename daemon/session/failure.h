#pragma once

#include <optional>

#include "daemon/model/run.h"
#include "daemon/model/session.h"
#include "daemon/ports/launcher.h"
#include "daemon/schedule/block_order.h"

namespace benchd {

/// Where in a session a run stands, for messages.
struct RunPlace {
  const SessionSpec& spec;
  PlannedRun planned;
  RunPhase phase = RunPhase::kMeasured;
  std::uint64_t block = 0;
};

/// The failure of a run that could not be measured at all (no such program, runner died, ...).
Failure LaunchFailure(const RunPlace& place, Error error);

/// The failure of a run whose child ended badly, or nothing when it ended well.
std::optional<Failure> ExitFailure(const RunPlace& place, const RunOutcome& outcome);

/// "candidate, block 3" or, with several benchmarks, "parse/candidate, warm-up block 0".
std::string DescribePlace(const RunPlace& place);

}  // namespace benchd
