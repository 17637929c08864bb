#pragma once

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace benchd {

/// Where a child is on its way to the program; the one it failed at is reported.
enum class ChildStep : int {
  kNone,   ///< nothing failed
  kGroup,  ///< its control group, where clone3 did not put it into that
  kAffinity,
  kLimits,
  kPriority,  ///< nice value, scheduling policy
  kMemory,    ///< NUMA policy, memory layout
  kSession,
  kStreams,
  kDescriptors,
  kCapabilities,
  kGroups,
  kGid,
  kUid,
  kCwd,
  kInput,
  kOutput,
  kStat,      ///< looking at the program
  kIdentity,  ///< it is another file now: see ChildReport::changed
  kExecute,
};

/// What about the program differs from what was resolved at submit.
enum ProgramChange : unsigned {
  kOtherFile = 1,  ///< device or inode
  kOtherSize = 2,
  kOtherTime = 4,
};

/// What the child writes into memory it shares with the runner; read when it has ended.
struct ChildReport {
  ChildStep step = ChildStep::kNone;
  int error_number = 0;
  unsigned changed = 0;           ///< ProgramChange bits
  std::int64_t realtime_ns = 0;   ///< CLOCK_REALTIME and
  std::int64_t monotonic_ns = 0;  ///< CLOCK_MONOTONIC just before execve; 0: never got there
  rusage before{};                ///< its own until then: what is not the program's
  bool died_waiting = false;      ///< a held child until it has passed its gate
  std::uint32_t gate = 0;         ///< a futex, written by the runner: 0 = wait, 1 = go on
};

/// A limit as prlimit64 takes it.
struct ChildLimit {
  int resource = 0;
  rlimit64 value{};
};

/// Everything a child does between clone and execve, as plain memory: it may neither allocate nor
/// lock, because the runner goes on using the same heap meanwhile. Owned by LaunchPlan; unchanged
/// until the child has been reaped.
struct ChildPlan {
  static constexpr std::size_t kMaskWords = 1024 / (8 * sizeof(unsigned long));
  static constexpr std::size_t kNodeWords = 1024 / (8 * sizeof(unsigned long));

  int join_cgroup = -1;    ///< folder to move into; -1 when clone3 did it, or there is none
  bool must_join = false;  ///< rather fail than stay outside of it
  unsigned long affinity[kMaskWords] = {};
  /// Where its process is made: the same, or of those the benchmark CPUs where it may be anywhere.
  unsigned long made_on[kMaskWords] = {};
  /// These are several: it is made on one of them and then takes those of `affinity`.
  bool roams = false;
  bool reset_oom_score = false;
  bool set_nice = false;
  int nice = 0;
  int policy = -1;        ///< SCHED_BATCH, SCHED_FIFO; -1: as inherited
  int fifo_priority = 0;  ///< for SCHED_FIFO
  /// Memory comes from these NUMA nodes only; without any: as inherited.
  unsigned long nodes[kNodeWords] = {};
  bool bind_memory = false;
  bool fixed_layout = false;  ///< no address space randomisation
  mode_t umask = 022;
  const ChildLimit* limits = nullptr;
  std::size_t limit_count = 0;
  int streams[3] = {-1, -1, -1};  ///< become 0, 1, 2; each above 2
  int execute_fd = -1;            ///< executed instead of `path` when not -1; above 2

  bool clear_inheritable = false;
  __user_cap_data_struct capabilities[2] = {};  ///< the runner's own, without inheritable ones
  bool become_user = false;
  bool join_keyring = false;  ///< a session keyring of its own, as the user
  uid_t uid = 0;
  gid_t gid = 0;
  const gid_t* groups = nullptr;
  std::size_t group_count = 0;
  pid_t parent = 0;

  const char* cwd = nullptr;     ///< nullptr: stay
  const char* input = nullptr;   ///< opened as the user; nullptr: keep streams[0]
  const char* output = nullptr;  ///< emptied and opened as the user; nullptr: keep streams[1]

  bool check_identity = false;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;

  /// Wait at the gate, and leave the CPUs to whoever made it.
  bool held = false;
  ChildReport* report = nullptr;
};

/// Carries out `plan` and becomes the program; reports and exits with 127 where a step fails.
///
/// Runs in the new process, all signals blocked, possibly in its parent's memory: raw system calls
/// only. Compiled without sanitizers and stack protector for that reason.
[[noreturn]] void RunChild(const ChildPlan& plan);

}  // namespace benchd
