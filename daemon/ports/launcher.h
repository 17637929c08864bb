#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/child.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"

namespace benchd {

/// A command ready to be executed: one per arm, handed over once per session.
struct ChildSpec {
  Caller caller;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string input;  ///< empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;      ///< harness format of stdout, empty = none
  std::vector<int> cpus;  ///< where the child may run, empty = anywhere
  ProgramIdentity program;
  /// Of the metrics that not every machine has (model/metric.h) those that this child must have.
  std::vector<std::string> metrics;
};

/// One execution of a child that was opened before.
struct RunOrder {
  std::uint32_t child = 0;          ///< index into the vector given to Open()
  std::uint32_t padding_bytes = 0;  ///< random environment padding, 0..4096 (Mytkowicz et al. 2009)
  bool begins_block = true;
  /// NAME=VALUE, beside those of the child. Not for what is measured: it would move its stack.
  std::vector<std::string> variables;
  bool operator==(const RunOrder&) const = default;
};

/// Executions one after the other, with nothing between them that would cost time.
struct SeriesOrder {
  std::vector<RunOrder> runs;
  Nanoseconds timeout{};         ///< of one run
  Nanoseconds budget{};          ///< no further block begins after that time
  bool stop_on_failure = true;   ///< nothing is run after one that failed
  std::optional<RunOrder> next;  ///< what will probably follow, so that it can be prepared
};

/// What came of one execution.
struct RunOutcome {
  Timestamp started_at{};
  SteadyTime ended_at{};
  RunExit exit;
  std::string limit;  ///< what it ran into: "exceeded its memory limit of 64 MiB"; empty = nothing
  std::vector<Sample> samples;
  std::vector<MetricInfo> metrics;  ///< of the parsed samples
  std::string stderr_tail;          ///< at most 4 KiB, the end
  std::string output;               ///< OutputKind::kLog only, at most 1 MiB
};

/// What came of a series: outcomes in order, and why the run after them has none.
///
/// Without an error and shorter than its order when a run failed, when the budget was spent, or, in
/// the middle of a block, when what was printed is as much as can be told at once.
struct SeriesOutcome {
  std::vector<RunOutcome> runs;
  std::optional<Error> error;
};

/// Starts and measures children: the port to benchd-runner. One user at a time, on the loop's
/// thread.
///
/// The other process may die at any moment: whatever is under way then ends with kUnavailable
/// "benchd-runner died ...", and the next Open() meets a fresh one.
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// Looks up argv[0] as the caller and takes the file's identity. May be called during a Run().
  ///
  /// @errors kNotFound, kPermissionDenied, with the command's name in the message.
  virtual asio::awaitable<Result<ProgramIdentity>> Resolve(ChildSpec child) = 0;

  /// Hands over the children of a session; replaces those of the session before.
  virtual asio::awaitable<Result<void>> Open(std::vector<ChildSpec> children) = 0;

  /// Runs children in order; each is gone with all its descendants before the next one starts.
  ///
  /// A child that fails, is killed or times out is a RunOutcome, not an Error.
  /// @errors kFailedPrecondition when the program is no longer the one resolved at submit or cannot
  ///         be executed; kInvalidArgument when its output cannot be parsed (with the line);
  ///         kCancelled after CancelRun(); kUnavailable when the runner died.
  virtual asio::awaitable<SeriesOutcome> Run(SeriesOrder order) = 0;

  /// Kills the run under way, if any, with all its descendants; its Run() answers kCancelled for
  /// it.
  virtual void CancelRun() = 0;

  /// Lets go of the children of the session.
  virtual asio::awaitable<void> Close() = 0;
};

}  // namespace benchd
