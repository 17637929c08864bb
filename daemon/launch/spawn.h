#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/launch/child.h"

namespace benchd {

/// The memory that a child uses until execve: a small stack, and a page for its report. That page
/// is shared even if the child has a copy of everything else. Serves one child at a time, until the
/// child is reaped.
class SpawnArea {
 public:
  SpawnArea();
  SpawnArea(const SpawnArea&) = delete;
  SpawnArea& operator=(const SpawnArea&) = delete;
  ~SpawnArea();

  bool valid() const { return stack_ != nullptr && report_ != nullptr; }
  ChildReport& report() { return *report_; }
  const ChildReport& report() const { return *report_; }
  char* stack() { return stack_; }
  static constexpr std::size_t kStackBytes = 64 * 1024;

  /// Leaks the memory, because a child that cannot be killed still uses it, and allocates new
  /// memory. valid() is false if that fails.
  void Abandon();

 private:
  void Make();

  char* stack_ = nullptr;
  ChildReport* report_ = nullptr;
};

/// A started process. The caller of Spawn() must reap it.
struct Spawned {
  pid_t pid = 0;
  UniqueFd pidfd;
};

struct SpawnOptions {
  int cgroup_fd = -1;  ///< folder of the control group to start in; -1: the creator's group
  /// Makes Spawn() fail instead of starting the process outside the group.
  bool only_in_cgroup = false;
  /// Runs the child's first steps in the runner's memory (CLONE_VM), so that no page tables are
  /// copied.
  bool share_memory = true;
  /// Makes the child wait for OpenGate() before it opens any file as the user. The process that
  /// creates the child sets its CPUs. Until execve, only a wait with __WALL finds the child.
  bool held = false;
};

/// Starts a process that carries out `plan`. Fills in the plan's report and cgroup fields.
///
/// Returns before the child has reached execve, because opening a file as the user may block
/// forever (a FIFO, a dead server). Costs as much as vfork. All signals must be blocked. If the
/// kernel refuses the control group, the process starts outside the group, unless
/// `only_in_cgroup` forbids that. ProcessTree then finds its descendants through their parents.
/// @errors those of clone: kResourceExhausted if no process can be created; kUnimplemented for a
///         held child if the kernel lacks clone3.
Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options);

/// Sends SIGKILL to a process that has not been reaped.
void SendKill(const Spawned& process);

/// Kills a process and reaps it. Must not be used for processes that may hang in the kernel.
void KillAndWait(const Spawned& process);

/// Sets the affinity of a process to that of `plan`. Returns false if the kernel refuses.
bool SetAffinity(pid_t pid, const ChildPlan& plan);

/// Lets a held child proceed.
void OpenGate(SpawnArea& area);

/// Creates held children on the CPUs on which they will run.
///
/// The spawner is a separate process that shares the runner's memory. It sleeps on the benchmark
/// CPUs while a child is measured there, and creates the next child as soon as the measured child
/// has ended. The next child therefore finds the CPU awake. A child created on another CPU would
/// bring kernel memory to the benchmark CPU, which the kernel would free in deferred work during
/// later runs. The spawner has the runner's scheduling policy, so that it notices the end of a
/// child without delay even on a busy CPU. Its children do not inherit the policy.
///
/// The spawner handles one order at a time. If another process kills it, Take() fails, and a new
/// spawner must be opened.
///
/// If the runner does not call Notice() soon after a child has ended, because another process
/// occupies the housekeeping CPU inside a system call, the next child *fetches* the runner: while
/// it waits at its gate, it moves the runner to its own CPU, where no run is in progress then. The
/// runner must call SendHome() before it waits for anything, so that it never runs beside a
/// measured child.
class Spawner {
 public:
  /// @param cgroup_fd  folder of the control group that owns the benchmark CPUs, in which the
  ///                   spawner starts; -1: the runner's own group
  /// @errors those of clone; kUnimplemented if the kernel lacks clone3.
  static Result<std::unique_ptr<Spawner>> Open(int cgroup_fd = -1);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  /// Kills the spawner process. No order may be pending.
  ~Spawner();

  pid_t pid() const { return process_.pid; }

  /// Orders the child of `plan`. If the spawner created the process `after`, it creates the child
  /// when `after` has ended; otherwise it does so at Take(). `plan` and `area` must live until the
  /// child is taken or withdrawn. Returns false if the kernel refuses the CPUs of `plan`.
  bool Order(ChildPlan& plan, SpawnArea& area, SpawnOptions options, pid_t after);

  /// Cancels the order. Returns false if the child already exists or is being created; call Take()
  /// in that case.
  bool Withdraw();

  /// Returns the time at which the child `pid` ended, as read on the child's own CPU
  /// (CLOCK_MONOTONIC in nanoseconds). The result is empty if the spawner did not create the child,
  /// or if it has not run since the child ended because the CPU is busy.
  std::optional<std::int64_t> EndOf(pid_t pid) const;

  /// Tells the spawner that the runner has noticed the end of the child `pid`.
  void Notice(pid_t pid);
  /// Moves the runner back to its CPUs if a child has fetched it. Must be called after
  /// Notice(), when the runner has done all that it can do at once.
  void SendHome();
  /// Returns whether a child has fetched the runner, which SendHome() has not moved back yet.
  bool has_fetched() const { return fetched_; }

  /// Returns the ordered child, which waits at its gate or is about to reach it.
  /// @errors those of Spawn(); kUnavailable if the spawner was killed.
  Result<Spawned> Take();

 private:
  struct SharedState;

  Spawner();
  bool HasEnded() const;

  SpawnArea area_;  // contains the spawner's stack
  std::unique_ptr<SharedState> shared_;
  Spawned process_;
  pid_t noticed_ = 0;  // the last child whose end the runner has noticed
  bool fetched_ = false;
};

}  // namespace benchd
