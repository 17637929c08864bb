#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "daemon/session/ports.h"
#include "daemon/session/schedule.h"

namespace benchd {

/// A command with which a user can reproduce a failure.
struct ByHand {
  std::vector<std::string> argv;
  std::string folder;
  std::string instead;  ///< a hint to print instead of `argv`, or empty
};

/// Returns the failure of a run that could not be measured (no such program, runner died, ...).
Failure LaunchFailure(const SessionSpec& spec, const RunPlace& place, Error error);

/// Returns the failure of an arm whose program cannot be found or executed, as a failure of its
/// first run.
Failure ProgramFailure(const SessionSpec& spec, std::uint32_t benchmark, std::uint32_t arm,
                       Error error);

/// Returns the exit of a run's child or, if the child succeeded, of a program that a harness timed
/// in it. The code is -1 if such a program exited without one.
RunExit ExitOf(const RunOutcome& outcome);

/// Returns the failure of a run whose child, or a program timed in it, failed; empty if all
/// succeeded.
std::optional<Failure> ExitFailure(const SessionSpec& spec, const RunPlace& place,
                                   const RunOutcome& outcome);

/// Returns the failure of a hook, or nothing if it succeeded. The `place` is "setup" or "prepare of
/// base, block 3". The failure's `run` contains only facts about the child.
std::optional<Failure> HookFailure(const std::string& place, Nanoseconds timeout,
                                   const RunOutcome& outcome, const ByHand& by_hand);

/// Completes the failure of a run's hook with the place of the run.
void SetRunPlace(const SessionSpec& spec, const RunPlace& place, FailedRun& run);

/// Returns the output below a line that names its source; empty if there is no output.
std::string LogOf(const std::string& place, const std::string& output);

/// Returns "candidate, block 3" or, with several benchmarks, "parse/candidate, warm-up".
std::string DescribePlace(const SessionSpec& spec, const RunPlace& place);

}  // namespace benchd
