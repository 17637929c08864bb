#pragma once

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace benchd {

/// The steps of a child before execve. ChildReport contains the step that failed.
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

/// Differences between the program and the file that was resolved at submission.
enum ProgramChange : unsigned {
  kOtherFile = 1,  ///< device or inode
  kOtherSize = 2,
  kOtherTime = 4,
};

/// The report that a child writes into memory shared with the runner. The runner reads it after the
/// child has ended.
struct ChildReport {
  ChildStep step = ChildStep::kNone;
  int error_number = 0;
  unsigned changed = 0;           ///< ProgramChange bits
  std::int64_t realtime_ns = 0;   ///< CLOCK_REALTIME just before execve
  std::int64_t monotonic_ns = 0;  ///< CLOCK_MONOTONIC just before execve; 0: not reached
  rusage before{};                ///< usage before execve, to be subtracted from the program's
  bool died_waiting = false;      ///< true for a held child until it passes the gate
  std::uint32_t gate = 0;         ///< a futex, written by the runner: 0 = wait, 1 = proceed
};

/// A limit in the form that prlimit64 takes.
struct ChildLimit {
  int resource = 0;
  rlimit64 value{};
};

/// Describes in plain memory everything that a child does between clone and execve. The child may
/// neither allocate memory nor take locks, because it may share the heap of the running runner. A
/// plan is owned by LaunchPlan and must not change until the child has been reaped.
struct ChildPlan {
  static constexpr std::size_t kMaskWords = 1024 / (8 * sizeof(unsigned long));
  static constexpr std::size_t kNodeWords = 1024 / (8 * sizeof(unsigned long));

  int join_cgroup = -1;    ///< folder of the group to join; -1: no group, or clone3 joined it
  bool must_join = false;  ///< fail instead of running outside the group
  unsigned long affinity[kMaskWords] = {};
  /// The CPUs on which the process is created: the CPUs in `affinity`, or the benchmark CPUs if
  /// `affinity` allows all CPUs.
  unsigned long made_on[kMaskWords] = {};
  /// True if `affinity` contains several CPUs. The process is then created on one of them and sets
  /// its affinity itself.
  bool roams = false;
  bool reset_oom_score = false;
  bool set_nice = false;
  int nice = 0;
  int policy = -1;        ///< SCHED_BATCH or SCHED_FIFO; -1: inherited
  int fifo_priority = 0;  ///< for SCHED_FIFO
  /// The NUMA nodes that memory is restricted to. Used only if `bind_memory` is true.
  unsigned long nodes[kNodeWords] = {};
  bool bind_memory = false;
  bool fixed_layout = false;  ///< disable address space randomisation
  mode_t umask = 022;
  const ChildLimit* limits = nullptr;
  std::size_t limit_count = 0;
  int streams[3] = {-1, -1, -1};  ///< become descriptors 0, 1 and 2; each must be above 2
  int execute_fd = -1;            ///< executed instead of `path` unless it is -1; above 2

  bool clear_inheritable = false;
  __user_cap_data_struct capabilities[2] = {};  ///< the runner's, with no inheritable ones
  bool become_user = false;
  bool join_keyring = false;  ///< join a separate session keyring, as the user
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

  /// True if the child waits at the gate. Unless `roams` is true, its creator sets the affinity.
  bool held = false;
  /// Called once by a held child in the runner's memory if its gate stays closed for some 50
  /// microseconds; nullptr: nothing is called. May only make raw system calls.
  void (*on_closed_gate)(void* context) = nullptr;
  void* context = nullptr;
  ChildReport* report = nullptr;
};

/// Carries out `plan` and executes the program. If a step fails, reports it and exits with 127.
///
/// Runs in the new process with all signals blocked, possibly in its parent's memory. Therefore it
/// makes raw system calls only and is compiled without sanitizers or a stack protector.
[[noreturn]] void RunChild(const ChildPlan& plan);

}  // namespace benchd
