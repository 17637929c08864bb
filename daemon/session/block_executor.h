#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/benchmark_groups.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "daemon/session/batch_plan.h"
#include "daemon/session/children.h"
#include "daemon/session/failure.h"
#include "daemon/session/output_check.h"
#include "daemon/session/ports.h"
#include "daemon/session/services.h"

namespace benchd {

/// Runs of one block, which may be incomplete, and their output. A block that a group of benchmarks
/// shares has a run of each of them for each process (BlocksByBenchmark()).
struct BlockResult {
  std::vector<Run> runs;
  std::string log;
  std::size_t kept = 0;  ///< number of runs that were already passed to the BlockLog
};

/// The complete blocks of a batch, and the failure that ended it, if any.
struct BatchResult {
  std::vector<BlockResult> blocks;
  std::optional<Failure> failure;
  bool runner_lost = false;  ///< the failure is that benchd-runner has exited
};

/// Runs batches and assembles the results into blocks.
///
/// Runs of one second or more are ordered one by one, so that each can be stored before the next
/// begins. Runs with hooks are also ordered one by one, with the hooks before and after them. Lives
/// as long as its session.
///
/// A planned run of a benchmark that leads a group is one process, which becomes one run of each
/// benchmark of the group. Warm-up runs are of one benchmark.
class BlockExecutor {
 public:
  /// `services`, `spec` and `groups` must outlive this object.
  BlockExecutor(const SessionServices& services, const SessionSpec& spec,
                const BenchmarkGroups& groups);

  /// Sets the runner at which the session's children are open: those of the spec as it is now.
  void Use(RunnerId runner);

  /// Runs a batch.
  /// @param meanwhile  work that is done while the runner executes the batch, so that it does not
  ///                   delay the next run; may be empty. Called once, as soon as the runner has its
  ///                   order, and never after the return.
  asio::awaitable<BatchResult> Run(BatchPlan plan, std::function<void()> meanwhile = {});

  /// Returns the runs of the current block that have been measured so far.
  BlockResult& unfinished() { return unfinished_; }
  /// Removes and returns these runs, because the block will be repeated.
  BlockResult DropUnfinished();

  /// Returns the failure of a session that has run everything, but ended too early to establish a
  /// difference between the outputs of two arms.
  std::optional<Failure> OutputDifference() const { return outputs_.Remaining(); }

 private:
  bool HasHooks(const RunPlace& run) const;
  bool IsOfGroup(const RunPlace& run) const;
  std::vector<std::uint32_t> BenchmarksOf(const RunPlace& run) const;
  std::size_t MostAtOnce(const BatchPlan& plan) const;
  asio::awaitable<BatchResult> RunOneWithHooks(BatchPlan plan);
  asio::awaitable<BatchOutcome> Order(const BatchPlan& plan, std::function<void()> meanwhile);
  asio::awaitable<HookResult> RunHookOf(RunPlace run, HookKind which);
  asio::awaitable<BatchResult> Execute(BatchPlan plan, std::function<void()> meanwhile);
  Batch OrderOf(const BatchPlan& plan) const;
  std::optional<Failure> Take(RunPlace place, RunOutcome outcome, std::uint32_t disturbances);
  void AddRun(benchd::Run run, RunOutcome values);

  const SessionServices& services_;
  const SessionSpec& spec_;
  const BenchmarkGroups& groups_;
  ChildTable children_;
  NameOwners owners_;
  RunnerId runner_ = 0;
  BlockResult unfinished_;
  OutputCheck outputs_;
  bool long_runs_ = false;
};

/// Returns the failure of a session that was cancelled or interrupted.
Failure CancelledFailure();

}  // namespace benchd
