#pragma once

#include <algorithm>
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
#include "core/model/session_spec.h"

/// What benchd orders of benchd-runner, as it travels, and what comes of it.
namespace benchd {

/// A command to be looked up as its caller would.
struct ProgramQuery {
  Caller caller;
  std::string program;  ///< argv[0]
  std::string path;     ///< the caller's PATH
  std::string cwd;
};
BENCHD_FIELDS(ProgramQuery, caller, program, path, cwd)

/// A command ready to be executed: one per arm, handed over once per session.
struct ChildSpec {
  Caller caller;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
  std::string cwd;
  std::string input;  ///< empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;             ///< harness format of stdout, empty = none
  std::vector<int> accept_exit;  ///< of a run that has not failed; empty: 0
  std::vector<int> cpus;         ///< where the child may run, empty = anywhere
  ProgramIdentity program;
  /// Of the metrics that not every machine has (model/metric.h) those that this child must have:
  /// without them it is refused.
  std::vector<std::string> metrics;
};
BENCHD_FIELDS(ChildSpec, caller, argv, env, cwd, input, output, output_path, parse, accept_exit,
              cpus, program, metrics)

/// One execution of a child that was opened before.
struct RunOrder {
  std::uint32_t child = 0;          ///< index into the children of the session
  std::uint32_t padding_bytes = 0;  ///< random environment padding, 0..4096 (Mytkowicz et al. 2009)
  bool begins_block = true;
  /// NAME=VALUE, beside those of the child. Not for what is measured: it would move its stack.
  std::vector<std::string> variables;
  bool operator==(const RunOrder&) const = default;
};
BENCHD_FIELDS(RunOrder, child, padding_bytes, begins_block, variables)

/// Executions one after the other, with nothing between them that would cost time.
struct Batch {
  std::vector<RunOrder> runs;
  std::optional<RunOrder> next;  ///< what will probably follow, so that it can be prepared
  Nanoseconds timeout{};         ///< of one run
  Nanoseconds budget{};          ///< no further block begins after that time
  bool stop_on_failure = true;   ///< nothing is run after one that failed
};
BENCHD_FIELDS(Batch, runs, next, timeout, budget, stop_on_failure)

/// One measured number. A run has several: one per metric, or many per metric from a harness.
struct Sample {
  std::string metric;
  std::string inner_benchmark;  ///< the harness' own benchmark, empty = the run as a whole
  std::uint32_t iteration = 0;  ///< inside the run, from 0
  double value = 0;             ///< in the metric's unit; finite
  bool operator==(const Sample&) const = default;
};
BENCHD_FIELDS(Sample, metric, inner_benchmark, iteration, value)

/// How a command that a harness timed ended, where that was not with 0.
struct InnerExit {
  std::string inner_benchmark;  ///< as of Sample
  std::optional<int> code;      ///< absent: ended by a signal, as far as the harness knows
  std::uint64_t runs = 0;       ///< of the harness that ended so
  std::uint64_t of_runs = 0;    ///< all of that inner benchmark
  bool operator==(const InnerExit&) const = default;
};
BENCHD_FIELDS(InnerExit, inner_benchmark, code, runs, of_runs)

/// How a child ended.
struct RunExit {
  int code = 0;    ///< meaningful when `signal` is 0; of what the child itself timed: see InnerExit
  int signal = 0;  ///< the signal that ended it, or 0
  bool timed_out = false;
  /// @param accepted  exit codes of a run that has not failed; empty: 0
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
  kDropped,   ///< of a block interrupted from outside, repeated afterwards
};
BENCHD_NAMES(RunPhase, "warmup", "measured", "dropped")

/// One execution of one arm: the unit of measuring. Indices point into the SessionSpec.
struct Run {
  std::uint32_t benchmark = 0;
  std::uint64_t block = 0;     ///< of that benchmark and phase, from 0
  std::uint32_t position = 0;  ///< inside the block, from 0, in order of execution
  std::uint32_t arm = 0;
  RunPhase phase = RunPhase::kMeasured;
  Timestamp started_at{};
  RunExit exit;
  std::uint32_t disturbances = 0;  ///< requests the daemon served while this child was measured
  std::vector<Sample> samples;
  /// Unit, direction and resolution of the samples that are not built-in metrics, and of those that
  /// are whose step is coarser on the run's machine.
  std::vector<MetricInfo> metrics;
  bool operator==(const Run&) const = default;
};

/// What the runs took together: their wall time. The pauses between them are not counted.
Nanoseconds WallTimeOf(std::span<const Run> runs);

/// What a block cost: from the start of its first run to the end of its last one, with the hooks in
/// between; at least its wall time. `runs` are in order of execution. Only as good as the clock
/// that they carry, so for estimates.
Nanoseconds CostOf(std::span<const Run> runs);

}  // namespace benchd
