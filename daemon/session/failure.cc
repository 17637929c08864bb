#include "daemon/session/failure.h"

#include <cstring>
#include <string>
#include <utility>

namespace benchd {
namespace {

const Arm& ArmAt(const RunPlace& place) {
  return place.spec.benchmarks[place.planned.benchmark].arms[place.planned.arm];
}

FailedRun FailedRunAt(const RunPlace& place) {
  return FailedRun{.benchmark = place.spec.benchmarks[place.planned.benchmark].name,
                   .arm = ArmAt(place).name,
                   .block = place.block,
                   .phase = place.phase,
                   .exit_code = {},
                   .signal = {},
                   .stderr_tail = {}};
}

std::string FormatSeconds(Nanoseconds duration) {
  std::string text = std::to_string(Seconds(duration));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

/// What went wrong with the child, without the place; empty when nothing did.
std::string DescribeExit(const RunPlace& place, const RunExit& exit) {
  if (exit.timed_out) {
    return "did not end within " + FormatSeconds(place.spec.limits.timeout) +
           " and was killed with all its children";
  }
  if (exit.signal != 0) {
    return "was killed by signal " + std::to_string(exit.signal) + " (" + strsignal(exit.signal) +
           ")";
  }
  if (exit.code != 0) return "exited with code " + std::to_string(exit.code);
  return {};
}

std::string HintFor(const RunOutcome& outcome) {
  if (!outcome.limit.empty()) {
    return "the limits are the administrator's: [children] of the configuration, memory_limit of "
           "the machine profile";
  }
  if (outcome.exit.timed_out) return "raise --timeout if the program needs longer";
  return "run the command by hand, or use --ignore-failure to count such runs like any other";
}

}  // namespace

std::string DescribePlace(const RunPlace& place) {
  std::string text;
  if (place.spec.benchmarks.size() > 1) {
    text += place.spec.benchmarks[place.planned.benchmark].name + "/";
  }
  text += ArmAt(place).name;
  text += place.phase == RunPhase::kWarmup ? ", warm-up block " : ", block ";
  return text + std::to_string(place.block);
}

Failure LaunchFailure(const RunPlace& place, Error error) {
  return Failure{std::move(error).Within(DescribePlace(place)), FailedRunAt(place)};
}

std::optional<Failure> ExitFailure(const RunPlace& place, const RunOutcome& outcome) {
  std::string what = DescribeExit(place, outcome.exit);
  if (what.empty()) return std::nullopt;
  if (!outcome.limit.empty()) what = outcome.limit + " and " + what;
  FailedRun run = FailedRunAt(place);
  run.stderr_tail = outcome.stderr_tail;
  if (outcome.exit.signal != 0) {
    run.signal = outcome.exit.signal;
  } else if (!outcome.exit.timed_out) {
    run.exit_code = outcome.exit.code;
  }
  const ErrorCode code =
      outcome.exit.timed_out ? ErrorCode::kDeadlineExceeded : ErrorCode::kFailedPrecondition;
  return Failure{Error{code, DescribePlace(place) + ": " + what, HintFor(outcome)}, std::move(run)};
}

}  // namespace benchd
