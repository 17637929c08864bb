#pragma once

#include <sys/types.h>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
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

/// What clone answered.
struct RawSpawned {
  pid_t pid = 0;  ///< 0: there is no process
  int pidfd = -1;
  int error_number = 0;
  bool refused_group = false;  ///< not to be made in SpawnOptions::cgroup_fd
};

/// Completes `plan` and `area` for the child that is made next.
void BeginSpawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options);

/// Clones the child of BeginSpawn() as a child of the calling process, or, with `sibling`, of its
/// parent: only a held one. The kernel itself writes pid and pidfd into `made`, so that they hold
/// even if the calling process dies of it. Makes raw system calls only.
void CloneChild(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options, bool sibling,
                RawSpawned& made);

/// Starts a process that carries out `plan` (its report and cgroup fields are filled in here).
///
/// Returns at once, while the child is still on its way: a file it opens as the user may block for
/// ever (a FIFO, a dead server), and that must not stop the runner. Costs as much as vfork.
/// All signals must be blocked. A control group that the kernel refuses is left out silently unless
/// it holds limits; the process tree is then found through its parents (ProcessTree).
/// @errors of clone: kResourceExhausted when no process can be made; kUnimplemented for one to be
///         held where clone3 is missing.
Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options);

/// What Spawn() answers for `made`, with its descriptor.
Result<Spawned> SpawnResult(const RawSpawned& made, const SpawnOptions& options);

/// Sends SIGKILL to a process that has not been reaped.
void SendKill(const Spawned& process);

/// SendKill(), then reaps it: one that does not hang in the kernel.
void KillAndWait(const Spawned& process);

/// Gives a process the CPUs of `plan`. False when the kernel refuses.
bool SetAffinity(pid_t pid, const ChildPlan& plan);

/// Lets a held child go.
void OpenGate(SpawnArea& area);

}  // namespace benchd
