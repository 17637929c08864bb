#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace benchd {

/// All descendants of the runner. The runner is their subreaper, so a process that a child leaves
/// behind becomes a child of the runner and is found here, even if it has daemonized.
///
/// A process whose owner waits on its pidfd is *claimed*, and this class does not reap it.
///
/// Dead processes do not count. Most of them are reaped at once. A dead process that is traced by a
/// process outside the tree remains until its tracer has waited for it, which does no harm.
class ProcessTree {
 public:
  enum class Kind {
    kMeasured,  ///< Kill() kills it, like unclaimed processes
    kHelper,    ///< Kill() spares it and its descendants
    kGivenUp,   ///< Kill() spares it and its descendants, because it could not be killed
  };

  void Claim(pid_t pid, Kind kind) { claims_.push_back({pid, kind}); }
  void Release(pid_t pid);

  /// Reaps unclaimed dead processes. Returns true if a living process is left that Kill() would
  /// kill.
  ///
  /// Makes two system calls if no process is left, apart from a held one (spawn.h). While a helper
  /// is running or a dead process cannot be reaped, it inspects each child.
  bool AnyLeft();

  /// Reaps unclaimed dead processes that appear during a run.
  void Reap();

  /// Stops processes in several passes until no new one appears, so that no process escapes by
  /// forking, and then sends SIGKILL. A process that the runner may not signal (set-user-ID)
  /// survives. If processes fork faster than the passes can stop them, call Kill() again.
  /// @return the number of processes found.
  std::size_t Kill();

  /// Makes all functions ignore this process and its descendants until the process is dead.
  void GiveUp(pid_t pid);
  /// Does the same for all living processes.
  /// @return a list for a message, with the pid of each process and the reason why it survives;
  ///         empty if there are no such processes.
  std::string GiveUp();

 private:
  struct Claimed {
    pid_t pid = 0;
    Kind kind = Kind::kMeasured;
  };

  const Claimed* FindClaim(pid_t pid) const;
  bool IsShielded(pid_t pid) const;
  /// Returns true if a child that no claim shields is alive. The result is absent if the kernel
  /// does not provide a list of children.
  std::optional<bool> AnyLivingChild() const;
  void ReapGivenUp();
  /// A descendant of the runner, as read from /proc/PID/stat.
  struct Process {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    bool dead = false;
  };
  static Process ReadProcess(pid_t pid);
  static void Stop(const Process& process, std::vector<pid_t>& stopped_groups);
  /// Returns the living descendants that no claim shields, parents before children. It may miss a
  /// process that appears, forks and ends while /proc is being listed.
  std::vector<Process> Descendants() const;

  std::vector<Claimed> claims_;
};

/// The reason why a process that was killed still exists.
struct Obstacle {
  std::string what;  ///< "process 12 is tracing it"
  std::string hint;
};
Obstacle FindObstacle(pid_t pid);

}  // namespace benchd
