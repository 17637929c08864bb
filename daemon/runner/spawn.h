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

/// The memory that a child uses until it is its own program: a small stack, and its report on a
/// page shared with it even when the rest is a copy. Serves one child at a time, until that is
/// reaped.
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

  /// Gives the memory up without freeing it, as a child that cannot be killed still uses it, and
  /// makes it anew: valid() tells whether that could be done.
  void Abandon();

 private:
  void Make();

  char* stack_ = nullptr;
  ChildReport* report_ = nullptr;
};

/// A process that was started; it must be reaped by whoever called Spawn().
struct Spawned {
  pid_t pid = 0;
  UniqueFd pidfd;
};

struct SpawnOptions {
  int cgroup_fd = -1;  ///< folder of the control group to start in, or -1
  /// Rather no process than one outside of that group.
  bool only_in_cgroup = false;
  /// Runs the child's first steps in the runner's own memory (CLONE_VM): no page tables to copy.
  bool share_memory = true;
  /// Stops before it takes on anything of the user's, on the CPUs of whoever made it, until
  /// OpenGate(). Until it has become its program only waits with __WALL see it.
  bool held = false;
};

/// Starts a process that carries out `plan` (its report and cgroup fields are filled in here).
///
/// Returns at once, while the child is still on its way: a file it opens as the user may block for
/// ever (a FIFO, a dead server), and that must not stop the runner. Costs as much as vfork.
/// All signals must be blocked. A control group that the kernel refuses is left out silently unless
/// it holds limits; the process tree is then found through its parents (ProcessTree).
/// @errors of clone: kResourceExhausted when no process can be made; kUnimplemented for one to be
///         held where clone3 is missing.
Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options);

/// Sends SIGKILL to a process that has not been reaped.
void SendKill(const Spawned& process);

/// SendKill(), then reaps it: one that does not hang in the kernel.
void KillAndWait(const Spawned& process);

/// Gives a process the CPUs of `plan`. False when the kernel refuses.
bool SetAffinity(pid_t pid, const ChildPlan& plan);

/// Lets a held child go.
void OpenGate(SpawnArea& area);

/// Makes held children on the CPUs where they are going to run.
///
/// A process beside the runner, in its memory, that sleeps on the benchmark CPUs while a child is
/// measured there, and makes the next one the moment that child has ended. Made elsewhere, each
/// child would bring kernel memory onto that CPU which only ends there: the kernel frees it in work
/// of its own, in the middle of the runs that follow. And what runs where the last child ended
/// finds the CPU awake. It has the runner's scheduling policy, so that others on that CPU do not
/// keep it from seeing when a child has ended; what it makes begins without.
///
/// One order at a time. It can be killed by whoever can kill the runner: then Take() fails and a
/// new one must be opened.
class Spawner {
 public:
  /// @param cgroup_fd  folder of the control group that it lives in, where the benchmark CPUs are
  ///                   those of one; -1: the runner's own.
  /// @errors of clone; kUnimplemented without clone3.
  static Result<std::unique_ptr<Spawner>> Open(int cgroup_fd = -1);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  /// Kills it. No order may be under way.
  ~Spawner();

  pid_t pid() const { return process_.pid; }

  /// Orders the child of `plan`, to be made when `after` has ended if that was made here, else at
  /// Take(). Plan and area must live until it is taken or withdrawn. False when the CPUs of `plan`
  /// cannot be had.
  bool Order(ChildPlan& plan, SpawnArea& area, SpawnOptions options, pid_t after);

  /// Takes the order back. False when the child is there already, or being made: Take() it.
  bool Withdraw();

  /// When the child `pid` had ended, as seen from its own CPU: CLOCK_MONOTONIC in nanoseconds.
  /// Empty where the spawner did not make it, or has not come to look yet because others are on
  /// that CPU.
  std::optional<std::int64_t> EndOf(pid_t pid) const;

  /// The child that was ordered, at its gate or on its way there.
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
