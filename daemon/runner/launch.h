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

/// How one run of a child is to go. `plan` and `needs` must live until the run has finished.
struct RunTask {
  LaunchPlan* plan = nullptr;
  const MetricNeeds* needs = nullptr;
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;  ///< harness format of stdout, empty = none
  std::uint32_t padding_bytes = 0;
  std::vector<std::string> variables;  ///< NAME=VALUE, beside the plan's
  std::int64_t timeout_ns = 0;         ///< 0 or less = none
  std::int64_t length_ns = 0;          ///< how long it takes, as far as it is known; else 0
};

/// What can be seen of a child between its end and its reaping.
struct ChildEnd {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  /// How often it was moved between CPUs, without the one move that put it onto the benchmark CPUs
  /// (/proc/PID/sched); empty in kernels without scheduler debugging.
  std::optional<std::uint64_t> migrations;
  /// Of its main thread; empty without /proc/PID/schedstat.
  std::optional<ThreadSchedule> schedule;
};

/// Which files of a child that has ended are worth their time.
struct EndQuestions {
  bool migrations = false;
  bool schedule = false;
};

/// One child from before its process exists until its last output is read: the memory it begins in,
/// its control group, its process, the pipes it prints into.
///
/// A child may be *prepared*: all that it needs is made while the present one runs, itself at the
/// moment that one has ended, on its CPUs (Spawner). There it does what needs nothing of the
/// user's, then waits for Go(). Serves one child after the other.
class Launch {
 public:
  struct Services {
    EventLoop& loop;
    const Host& host;
    ProcessTree& tree;
    const PerfSupport& perf;
    const DisturbanceFiles& disturbances;
  };

  /// `group` is this launch's alone, and need not exist.
  Launch(Services services, TreeGroup& group)
      : services_(services), group_(group), counters_(services.perf) {}
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() { Discard(); }

  /// Makes the process; `sink` hears of its end on pidfd(). Whatever was here before is discarded.
  /// @errors when no process can be made.
  Result<void> Start(RunTask task, EventSink& sink);

  /// Orders the process from `spawner`, which must live until Go() or Discard(), for when `after`
  /// has ended. Whatever was here before is discarded.
  /// @errors when there cannot be one.
  Result<void> Prepare(RunTask task, Spawner& spawner, pid_t after);
  bool prepared() const { return spawner_ != nullptr; }
  /// Lets the prepared child go, like Start(); prepared no longer.
  Result<void> Go(EventSink& sink);
  /// Looks at a child that has ended, without reaping it; empty while it has not. The moment comes
  /// first, so that the rest is not counted as the child's time.
  std::optional<ChildEnd> LookAtEnd(EndQuestions questions) const;

  /// Withdraws, or kills and reaps, a child that was never let go, and closes everything.
  void Discard();

  const RunTask& task() const { return task_; }
  pid_t pid() const { return child_.pid; }
  int pidfd() const { return child_.pidfd.get(); }
  bool has_report() const { return area_.valid(); }
  const ChildReport& report() const { return area_.report(); }

  /// Kills the child, its process group and its control group.
  void Kill();
  TreeGroup& group() { return group_; }
  /// What the control group and the counters of its tree show at this moment.
  void ReadCounted(wire::RunFigures& figures) const;
  /// What disturbed it until now, of a child that has been reaped; `figures` has its switches.
  /// Returns the threads and processes that the whole machine made meanwhile: each of them may hide
  /// one foreign switch.
  std::uint64_t ReadDisturbances(wire::RunFigures& figures) const;
  /// True when it has ended; then it is reaped.
  bool Reap(siginfo_t& info, rusage& usage);
  /// Of a child that has ended: its descriptor is ready for ever.
  void StopWatching() { watch_.reset(); }
  /// Lets go of a child that cannot be killed. Of ours it may still use its stack and its report:
  /// another gets new ones. SIGKILL waits for it, so it executes none of our code any more, and so
  /// reads no plan.
  Spawned Abandon();

  /// Reads what is left in the pipes: after the child's tree is gone. Before the next three.
  void FinishOutput();
  std::string TakeStderrTail() { return stderr_->TakeTail(); }
  std::string TakeLog() { return std::move(log_); }
  /// What it printed for parsing, rewound; nothing when that was over kParseBytes.
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
  Disturbances before_;         ///< the run
  Spawner* spawner_ = nullptr;  ///< who makes the process; nobody any more
  bool made_in_place_ = false;  ///< the process began on its CPUs
  Spawned child_;
  std::optional<Watch> watch_;
  std::unique_ptr<Capture> stdout_;
  std::unique_ptr<Capture> stderr_;
  UniqueFd parse_input_;
  std::string log_;
};

}  // namespace benchd
