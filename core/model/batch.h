#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/model/child.h"
#include "core/model/session_spec.h"

/// What benchd orders of benchd-runner, as it travels.
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
  std::string parse;      ///< harness format of stdout, empty = none
  std::vector<int> cpus;  ///< where the child may run, empty = anywhere
  ProgramIdentity program;
  /// Of the metrics that not every machine has (model/metric.h) those that this child must have:
  /// without them it is refused.
  std::vector<std::string> metrics;
};
BENCHD_FIELDS(ChildSpec, caller, argv, env, cwd, input, output, output_path, parse, cpus, program,
              metrics)

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

}  // namespace benchd
