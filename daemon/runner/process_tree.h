#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace benchd {

/// All that descends from the runner, which is the subreaper of its descendants: whatever a child
/// leaves behind becomes a child of ours and is found here, whether it daemonized or not.
///
/// A process that somebody waits for by its pidfd is *claimed*: it is not reaped here.
///
/// The dead do not count. Mostly they are reaped at once, but one that is traced from outside stays
/// until its tracer has waited for it, and does nothing to anybody meanwhile.
class ProcessTree {
 public:
  enum class Kind {
    kMeasured,  ///< killed with everything else by Kill()
    kHelper,    ///< left alone by Kill(), with its descendants
    kGivenUp,   ///< likewise: it could not be killed
  };

  void Claim(pid_t pid, Kind kind) { claims_.push_back({pid, kind}); }
  void Release(pid_t pid);

  /// Reaps the dead that nobody claims. True when one that lives is left that Kill() would kill.
  ///
  /// Costs two system calls when no process is left but one that is held (spawn.h), and a look at
  /// each child while a helper runs or a dead one cannot be reaped.
  bool AnyLeft();

  /// Only the first half of AnyLeft(): for zombies that appear while a run goes on.
  void Reap();

  /// Stops all of them until no new one appears, so that none escapes by forking, then kills them.
  /// They are dead a moment later. One that we may not signal (set-user-ID) survives. Where forks
  /// are faster than a pass, the next call goes on.
  /// @return how many there were.
  std::size_t Kill();

  /// From now on leaves this one alone, with its descendants, until it is dead.
  void GiveUp(pid_t pid);
  /// The same for whatever is left alive.
  /// @return for a message: their numbers, each with what is in the way of its death; empty without
  ///         any.
  std::string GiveUp();

 private:
  struct Claimed {
    pid_t pid = 0;
    Kind kind = Kind::kMeasured;
  };

  const Claimed* FindClaim(pid_t pid) const;
  bool IsShielded(pid_t pid) const;
  /// Absent where the kernel does not tell.
  std::optional<bool> AnyLivingChild() const;
  void ReapGivenUp();
  /// Living descendants without those that a claim shields, parents before children.
  struct Process {
    pid_t pid = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    bool dead = false;
  };
  static Process ReadProcess(pid_t pid);
  static void Stop(const Process& process, std::vector<pid_t>& stopped_groups);
  /// One that appears and forks and ends while they are listed may be missing.
  std::vector<Process> Descendants() const;

  std::vector<Claimed> claims_;
};

/// Why a process is still there although it was killed.
struct Obstacle {
  std::string what;  ///< "process 12 traces it"
  std::string hint;
};
Obstacle FindObstacle(pid_t pid);

}  // namespace benchd
