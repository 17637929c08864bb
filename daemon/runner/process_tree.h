#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace benchd {

/// All descendants of the runner. The runner is their subreaper, so a process that a child leaves
/// behind becomes a child of the runner and is found here, even if it daemonized.
///
/// A process whose owner waits on its pidfd is *claimed* and not reaped here.
///
/// Dead processes do not count. Most are reaped at once, but one that is traced from outside
/// remains until its tracer has waited for it, and does no harm meanwhile.
class ProcessTree {
 public:
  enum class Kind {
    kMeasured,  ///< killed by Kill() like all others
    kHelper,    ///< spared by Kill(), with its descendants
    kGivenUp,   ///< likewise, because it could not be killed
  };

  void Claim(pid_t pid, Kind kind) { claims_.push_back({pid, kind}); }
  void Release(pid_t pid);

  /// Reaps the unclaimed dead. True if a living process is left that Kill() would kill.
  ///
  /// Costs two system calls if no process is left except a held one (spawn.h), and one look at each
  /// child while a helper runs or a dead process cannot be reaped.
  bool AnyLeft();

  /// Only reaps, for zombies that appear during a run.
  void Reap();

  /// Stops all processes until no new one appears, so that none escapes by forking, then sends
  /// SIGKILL. A process that we may not signal (set-user-ID) survives. If processes fork faster
  /// than the passes, the next call continues.
  /// @return the number of processes found.
  std::size_t Kill();

  /// Leaves this process and its descendants alone from now on, until it is dead.
  void GiveUp(pid_t pid);
  /// The same for all living processes.
  /// @return for a message: the pid of each with the reason why it survives; empty if there are
  ///         none.
  std::string GiveUp();

 private:
  struct Claimed {
    pid_t pid = 0;
    Kind kind = Kind::kMeasured;
  };

  const Claimed* FindClaim(pid_t pid) const;
  bool IsShielded(pid_t pid) const;
  /// Absent if the kernel lacks the list of children.
  std::optional<bool> AnyLivingChild() const;
  void ReapGivenUp();
  /// Living descendants, parents before children, without those that a claim shields.
  struct Process {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    bool dead = false;
  };
  static Process ReadProcess(pid_t pid);
  static void Stop(const Process& process, std::vector<pid_t>& stopped_groups);
  /// May miss a process that appears, forks and ends during the listing.
  std::vector<Process> Descendants() const;

  std::vector<Claimed> claims_;
};

/// Why a process that was killed still exists.
struct Obstacle {
  std::string what;  ///< "process 12 traces it"
  std::string hint;
};
Obstacle FindObstacle(pid_t pid);

}  // namespace benchd
