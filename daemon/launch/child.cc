#include "daemon/launch/child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <linux/mempolicy.h>
#include <linux/stat.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <time.h>

#include <atomic>

#include "daemon/kernel/kernel_paths.h"
#include "daemon/launch/raw_syscall.h"

namespace benchd {
namespace {

constexpr int kExecuteFd = 3;

[[noreturn]] void Exit(int code) {
  for (;;) RawSyscall(SYS_exit_group, code);
}

[[noreturn]] void Fail(const ChildPlan& plan, ChildStep step, long result) {
  plan.report->error_number = static_cast<int>(-result);
  plan.report->step = step;
  Exit(127);
}

/// Ends the child if a system call failed.
long Check(const ChildPlan& plan, ChildStep step, long result) {
  if (result < 0) Fail(plan, step, result);
  return result;
}

/// Writes "0" to a file in `folder`. In cgroup.procs it stands for the calling process, and in
/// oom_score_adj it means no adjustment.
long WriteZero(int folder, const char* name) {
  const long fd = RawSyscall(SYS_openat, folder, Word(name), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return fd;
  const long written = RawSyscall(SYS_write, fd, Word("0"), 1);
  RawSyscall(SYS_close, fd);
  return written;
}

/// Sets a resource limit. If the kernel refuses it, clamps it to the inherited hard limit.
void SetLimit(const ChildPlan& plan, const ChildLimit& limit) {
  rlimit64 value = limit.value;
  long result = RawSyscall(SYS_prlimit64, 0, limit.resource, Word(&value), 0);
  if (result == -EPERM) {
    rlimit64 own{};
    RawSyscall(SYS_prlimit64, 0, limit.resource, 0, Word(&own));
    if (value.rlim_max > own.rlim_max) value.rlim_max = own.rlim_max;
    if (value.rlim_cur > value.rlim_max) value.rlim_cur = value.rlim_max;
    result = RawSyscall(SYS_prlimit64, 0, limit.resource, Word(&value), 0);
  }
  Check(plan, ChildStep::kLimits, result);
}

void SetPriority(const ChildPlan& plan) {
  if (plan.set_nice) {
    Check(plan, ChildStep::kPriority, RawSyscall(SYS_setpriority, PRIO_PROCESS, 0, plan.nice));
  }
  if (plan.policy < 0) return;
  const sched_param parameters{plan.fifo_priority};
  Check(plan, ChildStep::kPriority,
        RawSyscall(SYS_sched_setscheduler, 0, plan.policy, Word(&parameters)));
}

void SetMemory(const ChildPlan& plan) {
  if (plan.bind_memory) {
    constexpr long kMaxNode = sizeof(plan.nodes) * 8;
    Check(plan, ChildStep::kMemory,
          RawSyscall(SYS_set_mempolicy, MPOL_BIND, Word(plan.nodes), kMaxNode));
  }
  if (plan.fixed_layout) {
    Check(plan, ChildStep::kMemory, RawSyscall(SYS_personality, ADDR_NO_RANDOMIZE));
  }
}

void Place(const ChildPlan& plan) {
  // Done before setting the affinity, because joining a cpuset overrides it.
  if (plan.join_cgroup >= 0) {
    const long joined = WriteZero(plan.join_cgroup, paths::kGroupProcesses);
    // Without limits, a refusal does no harm, because descendants are found through their parents.
    if (plan.must_join) Check(plan, ChildStep::kGroup, joined);
  }
  if (!plan.held || plan.roams) {
    Check(plan, ChildStep::kAffinity,
          RawSyscall(SYS_sched_setaffinity, 0, sizeof(plan.affinity), Word(plan.affinity)));
  }
  // This may fail, because not every runner may lower the score. Children then inherit it.
  if (plan.reset_oom_score) WriteZero(AT_FDCWD, paths::kOwnOomScore);
  RawSyscall(SYS_umask, static_cast<long>(plan.umask));
  for (std::size_t i = 0; i < plan.limit_count; ++i) SetLimit(plan, plan.limits[i]);
  SetPriority(plan);
  SetMemory(plan);
}

void Separate(const ChildPlan& plan) {
  Check(plan, ChildStep::kSession, RawSyscall(SYS_setsid));
  if (plan.clear_inheritable) {
    // This also clears the ambient capabilities. A program then starts without capabilities if its
    // user is unprivileged, and with all of them if its user is root, as usual.
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    Check(plan, ChildStep::kCapabilities,
          RawSyscall(SYS_capset, Word(&header), Word(plan.capabilities)));
  }
  for (int stream = 0; stream < 3; ++stream) {
    Check(plan, ChildStep::kStreams, RawSyscall(SYS_dup3, plan.streams[stream], stream, 0));
  }
  int first_closed = 3;
  if (plan.execute_fd >= 0) {
    if (plan.execute_fd != kExecuteFd) {
      Check(plan, ChildStep::kStreams,
            RawSyscall(SYS_dup3, plan.execute_fd, kExecuteFd, O_CLOEXEC));
    }
    first_closed = kExecuteFd + 1;
  }
  Check(plan, ChildStep::kDescriptors, RawSyscall(SYS_close_range, first_closed, ~0U, 0));
}

void BecomeUser(const ChildPlan& plan) {
  if (plan.become_user) {
    Check(plan, ChildStep::kGroups,
          RawSyscall(SYS_setgroups, static_cast<long>(plan.group_count), Word(plan.groups)));
    const long gid = static_cast<long>(plan.gid);
    Check(plan, ChildStep::kGid, RawSyscall(SYS_setresgid, gid, gid, gid));
    const long uid = static_cast<long>(plan.uid);
    Check(plan, ChildStep::kUid, RawSyscall(SYS_setresuid, uid, uid, uid));
    // The change of ids set the dumpable flag to the value of fs.suid_dumpable. If that is 2, a
    // core dump would contain the runner's memory. execve resets the flag and gives the program new
    // memory.
    RawSyscall(SYS_prctl, PR_SET_DUMPABLE, 0);
    // This may fail because the kernel has no keyrings (ENOSYS) or because of a container's filter.
    // In both cases no keys are shared.
    if (plan.join_keyring) RawSyscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
    if (plan.uid != 0) {
      // The kernel dropped the capabilities when the uid changed, unless a securebit of the runner
      // prevents that.
      __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
      __user_cap_data_struct empty[2] = {};
      Check(plan, ChildStep::kCapabilities, RawSyscall(SYS_capset, Word(&header), Word(empty)));
    }
  }
}

/// Makes the kernel kill the child when the runner dies.
void DieWithRunner(const ChildPlan& plan) {
  RawSyscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (RawSyscall(SYS_getppid) != plan.parent) Exit(127);
}

/// The number of times that a child polls its gate before it sleeps, which takes a few hundred
/// microseconds. The runner usually opens the gate within that time, so that the run begins on a
/// CPU that is awake. A sleeping child leaves the CPU to other processes.
constexpr int kLooksBeforeSleep = 4000;
/// The number after which it calls ChildPlan::on_closed_gate.
constexpr int kLooksBeforeCall = 1000;

/// Yields the core to its sibling hardware thread during a busy-wait loop.
void RelaxCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` does nothing on most cores; `isb` waits about 10 ns
#endif
}

/// Waits until the runner opens the gate.
void WaitAtGate(const ChildPlan& plan) {
  if (!plan.held) return;
  DieWithRunner(plan);
  const std::atomic_ref<std::uint32_t> gate(plan.report->gate);
  for (int look = 0; gate.load(std::memory_order_acquire) == 0; ++look) {
    if (look == kLooksBeforeCall && plan.on_closed_gate != nullptr) {
      plan.on_closed_gate(plan.context);
    } else if (look < kLooksBeforeSleep) {
      RelaxCpu();
    } else {
      RawSyscall(SYS_futex, Word(&plan.report->gate), FUTEX_WAIT, 0, 0);
    }
  }
  plan.report->died_waiting = false;
}

/// Opens a file as the user and makes it stream 0 or 1.
void OpenStream(const ChildPlan& plan, ChildStep step, const char* path, int flags, int stream) {
  const long fd = Check(plan, step,
                        RawSyscall(SYS_openat, AT_FDCWD, Word(path),
                                   flags | O_CLOEXEC | O_NOCTTY | O_LARGEFILE, 0666));
  Check(plan, step, RawSyscall(SYS_dup3, fd, stream, 0));
  RawSyscall(SYS_close, fd);
}

void OpenFiles(const ChildPlan& plan) {
  if (plan.cwd != nullptr) Check(plan, ChildStep::kCwd, RawSyscall(SYS_chdir, Word(plan.cwd)));
  if (plan.input != nullptr) OpenStream(plan, ChildStep::kInput, plan.input, O_RDONLY, 0);
  if (plan.output != nullptr) {
    OpenStream(plan, ChildStep::kOutput, plan.output, O_WRONLY | O_CREAT | O_TRUNC, 1);
  }
}

void CheckIdentity(const ChildPlan& plan) {
  if (!plan.check_identity) return;
  struct statx file {};
  Check(plan, ChildStep::kStat,
        RawSyscall(SYS_statx, AT_FDCWD, Word(plan.path), AT_STATX_SYNC_AS_STAT,
                   STATX_INO | STATX_SIZE | STATX_MTIME, Word(&file)));
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  unsigned changed = 0;
  if (file.stx_dev_major != plan.device_major || file.stx_dev_minor != plan.device_minor ||
      file.stx_ino != plan.inode) {
    changed |= kOtherFile;
  }
  if (file.stx_size != plan.size_bytes) changed |= kOtherSize;
  if (file.stx_mtime.tv_sec * kNanosPerSecond + file.stx_mtime.tv_nsec != plan.mtime_ns) {
    changed |= kOtherTime;
  }
  if (changed != 0) {
    plan.report->changed = changed;
    Fail(plan, ChildStep::kIdentity, 0);
  }
}

/// Unblocks all signals. While they were blocked, the user who owns the process could only kill it.
/// The runner keeps all signal dispositions at their defaults, so that only the mask must be reset.
void UnblockSignals() {
  const unsigned long none = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, Word(&none), 0, sizeof(none));
}

std::int64_t Now(clockid_t clock) {
  timespec now{};
  RawSyscall(SYS_clock_gettime, clock, Word(&now));
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void RunChild(const ChildPlan& plan) {
  Place(plan);
  Separate(plan);
  WaitAtGate(plan);
  BecomeUser(plan);
  // The change of ids cleared the parent-death signal.
  if (!plan.held || plan.become_user) DieWithRunner(plan);
  OpenFiles(plan);
  CheckIdentity(plan);
  UnblockSignals();
  long result = 0;
  if (plan.execute_fd >= 0) {
    result = RawSyscall(SYS_execveat, kExecuteFd, Word(""), Word(plan.argv), Word(plan.envp),
                        AT_EMPTY_PATH);
  } else {
    RawSyscall(SYS_getrusage, RUSAGE_SELF, Word(&plan.report->before));
    plan.report->realtime_ns = Now(CLOCK_REALTIME);
    plan.report->monotonic_ns = Now(CLOCK_MONOTONIC);
    result = RawSyscall(SYS_execve, Word(plan.path), Word(plan.argv), Word(plan.envp));
  }
  Fail(plan, ChildStep::kExecute, result);
}

}  // namespace benchd
