#include "daemon/session/failure.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "core/base/printable.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"

namespace benchd {
namespace {

const Arm& ArmAt(const SessionSpec& spec, const RunPlace& place) {
  return spec.benchmarks[place.planned.benchmark].arms[place.planned.arm];
}

FailedRun FailedRunAt(const SessionSpec& spec, const RunPlace& place) {
  return FailedRun{.benchmark = spec.benchmarks[place.planned.benchmark].name,
                   .arm = ArmAt(spec, place).name,
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

/// Returns "'sleep 1' exited with code 3 in 2 of 10 runs".
std::string DescribeInner(const InnerExit& exit) {
  const std::string what =
      exit.inner_benchmark.empty() ? "a command that it timed" : Quoted(exit.inner_benchmark);
  return fmt::format(
      "{} {} in {} of {}", what,
      exit.code ? fmt::format("exited with code {}", *exit.code) : "was killed by a signal",
      exit.runs, Counted(exit.of_runs, "run"));
}

/// Describes the failure of the child, or of a program timed in it, without its place.
std::string DescribeExit(Nanoseconds timeout, const RunOutcome& outcome) {
  const RunExit& exit = outcome.exit;
  const std::string limit = outcome.limit.empty() ? "" : outcome.limit + " and ";
  if (exit.timed_out) {
    return fmt::format("{}timed out after {} and was killed with all its children", limit,
                       FormatSeconds(timeout));
  }
  if (exit.signal != 0) {
    return fmt::format("{}{}killed by signal {} ({})", limit, limit.empty() ? "" : "was ",
                       exit.signal, strsignal(exit.signal));
  }
  if (exit.code != 0 || outcome.inner_exits.empty()) {
    return fmt::format("{}exited with code {}", limit, exit.code);
  }
  return DescribeInner(outcome.inner_exits.front());
}

std::string HintFor(const RunOutcome& outcome, const ByHand& by_hand, const char* ignoring) {
  if (!outcome.limit.empty()) {
    return "administrators can change the limits: see [children] in benchd.toml, and memory_limit "
           "in the machine profile";
  }
  if (outcome.exit.timed_out) return "raise --timeout if the program needs longer";
  if (!by_hand.instead.empty()) return by_hand.instead;
  return "run `" + Join(by_hand.argv, " ", PastedWord) + "` in " + by_hand.folder + ignoring;
}

/// Completes `run` with the child's exit.
std::optional<Failure> FailureOf(const std::string& place, Nanoseconds timeout,
                                 const RunOutcome& outcome, FailedRun run, const ByHand& by_hand,
                                 const char* ignoring, std::span<const int> accepted) {
  if (ExitOf(outcome).Succeeded(accepted)) return std::nullopt;
  const std::string what = DescribeExit(timeout, outcome);
  if (outcome.exit.signal != 0) {
    run.signal = outcome.exit.signal;
  } else if (outcome.exit.code != 0 || (outcome.inner_exits.empty() && !outcome.exit.timed_out)) {
    run.exit_code = outcome.exit.code;
  } else if (!outcome.exit.timed_out) {
    run.exit_code = outcome.inner_exits.front().code;
  }
  const ErrorCode code =
      outcome.exit.timed_out ? ErrorCode::kDeadlineExceeded : ErrorCode::kFailedPrecondition;
  return Failure{Error{code, place + ": " + what, HintFor(outcome, by_hand, ignoring)},
                 std::move(run)};
}

/// The number of bytes at the end of a failing hook's output that become part of the failure.
constexpr std::size_t kTailBytes = 4096;
/// The size limit of an OutputKind::kLog.
constexpr std::size_t kLogBytes = std::size_t{1024} * 1024;

/// Returns the end of a hook's output, or of its stderr if the output exceeded the limit.
std::string TailOf(const RunOutcome& outcome) {
  if (outcome.output.empty() || outcome.output.size() >= kLogBytes) return outcome.stderr_tail;
  if (outcome.output.size() <= kTailBytes) return outcome.output;
  std::string tail = outcome.output.substr(outcome.output.size() - kTailBytes);
  const std::size_t line = tail.find('\n');
  if (line != std::string::npos && line + 1 < tail.size()) tail.erase(0, line + 1);
  return tail;
}

std::string ArmOf(const SessionSpec& spec, const RunPlace& place) {
  const bool several = spec.benchmarks.size() > 1;
  return (several ? spec.benchmarks[place.planned.benchmark].name + "/" : "") +
         ArmAt(spec, place).name;
}

std::string BlockOf(const RunPlace& place) {
  if (place.phase == RunPhase::kConfirming) {
    return fmt::format("block {} of the second phase", place.block);
  }
  if (place.phase != RunPhase::kWarmup) return fmt::format("block {}", place.block);
  return place.block == 0 ? "warm-up" : fmt::format("warm-up block {}", place.block);
}

std::string FailedAt(const SessionSpec& spec, const RunPlace& place) {
  return ArmOf(spec, place) + " failed in " + BlockOf(place);
}

}  // namespace

std::string DescribePlace(const SessionSpec& spec, const RunPlace& place) {
  return ArmOf(spec, place) + ", " + BlockOf(place);
}

Failure LaunchFailure(const SessionSpec& spec, const RunPlace& place, Error error) {
  return Failure{std::move(error).Within(FailedAt(spec, place)), FailedRunAt(spec, place)};
}

Failure ProgramFailure(const SessionSpec& spec, std::uint32_t benchmark, std::uint32_t arm,
                       Error error) {
  const RunPhase first = spec.schedule.warmup > 0 ? RunPhase::kWarmup : RunPhase::kMeasured;
  const RunPlace place{PlannedRun{.benchmark = benchmark, .arm = arm}, first, 0};
  if (ArmAt(spec, place).shell) {
    error = std::move(error).Within("shell");
    if (error.code == ErrorCode::kNotFound)
      error.hint = "install it, or give another: --shell=PATH";
  }
  return LaunchFailure(spec, place, std::move(error));
}

RunExit ExitOf(const RunOutcome& outcome) {
  RunExit exit = outcome.exit;
  if (exit.Succeeded() && !outcome.inner_exits.empty()) {
    exit.code = outcome.inner_exits.front().code.value_or(-1);
  }
  return exit;
}

std::optional<Failure> ExitFailure(const SessionSpec& spec, const RunPlace& place,
                                   const RunOutcome& outcome) {
  FailedRun run = FailedRunAt(spec, place);
  run.stderr_tail = outcome.stderr_tail;
  const Arm& arm = ArmAt(spec, place);
  return FailureOf(FailedAt(spec, place), spec.limits.timeout, outcome, std::move(run),
                   {arm.argv, arm.cwd, {}},
                   ", or use --ignore-failure to count such runs like any other",
                   spec.benchmarks[place.planned.benchmark].accept_exit);
}

std::optional<Failure> HookFailure(const std::string& place, Nanoseconds timeout,
                                   const RunOutcome& outcome, const ByHand& by_hand) {
  FailedRun run;
  run.stderr_tail = TailOf(outcome);
  return FailureOf(place, timeout, outcome, std::move(run), by_hand, "", {});
}

void SetRunPlace(const SessionSpec& spec, const RunPlace& place, FailedRun& run) {
  const FailedRun at = FailedRunAt(spec, place);
  run.benchmark = at.benchmark;
  run.arm = at.arm;
  run.block = at.block;
  run.phase = at.phase;
}

std::string LogOf(const std::string& place, const std::string& output) {
  if (output.empty()) return {};
  return "== " + place + "\n" + output + (output.back() == '\n' ? "" : "\n");
}

}  // namespace benchd
