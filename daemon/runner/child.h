#pragma once

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace benchd {

/// The steps of a child on its way to execve. The step that failed is reported.
enum class ChildStep : int {
  kNone,   ///< nothing failed
  kGroup,  ///< joining its control group, if clone3 did not place it there
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
  kStat,      ///< inspecting the program
  kIdentity,  ///< the file has changed: see ChildReport::changed
  kExecute,
};

/// How the program differs from the one resolved at submission.
enum ProgramChange : unsigned {
  kOtherFile = 1,  ///< device or inode
  kOtherSize = 2,
  kOtherTime = 4,
};

/// Written by the child into memory shared with the runner; read after the child has ended.
struct ChildReport {
  ChildStep step = ChildStep::kNone;
  int error_number = 0;
  unsigned changed = 0;           ///< ProgramChange bits
  std::int64_t realtime_ns = 0;   ///< CLOCK_REALTIME and
  std::int64_t monotonic_ns = 0;  ///< CLOCK_MONOTONIC just before execve; 0: not reached
  rusage before{};                ///< usage until then, to be subtracted from the program's
  bool died_waiting = false;      ///< true for a held child until it passes the gate
  std::uint32_t gate = 0;         ///< a futex, written by the runner: 0 = wait, 1 = proceed
};

/// A limit in the form that prlimit64 takes.
struct ChildLimit {
  int resource = 0;
  rlimit64 value{};
};

/// Everything that a child does between clone and execve, as plain memory. The child may neither
/// allocate nor lock, because it may share the runner's heap while the runner runs. Owned by
/// LaunchPlan and unchanged until the child has been reaped.
struct ChildPlan {
  static constexpr std::size_t kMaskWords = 1024 / (8 * sizeof(unsigned long));
  static constexpr std::size_t kNodeWords = 1024 / (8 * sizeof(unsigned long));

  int join_cgroup = -1;    ///< folder to move into; -1 if clone3 did it or there is none
  bool must_join = false;  ///< fail rather than stay outside the group
  unsigned long affinity[kMaskWords] = {};
  /// The CPUs on which the process is created: those of `affinity`, or, if that allows all CPUs,
  /// the benchmark CPUs.
  unsigned long made_on[kMaskWords] = {};
  /// There are several CPUs: the process is created on one of them and then set to `affinity`.
  bool roams = false;
  bool reset_oom_score = false;
  bool set_nice = false;
  int nice = 0;
  int policy = -1;        ///< SCHED_BATCH or SCHED_FIFO; -1: inherited
  int fifo_priority = 0;  ///< for SCHED_FIFO
  /// The only NUMA nodes that memory comes from, if `bind_memory`; otherwise inherited.
  unsigned long nodes[kNodeWords] = {};
  bool bind_memory = false;
  bool fixed_layout = false;  ///< no address space randomisation
  mode_t umask = 022;
  const ChildLimit* limits = nullptr;
  std::size_t limit_count = 0;
  int streams[3] = {-1, -1, -1};  ///< become 0, 1 and 2; each must be above 2
  int execute_fd = -1;            ///< executed instead of `path` unless -1; above 2

  bool clear_inheritable = false;
  __user_cap_data_struct capabilities[2] = {};  ///< the runner's, with none inheritable
  bool become_user = false;
  bool join_keyring = false;  ///< joins a session keyring of its own, as the user
  uid_t uid = 0;
  gid_t gid = 0;
  const gid_t* groups = nullptr;
  std::size_t group_count = 0;
  pid_t parent = 0;

  const char* cwd = nullptr;     ///< nullptr: unchanged
  const char* input = nullptr;   ///< opened as the user; nullptr: keep streams[0]
  const char* output = nullptr;  ///< truncated and opened as the user; nullptr: keep streams[1]

  bool check_identity = false;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t mtime_ns = 0;
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;

  /// Waits at the gate. Unless it roams, its creator sets the affinity.
  bool held = false;
  ChildReport* report = nullptr;
};

/// Carries out `plan` and executes the program. If a step fails, reports it and exits with 127.
///
/// Runs in the new process with all signals blocked, possibly in its parent's memory, so it makes
/// raw system calls only and is compiled without sanitizers and stack protector.
[[noreturn]] void RunChild(const ChildPlan& plan);

}  // namespace benchd
