#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/runner/child.h"

namespace benchd {

/// The memory that a child uses until execve: a small stack, and its report on a page that is
/// shared even if the rest is a copy. Serves one child at a time, until that child is reaped.
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

  /// Leaks the memory, because a child that cannot be killed still uses it, and allocates it anew.
  /// valid() returns whether that succeeded.
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
  int cgroup_fd = -1;  ///< folder of the control group to start in, or -1
  /// Fail rather than start the process outside the group.
  bool only_in_cgroup = false;
  /// Runs the child's first steps in the runner's memory (CLONE_VM): no page tables to copy.
  bool share_memory = true;
  /// Makes the child stop until OpenGate(), before it opens anything of the user's. Its creator
  /// sets its CPUs. Until execve, only waits with __WALL see it.
  bool held = false;
};

/// Starts a process that carries out `plan`. Fills in the plan's report and cgroup fields.
///
/// Returns at once, before the child has reached execve, because a file that it opens as the user
/// may block for ever (a FIFO, a dead server). Costs as much as vfork. All signals must be blocked.
/// If the kernel refuses the control group, the process starts outside it unless the group holds
/// limits; the tree is then found through its parents (ProcessTree).
/// @errors of clone: kResourceExhausted if no process can be created; kUnimplemented for a held
///         child without clone3.
Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options);

/// Sends SIGKILL to a process that has not been reaped.
void SendKill(const Spawned& process);

/// SendKill(), then reaps it. Not for processes that may hang in the kernel.
void KillAndWait(const Spawned& process);

/// Sets the affinity of a process to that of `plan`. False if the kernel refuses.
bool SetAffinity(pid_t pid, const ChildPlan& plan);

/// Lets a held child proceed.
void OpenGate(SpawnArea& area);

/// Creates held children on the CPUs on which they will run.
///
/// The spawner is a process beside the runner, in its memory. It sleeps on the benchmark CPUs while
/// a child is measured there, and creates the next child as soon as that one has ended. A child
/// created elsewhere would bring kernel memory to the benchmark CPU, and the kernel would free it
/// in deferred work during later runs. In addition, the next child finds the CPU awake. The spawner
/// has the runner's scheduling policy, so that a busy CPU does not delay it in seeing the end of a
/// child. Its children do not inherit the policy.
///
/// It takes one order at a time. It may be killed from outside: Take() then fails, and a new
/// spawner must be opened.
class Spawner {
 public:
  /// @param cgroup_fd  folder of the control group to start in, if the benchmark CPUs belong to
  ///                   one; -1: the runner's own group
  /// @errors of clone; kUnimplemented without clone3.
  static Result<std::unique_ptr<Spawner>> Open(int cgroup_fd = -1);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  /// Kills the process. No order may be pending.
  ~Spawner();

  pid_t pid() const { return process_.pid; }

  /// Orders the child of `plan`. It is created when `after` has ended if the spawner created that
  /// one, otherwise at Take(). Plan and area must live until the child is taken or withdrawn. False
  /// if the CPUs of `plan` are refused.
  bool Order(ChildPlan& plan, SpawnArea& area, SpawnOptions options, pid_t after);

  /// Cancels the order. False if the child exists already or is being created: call Take() then.
  bool Withdraw();

  /// When the child `pid` ended, as seen on its own CPU: CLOCK_MONOTONIC in nanoseconds. Empty if
  /// the spawner did not create it, or has not run yet because the CPU is busy.
  std::optional<std::int64_t> EndOf(pid_t pid) const;

  /// Returns the ordered child, at its gate or about to reach it.
  /// @errors those of Spawn(); kUnavailable when the spawner was killed.
  Result<Spawned> Take();

 private:
  struct SharedState;

  Spawner();
  bool HasEnded() const;

  SpawnArea area_;  // its stack
  std::unique_ptr<SharedState> shared_;
  Spawned process_;
};

}  // namespace benchd
