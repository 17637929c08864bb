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

/// The clocks that the core uses; faked in tests. Called on the loop's thread only.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
  virtual SteadyTime Steady() const = 0;
  /// Completes after `duration`. Does not block the coroutine's executor.
  virtual asio::awaitable<void> Wait(Nanoseconds duration) const = 0;
};

/// The source of ids, and of seeds that the user did not choose; faked in tests. Never used for the
/// order of runs, which depends only on the session's recorded seed.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::uint64_t Next() = 0;
};

/// Identifies one benchd-runner process. Never reused; 0 means no runner.
using RunnerId = std::uint64_t;

/// The runner that serves a session, and the state of the machine that it provides.
struct Lease {
  RunnerId runner = 0;
  std::optional<MachineReport> machine;  ///< absent: no settings were requested
};

/// The result of one execution.
struct RunOutcome {
  Timestamp started_at{};
  SteadyTime ended_at{};
  RunExit exit;
  std::string limit;  ///< a reached limit: "exceeded its memory limit of 64 MiB"; empty: none
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;  ///< the metrics of the parsed samples
  /// The distinct nonzero exits of programs that a harness ran. Exits that are not accepted come
  /// first.
  std::vector<InnerExit> inner_exits;
  /// The benchmarks that a harness listed, if the child was opened to list them.
  std::vector<std::string> names;
  std::string stderr_tail;  ///< at most the last 4 KiB
  std::string output;       ///< OutputKind::kLog only, at most 1 MiB
  /// Only with ChildSpec::check_output, and only if neither a signal nor the timeout ended the run.
  std::optional<OutputDigest> stdout_digest;
};

/// The result of a batch: outcomes in order, and the error that prevented the next run.
///
/// Even without an error, there may be fewer outcomes than requested runs: if a run failed, if the
/// budget was spent, or if the output of the runs reached the maximum size of one answer.
struct BatchOutcome {
  std::vector<RunOutcome> runs;
  std::optional<Error> error;
};

/// The core's interface to benchd-runner, which controls the machine's CPUs and settings and
/// measures children. Called on the loop's thread only.
///
/// The runner is another process and may die at any moment. Calls with the runner's id then end
/// with kUnavailable "benchd-runner died ...". The settings are restored from the journal, and the
/// next Acquire() connects to a new runner.
/// @errors of all functions: kUnavailable if there is no runner.
class Runner {
 public:
  virtual ~Runner() = default;

  // ---- at any time, even while a batch runs ----

  /// Checks that the profile exists and has the requested CPUs. Called when a session is submitted.
  /// @errors kInvalidArgument for an unknown profile, or CPUs outside it.
  virtual asio::awaitable<Result<void>> Check(MachineRequest request) = 0;

  /// Looks up a program with the permissions of its caller and returns the file's identity.
  /// @errors kNotFound, kPermissionDenied, with the command's name in the message.
  virtual asio::awaitable<Result<ProgramIdentity>> Resolve(ProgramQuery query) = 0;

  // ---- for one session at a time: Acquire(), any number of Open() and Run(), Release() ----

  /// Applies a profile's settings and describes the resulting state of the machine. Without
  /// `machine`, as for hooks, applies no settings.
  /// @errors those of Check(); kFailedPrecondition, naming the setting, if `strict` isolation
  ///         cannot apply one.
  virtual asio::awaitable<Result<Lease>> Acquire(std::optional<MachineRequest> machine) = 0;

  /// Sends the children to the runner. They replace the previous children.
  virtual asio::awaitable<Result<void>> Open(RunnerId runner, std::vector<ChildSpec> children) = 0;

  /// Runs children in order. Each child and all its descendants have exited before the next one
  /// starts.
  ///
  /// A child that fails, is killed or times out yields a RunOutcome, not an Error. `stop` takes
  /// effect at any time: it prevents runs that have not started, kills a run in progress, and also
  /// cancels the batch if its last run has just ended.
  /// @errors kFailedPrecondition if the program has changed since submission or cannot be executed;
  ///         kInvalidArgument if its output cannot be parsed (with the line); kCancelled after
  ///         `stop`.
  virtual asio::awaitable<BatchOutcome> Run(RunnerId runner, Batch batch, std::stop_token stop) = 0;

  /// Closes the children and restores the settings that Acquire() changed, unless the profile is
  /// held for longer. Returns what happened to the machine since Acquire(). Idempotent. The result
  /// is empty if the runner has died.
  virtual asio::awaitable<MachineEnd> Release(RunnerId runner) = 0;

  // ---- between sessions only, when the runner does nothing else ----

  /// Returns the current state of a profile's settings. An empty name means the profile that is
  /// held or, if no profile is held, `default`.
  /// @errors kInvalidArgument for an unknown profile.
  virtual asio::awaitable<Result<MachineStatus>> Describe(std::string profile) = 0;

  /// Applies a profile's settings and keeps them until Restore(), even between sessions.
  /// @errors kInvalidArgument for an unknown profile; kFailedPrecondition in user mode.
  virtual asio::awaitable<Result<MachineStatus>> Apply(std::string profile) = 0;

  /// Restores all settings, including the settings that an earlier runner left in the journal.
  virtual asio::awaitable<Result<MachineStatus>> Restore() = 0;

  /// Looks for sources of noise for one second. The worst source comes first in the result.
  virtual asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() = 0;
};

}  // namespace benchd
