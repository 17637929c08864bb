#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "daemon/ports/ports.h"
#include "daemon/schedule/schedule.h"

namespace benchd {

/// Where in a session a run stands, for messages.
struct RunPlace {
  const SessionSpec& spec;
  PlannedRun planned;
  RunPhase phase = RunPhase::kMeasured;
  std::uint64_t block = 0;
};

/// What somebody would run to see a failure with their own eyes.
struct ByHand {
  std::vector<std::string> argv;
  std::string folder;
  std::string instead;  ///< what helps more than running `argv`; else empty
};

/// The failure of a run that could not be measured at all (no such program, runner died, ...).
Failure LaunchFailure(const RunPlace& place, Error error);

/// The failure of an arm whose program cannot be found or executed: that of its first run.
Failure ProgramFailure(const SessionSpec& spec, std::uint32_t benchmark, std::uint32_t arm,
                       Error error);

/// How a run ended: its child, or where that ended well what a harness timed in it. A way to end
/// that has no number is -1.
RunExit ExitOf(const RunOutcome& outcome);

/// The failure of a run whose child, or what that timed, ended badly; nothing when all ended well.
std::optional<Failure> ExitFailure(const RunPlace& place, const RunOutcome& outcome);

/// The failure of a hook that ended badly, or nothing; `place` is "setup" or "prepare of base,
/// block 3". Its `run` has only what is known of the child.
std::optional<Failure> HookFailure(const std::string& place, Nanoseconds timeout,
                                   const RunOutcome& outcome, const ByHand& by_hand);

/// Completes what HookFailure() left out, for a hook of a run.
void SetRunPlace(const RunPlace& place, FailedRun& run);

/// What somebody printed, under a line that says who; empty for nothing.
std::string LogOf(const std::string& place, const std::string& output);

/// "candidate, block 3" or, with several benchmarks, "parse/candidate, warm-up".
std::string DescribePlace(const RunPlace& place);

}  // namespace benchd
