#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "daemon/kernel/tree_group.h"
#include "daemon/launch/capture.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/host.h"
#include "daemon/launch/launch_plan.h"
#include "daemon/launch/output_digester.h"
#include "daemon/launch/perf_counters.h"
#include "daemon/launch/process_tree.h"
#include "daemon/launch/profiler.h"
#include "daemon/launch/spawn.h"
#include "daemon/launch/start_phase.h"
#include "daemon/observe/disturbances.h"

namespace benchd {

/// One run of a child. `plan`, `needs` and `adapter` must live until the run has finished and its
/// output is parsed.
struct RunTask {
  LaunchPlan* plan = nullptr;
  const MetricNeeds* needs = nullptr;
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;
  std::string parse;  ///< harness format or adapter; empty: the output is not parsed
  const std::string* adapter = nullptr;  ///< text of the adapter; null if `parse` is a name
  bool parse_stderr = false;             ///< parse stderr instead of stdout
  bool check_output = false;             ///< compute the digest of stdout
  std::string parse_file;                ///< pattern of the files to parse instead of a stream
  std::uint32_t padding_bytes = 0;
  std::vector<std::string> variables;  ///< NAME=VALUE, added to the plan's environment
  std::int64_t timeout_ns = 0;         ///< 0 or less: no timeout
  std::int64_t length_ns = 0;          ///< expected duration; 0: unknown

  /// Whether a stream of the child is parsed.
  bool ParsesStream() const { return !parse.empty() && parse_file.empty(); }
};

/// The facts about a child that can be read after it has ended and before it is reaped.
struct ChildEnd {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  /// The number of moves between CPUs (/proc/PID/sched), not counting the move to the benchmark
  /// CPUs. Empty if the kernel lacks scheduler debugging.
  std::optional<std::uint64_t> migrations;
  /// The schedule of the main thread. Empty if the kernel lacks /proc/PID/schedstat.
  std::optional<ThreadSchedule> schedule;
};

/// The facts to read from the /proc files of an ended child.
struct EndQuestions {
  bool migrations = false;
  bool schedule = false;
};

/// Owns the resources of one child: the memory it starts in, its control group, its process and its
/// pipes. It holds them from before the process exists until the child's last output has been read.
/// Serves one child after another.
///
/// A child may be *prepared*. Its resources are then created while the current run is in progress,
/// and its process is created on the same CPUs as soon as that run has ended (Spawner). The process
/// completes the steps that do not access the user's files and waits for Go().
class Launch {
 public:
  struct Services {
    EventLoop& loop;
    const Host& host;
    ProcessTree& tree;
    const PerfSupport& perf;
    const DisturbanceFiles& disturbances;
  };

  /// @param group  used by this launch only; it need not exist
  Launch(Services services, TreeGroup& group)
      : services_(services),
        group_(group),
        counters_(services.perf),
        profiler_(&services.loop, services.perf) {}
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() { Discard(); }

  /// Starts the process and discards the previous child. `sink` receives an event on pidfd() when
  /// the process ends.
  /// @errors if no process can be created, or if it must be sampled and cannot be.
  Result<void> Start(RunTask task, EventSink& sink);

  /// Orders the process from `spawner`, which must live until Go() or Discard(). The process is
  /// created once `after` has ended. Discards the previous child.
  /// @errors if `spawner` rejects the order.
  Result<void> Prepare(RunTask task, Spawner& spawner, pid_t after);
  bool prepared() const { return spawner_ != nullptr; }
  /// Starts the prepared child, like Start(). prepared() is false afterwards.
  Result<void> Go(EventSink& sink);
  /// Inspects a child that has ended, without reaping it. The result is empty if the child has not
  /// ended. Reads the clock first, so that the inspection does not count as the child's time.
  std::optional<ChildEnd> LookAtEnd(EndQuestions questions) const;

  /// Withdraws a prepared child, or kills and reaps it if it already exists, and closes all
  /// descriptors.
  void Discard();

  const RunTask& task() const { return task_; }
  pid_t pid() const { return child_.pid; }
  int pidfd() const { return child_.pidfd.get(); }
  bool has_report() const { return area_.valid(); }
  const ChildReport& report() const { return area_.report(); }

  /// Kills the child, its process group and its control group.
  void Kill();
  TreeGroup& group() { return group_; }
  /// Reads the current counters of the process tree and its control group.
  void ReadCounted(wire::RunFigures& figures) const;
  /// Adds the disturbances of a reaped child to `figures`, which must already contain the run's
  /// context switches.
  /// @return the number of threads and processes created on the whole machine during the run. Each
  ///         of them may hide one foreign switch.
  std::uint64_t ReadDisturbances(wire::RunFigures& figures) const;
  /// Reaps the child if it has ended. Returns true if the child was reaped.
  bool Reap(siginfo_t& info, rusage& usage);
  /// Stops watching a child that has ended, because its descriptor stays readable.
  void StopWatching() { watch_.reset(); }
  /// Gives up a child that cannot be killed. The child may still use its stack and its report, so
  /// the next child gets new ones. Its pending SIGKILL keeps the child from executing more of our
  /// code, so it no longer reads the plan.
  Spawned Abandon();

  /// Reads the remaining output from the pipes, and the remaining samples. Call this after the
  /// child's process tree has exited and before the following five functions.
  void FinishOutput();
  std::string TakeStderrTail() { return stderr_->TakeTail(); }
  std::string TakeLog() { return std::move(log_); }
  /// Requires RunTask::check_output.
  OutputDigest TakeDigest() { return digester_->Take(); }
  /// Returns the output to be parsed, rewound to its start. The result is empty if the output
  /// exceeded kParseBytes.
  std::optional<UniqueFd> TakeParseInput();
  /// Returns the samples of a run whose figures are complete. Requires MetricNeeds::profile.
  /// @errors those of Profiler::Take()
  Result<UniqueFd> TakeProfile(const wire::RunFigures& figures);

 private:
  Disturbances LookAround() const;
  Result<SpawnOptions> MakeReady(RunTask task);
  Result<void> OpenCaptures();
  Result<std::unique_ptr<Capture>> OpenCapture(CaptureTargets targets, bool by_name);
  Result<SpawnOptions> JoinGroup();
  Result<Spawned> Spawn(SpawnOptions& options);
  Result<void> Adopt(Spawned child, EventSink& sink);
  Result<void> WatchFromStart(pid_t pid);

  const Services services_;
  TreeGroup& group_;
  PerfCounters counters_;
  Profiler profiler_;
  SpawnArea area_;
  LaunchMemory memory_;
  RunTask task_;
  Disturbances before_;         ///< the disturbances counted just before the run
  Spawner* spawner_ = nullptr;  ///< creates the process; nullptr: no child is prepared
  bool made_in_place_ = false;  ///< the process was created on its CPUs
  bool runner_beside_ = false;  ///< the runner opened the gate on these CPUs (Spawner)
  Spawned child_;
  std::optional<Watch> watch_;
  std::optional<OutputDigester> digester_;
  std::unique_ptr<Capture> stdout_;
  std::unique_ptr<Capture> stderr_;
  UniqueFd parse_input_;
  std::string log_;
};

}  // namespace benchd
