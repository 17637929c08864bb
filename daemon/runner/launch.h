#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/model/session_spec.h"
#include "daemon/runner/capture.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/host.h"
#include "daemon/runner/launch_plan.h"
#include "daemon/runner/perf_counters.h"
#include "daemon/runner/process_tree.h"
#include "daemon/runner/spawn.h"
#include "daemon/runner/start_phase.h"
#include "daemon/system/disturbances.h"
#include "daemon/system/tree_group.h"

namespace benchd {

/// One run of a child. `plan` and `needs` must live until the run has finished.
struct RunTask {
  LaunchPlan* plan = nullptr;
  const MetricNeeds* needs = nullptr;
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;  ///< harness format of stdout, empty = none
  std::uint32_t padding_bytes = 0;
  std::vector<std::string> variables;  ///< NAME=VALUE, added to the plan's
  std::int64_t timeout_ns = 0;         ///< 0 or less: none
  std::int64_t length_ns = 0;          ///< expected duration; 0: unknown
};

/// What can be read about a child after its end and before it is reaped.
struct ChildEnd {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  /// Moves between CPUs, without the one that put it onto the benchmark CPUs (/proc/PID/sched).
  /// Empty if the kernel lacks scheduler debugging.
  std::optional<std::uint64_t> migrations;
  /// Schedule of the main thread; empty without /proc/PID/schedstat.
  std::optional<ThreadSchedule> schedule;
};

/// Which /proc files of an ended child to read.
struct EndQuestions {
  bool migrations = false;
  bool schedule = false;
};

/// Owns one child from before its process exists until its last output has been read: the memory it
/// starts in, its control group, its process and its pipes.
///
/// A child may be *prepared*. Its resources are then made while the current run is in progress, and
/// its process as soon as that run has ended, on the same CPUs (Spawner). The process completes the
/// steps that need nothing of the user's and waits for Go(). Serves one child after another.
class Launch {
 public:
  struct Services {
    EventLoop& loop;
    const Host& host;
    ProcessTree& tree;
    const PerfSupport& perf;
    const DisturbanceFiles& disturbances;
  };

  /// @param group  used by this launch only; may not exist
  Launch(Services services, TreeGroup& group)
      : services_(services), group_(group), counters_(services.perf) {}
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() { Discard(); }

  /// Starts the process; `sink` gets its end on pidfd(). Discards the previous child.
  /// @errors when no process can be created.
  Result<void> Start(RunTask task, EventSink& sink);

  /// Orders the process from `spawner`, which must live until Go() or Discard(). It is created once
  /// `after` has ended. Discards the previous child.
  /// @errors when it cannot be ordered.
  Result<void> Prepare(RunTask task, Spawner& spawner, pid_t after);
  bool prepared() const { return spawner_ != nullptr; }
  /// Starts the prepared child, like Start(). It is no longer prepared() then.
  Result<void> Go(EventSink& sink);
  /// Inspects a child that has ended, without reaping it; empty if it has not ended. Reads the
  /// clock first, so that the rest does not count as the child's time.
  std::optional<ChildEnd> LookAtEnd(EndQuestions questions) const;

  /// Withdraws a child that has not been started, or kills and reaps it, and closes everything.
  void Discard();

  const RunTask& task() const { return task_; }
  pid_t pid() const { return child_.pid; }
  int pidfd() const { return child_.pidfd.get(); }
  bool has_report() const { return area_.valid(); }
  const ChildReport& report() const { return area_.report(); }

  /// Kills the child, its process group and its control group.
  void Kill();
  TreeGroup& group() { return group_; }
  /// Reads the counters of the tree and its control group now.
  void ReadCounted(wire::RunFigures& figures) const;
  /// Adds to `figures`, which already has the run's switches, what disturbed a reaped child.
  /// @return the number of threads and processes created on the whole machine during the run; each
  ///         of them may hide one foreign switch.
  std::uint64_t ReadDisturbances(wire::RunFigures& figures) const;
  /// True if it has ended and was reaped.
  bool Reap(siginfo_t& info, rusage& usage);
  /// Stops watching a child that has ended, because its descriptor stays readable.
  void StopWatching() { watch_.reset(); }
  /// Gives up a child that cannot be killed. It may still use its stack and its report, so the next
  /// child gets new ones. Its pending SIGKILL keeps it from executing our code, so it no longer
  /// reads the plan.
  Spawned Abandon();

  /// Reads what is left in the pipes. Called after the child's tree has exited, and before the next
  /// three functions.
  void FinishOutput();
  std::string TakeStderrTail() { return stderr_->TakeTail(); }
  std::string TakeLog() { return std::move(log_); }
  /// The output to be parsed, rewound; empty if it exceeded kParseBytes.
  std::optional<UniqueFd> TakeParseInput();

 private:
  Disturbances LookAround() const;
  Result<SpawnOptions> MakeReady(RunTask task);
  Result<void> OpenCaptures();
  Result<SpawnOptions> JoinGroup();
  Result<Spawned> Spawn(SpawnOptions& options);
  void Adopt(Spawned child, EventSink& sink);

  const Services services_;
  TreeGroup& group_;
  PerfCounters counters_;
  SpawnArea area_;
  LaunchMemory memory_;
  RunTask task_;
  Disturbances before_;         ///< just before the run
  Spawner* spawner_ = nullptr;  ///< who creates the process; nullptr: not prepared
  bool made_in_place_ = false;  ///< the process was created on its CPUs
  Spawned child_;
  std::optional<Watch> watch_;
  std::unique_ptr<Capture> stdout_;
  std::unique_ptr<Capture> stderr_;
  UniqueFd parse_input_;
  std::string log_;
};

}  // namespace benchd
