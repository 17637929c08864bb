#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/model/child.h"
#include "core/model/metric.h"
#include "core/model/profile.h"
#include "core/model/session_spec.h"

/// Messages between benchd and benchd-runner: the requests, and the results of runs.
namespace benchd {

/// A request to look up a command with the caller's permissions and PATH.
struct ProgramQuery {
  Caller caller;
  std::string program;  ///< argv[0]
  std::string path;     ///< the caller's PATH
  std::string cwd;
};
BENCHD_FIELDS(ProgramQuery, caller, program, path, cwd)

/// A command that is ready to execute. Each arm has one, which is sent once per session.
struct ChildSpec {
  Caller caller;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string input;  ///< empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;             ///< harness format or adapter; empty = not parsed
  std::string adapter;           ///< text of the adapter; empty if `parse` is a name
  bool parse_stderr = false;     ///< parse stderr instead of stdout
  bool check_output = false;     ///< report the digest of the stdout of each run
  std::string parse_file;        ///< pattern of the files to parse instead; empty: parse a stream
  std::vector<int> accept_exit;  ///< exit codes of a successful run; empty: 0
  std::vector<int> cpus;         ///< CPUs of the child, empty = any
  ProgramIdentity program;
  /// The optional metrics (model/metric.h) that this child needs. If one of them is unavailable,
  /// the child is rejected.
  std::vector<std::string> metrics;
  std::optional<Profile> profile;  ///< sample each run
};
BENCHD_FIELDS(ChildSpec, caller, argv, env, cwd, input, output, output_path, parse, adapter,
              parse_stderr, check_output, parse_file, accept_exit, cpus, program, metrics, profile)

/// The number of bytes at the beginning of stdout that are kept to show a difference.
inline constexpr std::size_t kOutputHeadBytes = std::size_t{64} * 1024;

/// The number of bytes that a run may print, or write to files, for parsing.
inline constexpr std::size_t kParseBytes = std::size_t{64} * 1024 * 1024;

/// What a run wrote to stdout.
struct OutputDigest {
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, 32> sha256{};
  /// The first kOutputHeadBytes bytes, or all if there are fewer. Empty if an earlier run of the
  /// same opened child has the same digest and reported them.
  std::string head;
  bool operator==(const OutputDigest&) const = default;
};
BENCHD_FIELDS(OutputDigest, bytes, sha256, head)

/// One execution of a child that was opened earlier.
struct RunOrder {
  std::uint32_t child = 0;          ///< index into the children of the session
  std::uint32_t padding_bytes = 0;  ///< random environment padding, 0..4096 (Mytkowicz et al. 2009)
  bool begins_block = true;
  /// Variables (NAME=VALUE) in addition to the child's own. Not used for measured runs, because
  /// they would move the stack.
  std::vector<std::string> variables;
  bool operator==(const RunOrder&) const = default;
};
BENCHD_FIELDS(RunOrder, child, padding_bytes, begins_block, variables)

/// A sequence of executions without costly work in between.
struct Batch {
  std::vector<RunOrder> runs;
  std::optional<RunOrder> next;  ///< the probable next run, to prepare it early
  Nanoseconds timeout{};         ///< time limit of each run
  Nanoseconds budget{};          ///< time after which no further block begins
  bool stop_on_failure = true;   ///< stop after a run that failed
};
BENCHD_FIELDS(Batch, runs, next, timeout, budget, stop_on_failure)

/// A measured value. A run has one sample per metric, or several per metric if a harness printed
/// them.
struct Sample {
  std::string metric;
  std::string inner_benchmark;  ///< a benchmark within the harness; empty = the whole run
  std::uint32_t iteration = 0;  ///< number within the run, from 0
  double value = 0;             ///< in the metric's unit; finite
  bool operator==(const Sample&) const = default;
};
BENCHD_FIELDS(Sample, metric, inner_benchmark, iteration, value)

/// The unsuccessful exit of a command that a harness timed.
struct InnerExit {
  std::string inner_benchmark;  ///< a benchmark within the harness, as in Sample
  std::optional<int> code;      ///< absent if, according to the harness, a signal ended it
  std::uint64_t runs = 0;       ///< number of the harness's runs that ended in this way
  std::uint64_t of_runs = 0;    ///< total number of runs of that inner benchmark
  bool operator==(const InnerExit&) const = default;
};
BENCHD_FIELDS(InnerExit, inner_benchmark, code, runs, of_runs)

/// The exit of a child.
struct RunExit {
  int code = 0;    ///< valid if `signal` is 0; InnerExit is for commands that the child timed
  int signal = 0;  ///< the signal that ended the child, or 0
  bool timed_out = false;
  /// @param accepted  the exit codes of a successful run; empty: only 0
  bool Succeeded(std::span<const int> accepted = {}) const {
    const bool as_wanted = accepted.empty() ? code == 0 : std::ranges::count(accepted, code) > 0;
    return as_wanted && signal == 0 && !timed_out;
  }
  bool operator==(const RunExit&) const = default;
};
BENCHD_FIELDS(RunExit, code, signal, timed_out)

enum class RunPhase {
  kWarmup,    ///< discarded by the statistics, kept in the store
  kMeasured,  ///< part of a complete block
  kDropped,   ///< part of a block that was interrupted from outside and is repeated
  /// Part of a complete block of the second phase (SessionSpec::confirm). Blocks of the two phases
  /// are never analysed together.
  kConfirming,
};
BENCHD_NAMES(RunPhase, "warmup", "measured", "dropped", "confirming")

/// One execution of one arm, which is the unit of measurement. Indices refer to the SessionSpec.
struct Run {
  std::uint32_t benchmark = 0;
  std::uint64_t block = 0;     ///< within that benchmark and phase, from 0
  std::uint32_t position = 0;  ///< within the block, from 0, in order of execution
  std::uint32_t arm = 0;
  RunPhase phase = RunPhase::kMeasured;
  Timestamp started_at{};
  RunExit exit;
  std::uint32_t disturbances = 0;  ///< number of requests that the daemon served during the run
  std::vector<Sample> samples;
  /// The unit, direction and resolution of metrics that are not built in, and of built-in metrics
  /// whose step is coarser on the machine of the run.
  std::vector<MetricInfo> metrics;
  bool operator==(const Run&) const = default;
};

/// Returns the total wall time of the runs, without the pauses between them.
Nanoseconds WallTimeOf(std::span<const Run> runs);

/// Returns the duration of a block with its hooks: from the start of its first run to the end of
/// its last run, but at least its wall time. `runs` must be in order of execution. Use it only for
/// estimates, because the timestamps come from a clock that may jump.
///
/// Runs of a process that several benchmarks shared lack a wall time. The time of the last one is
/// then assumed to be the mean of the others.
Nanoseconds CostOf(std::span<const Run> runs);

/// Divides the runs of a block that several benchmarks shared into one block of each benchmark, in
/// the order in which the benchmarks appear. Keeps the order of the runs.
std::vector<std::vector<Run>> BlocksByBenchmark(std::vector<Run> runs);

}  // namespace benchd
