#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/run.h"
#include "core/model/session.h"

namespace benchd {

/// The clocks of the core; faked in tests. Called on the loop's thread only.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
  virtual SteadyTime Steady() const = 0;
  /// Completes after `duration`; the coroutine's executor continues meanwhile.
  virtual asio::awaitable<void> Wait(Nanoseconds duration) const = 0;
};

/// The source of ids and of unnamed seeds; faked in tests. Never used for the order of runs, which
/// follows from the session's recorded seed alone.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::uint64_t Next() = 0;
};

/// Identifies one benchd-runner process. Never reused; 0 is none.
using RunnerId = std::uint64_t;

/// The runner that serves a session, and the state of the machine that it provides.
struct Lease {
  RunnerId runner = 0;
  std::optional<MachineReport> machine;  ///< absent: no setting was requested
};

/// The result of one execution.
struct RunOutcome {
  Timestamp started_at{};
  SteadyTime ended_at{};
  RunExit exit;
  std::string limit;  ///< the limit reached: "exceeded its memory limit of 64 MiB"; empty: none
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;  ///< of the parsed samples
  /// Programs that a harness ran and that did not exit with 0, once for each way in which they
  /// ended. Those that are not accepted come first.
  std::vector<InnerExit> inner_exits;
  std::string stderr_tail;  ///< the last 4 KiB at most
  std::string output;       ///< OutputKind::kLog only, at most 1 MiB
};

/// The result of a batch: outcomes in order, and the error that prevented the next run.
///
/// Shorter than its order without an error if a run failed, if the budget was spent, or if, within
/// a block, the printed output has reached the size of one answer.
struct BatchOutcome {
  std::vector<RunOutcome> runs;
  std::optional<Error> error;
};

/// benchd-runner as the core sees it: the machine's CPUs and settings, and children to measure. On
/// the loop's thread.
///
/// The other process may die at any moment. Calls that name it then end with kUnavailable
/// "benchd-runner died ...", its journal restores the settings, and the next Acquire() connects to
/// a fresh one.
/// @errors of all: kUnavailable without a runner.
class Runner {
 public:
  virtual ~Runner() = default;

  // ---- at any time, even while a batch runs ----

  /// Checks that the profile exists and has the requested CPUs. Called when a session is submitted.
  /// @errors kInvalidArgument for an unknown profile, or CPUs outside it.
  virtual asio::awaitable<Result<void>> Check(MachineRequest request) = 0;

  /// Looks up a program as its caller and returns the file's identity.
  /// @errors kNotFound, kPermissionDenied, with the command's name in the message.
  virtual asio::awaitable<Result<ProgramIdentity>> Resolve(ProgramQuery query) = 0;

  // ---- for one session at a time: Acquire(), any number of Open() and Run(), Release() ----

  /// Applies a profile's settings and describes the resulting machine. Without `machine`, for
  /// hooks, it applies none.
  /// @errors those of Check(); kFailedPrecondition, naming the setting, if `strict` isolation
  ///         cannot apply one.
  virtual asio::awaitable<Result<Lease>> Acquire(std::optional<MachineRequest> machine) = 0;

  /// Hands over the children, which replace the previous ones.
  virtual asio::awaitable<Result<void>> Open(RunnerId runner, std::vector<ChildSpec> children) = 0;

  /// Runs children in order. Each has exited, with all its descendants, before the next one starts.
  ///
  /// A child that fails, is killed or times out is a RunOutcome, not an Error. `stop` takes effect
  /// whenever it is requested: before the start nothing runs, a run in progress is killed, and a
  /// run that has just ended is cancelled as well.
  /// @errors kFailedPrecondition if the program has changed since submission or cannot be executed;
  ///         kInvalidArgument if its output cannot be parsed (with the line); kCancelled by `stop`.
  virtual asio::awaitable<BatchOutcome> Run(RunnerId runner, Batch batch, std::stop_token stop) = 0;

  /// Closes the children and restores what Acquire() changed, unless the profile is held for
  /// longer. Returns what happened in between. Idempotent; the result is empty if the runner has
  /// died.
  virtual asio::awaitable<MachineEnd> Release(RunnerId runner) = 0;

  // ---- between sessions only: the runner does nothing else meanwhile ----

  /// The current state of a profile's settings. An empty name means the profile that is held,
  /// otherwise `default`.
  /// @errors kInvalidArgument for an unknown profile.
  virtual asio::awaitable<Result<MachineStatus>> Describe(std::string profile) = 0;

  /// Applies a profile's settings until Restore(), with or without sessions.
  /// @errors kInvalidArgument for an unknown profile; kFailedPrecondition in user mode.
  virtual asio::awaitable<Result<MachineStatus>> Apply(std::string profile) = 0;

  /// Restores all settings, including those that an earlier runner left in the journal.
  virtual asio::awaitable<Result<MachineStatus>> Restore() = 0;

  /// Looks for noise for one second; the worst source comes first.
  virtual asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() = 0;
};

}  // namespace benchd
