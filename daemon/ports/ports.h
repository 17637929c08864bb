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

/// Time as the core sees it; faked in tests. Called on the loop's thread only.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
  virtual SteadyTime Steady() const = 0;
  /// Answers after that time; the coroutine's executor goes on meanwhile.
  virtual asio::awaitable<void> Wait(Nanoseconds duration) const = 0;
};

/// Where ids and unnamed seeds come from; faked in tests. Never used for the order of runs, which
/// follows from the session's recorded seed alone.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual std::uint64_t Next() = 0;
};

/// One benchd-runner process; never given twice, 0 is none.
using RunnerId = std::uint64_t;

/// The runner that serves a session, and what it gave of the machine.
struct Lease {
  RunnerId runner = 0;
  std::optional<MachineReport> machine;  ///< absent: no setting was asked for
};

/// What came of one execution.
struct RunOutcome {
  Timestamp started_at{};
  SteadyTime ended_at{};
  RunExit exit;
  std::string limit;  ///< what it ran into: "exceeded its memory limit of 64 MiB"; empty = nothing
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;  ///< of the parsed samples
  /// Of what a harness ran: each that did not end with 0, once for each way it ended; first those
  /// that are not accepted.
  std::vector<InnerExit> inner_exits;
  std::string stderr_tail;  ///< at most 4 KiB, the end
  std::string output;       ///< OutputKind::kLog only, at most 1 MiB
};

/// What came of a batch: outcomes in order, and why the run after them has none.
///
/// Without an error and shorter than its order when a run failed, when the budget was spent, or, in
/// the middle of a block, when what was printed is as much as can be told at once.
struct BatchOutcome {
  std::vector<RunOutcome> runs;
  std::optional<Error> error;
};

/// benchd-runner as the core sees it: the machine's CPUs and settings, and children to be measured.
/// On the loop's thread.
///
/// The other process may die at any moment: whatever names it then ends with kUnavailable
/// "benchd-runner died ...", its journal gives the settings back, and the next Acquire() meets a
/// fresh one. @errors of all: kUnavailable without a runner.
class Runner {
 public:
  virtual ~Runner() = default;

  // ---- at any time, also while a batch runs ----

  /// Whether there is such a profile, with such CPUs: asked when a session is submitted.
  /// @errors kInvalidArgument for an unknown profile, or CPUs outside it.
  virtual asio::awaitable<Result<void>> Check(MachineRequest request) = 0;

  /// Looks a program up as its caller and takes the file's identity.
  /// @errors kNotFound, kPermissionDenied, with the command's name in the message.
  virtual asio::awaitable<Result<ProgramIdentity>> Resolve(ProgramQuery query) = 0;

  // ---- for one session at a time: Acquire, then Open and Run as often as it likes, Release ----

  /// Takes a profile's settings and describes the machine as it then is; without `machine`, for
  /// hooks, it takes nothing.
  /// @errors those of Check(); kFailedPrecondition when `strict` isolation cannot have a setting
  ///         (it is named).
  virtual asio::awaitable<Result<Lease>> Acquire(std::optional<MachineRequest> machine) = 0;

  /// Hands over the children; they replace those before.
  virtual asio::awaitable<Result<void>> Open(RunnerId runner, std::vector<ChildSpec> children) = 0;

  /// Runs children in order; each is gone with all its descendants before the next one starts.
  ///
  /// A child that fails, is killed or times out is a RunOutcome, not an Error. `stop` counts
  /// whenever it is requested: before the start nothing runs, the run under way is killed, and
  /// one that ended just before is cancelled all the same.
  /// @errors kFailedPrecondition when the program is no longer the one resolved at submit or cannot
  ///         be executed; kInvalidArgument when its output cannot be parsed (with the line);
  ///         kCancelled by `stop`.
  virtual asio::awaitable<BatchOutcome> Run(RunnerId runner, Batch batch, std::stop_token stop) = 0;

  /// Lets go of the children and gives back what Acquire() took, unless the profile is held for
  /// longer; tells what happened in between. Idempotent; nothing is told where the runner is gone.
  virtual asio::awaitable<MachineEnd> Release(RunnerId runner) = 0;

  // ---- between sessions only: the runner does nothing else meanwhile ----

  /// How the settings of a profile stand now; an empty name is the one that is held, else
  /// `default`.
  /// @errors kInvalidArgument for an unknown profile.
  virtual asio::awaitable<Result<MachineStatus>> Describe(std::string profile) = 0;

  /// Takes a profile's settings until Restore(), sessions or not.
  /// @errors kInvalidArgument for an unknown profile; kFailedPrecondition in user mode.
  virtual asio::awaitable<Result<MachineStatus>> Apply(std::string profile) = 0;

  /// Gives everything back, also what an earlier runner left in the journal.
  virtual asio::awaitable<Result<MachineStatus>> Restore() = 0;

  /// Looks for noise for a second; worst first.
  virtual asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() = 0;
};

}  // namespace benchd
