#include "daemon/runner/spawn.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "core/base/error.h"
#include "daemon/runner/raw_syscall.h"

// The kernel's and glibc's headers disagree about who defines these.
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

namespace benchd {
namespace {

constexpr std::size_t kReportBytes = 4096;

void ChildEntry(void* plan) { RunChild(*static_cast<const ChildPlan*>(plan)); }

int CloneEntry(void* plan) { RunChild(*static_cast<const ChildPlan*>(plan)); }

/// For machines where RawClone3() does not exist or is forbidden (a container's filter): the runner
/// is suspended until the child has become its program.
long ClonePortably(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options, int& pidfd) {
  plan.join_cgroup = options.cgroup_fd;
  plan.must_join = options.only_in_cgroup;
  int flags = CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
  if (options.share_memory) flags |= CLONE_VM;
  char* const top = area.stack() + SpawnArea::kStackBytes;
  const int pid = clone(CloneEntry, top, flags, &plan, &pidfd);
  return pid < 0 ? -errno : pid;
}

void* Map(std::size_t bytes, int flags) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

SpawnArea::SpawnArea() { Make(); }

void SpawnArea::Make() {
  stack_ = static_cast<char*>(Map(kStackBytes, MAP_PRIVATE | MAP_STACK));
  report_ = static_cast<ChildReport*>(Map(kReportBytes, MAP_SHARED));
}

SpawnArea::~SpawnArea() {
  if (stack_ != nullptr) munmap(stack_, kStackBytes);
  if (report_ != nullptr) munmap(report_, kReportBytes);
}

void SpawnArea::Abandon() { Make(); }

void BeginSpawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options) {
  area.report() = ChildReport{};
  area.report().gate = options.held ? 0 : 1;
  area.report().died_waiting = options.held;
  plan.held = options.held;
  plan.report = &area.report();
  plan.parent = getpid();
  plan.join_cgroup = -1;
}

void CloneChild(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options, bool sibling,
                RawSpawned& made) {
  clone_args args{};
  args.flags = CLONE_PIDFD | CLONE_PARENT_SETTID;
  if (options.share_memory) args.flags |= CLONE_VM;
  if (sibling) args.flags |= CLONE_PARENT;
  args.pidfd = reinterpret_cast<std::uint64_t>(&made.pidfd);
  args.parent_tid = reinterpret_cast<std::uint64_t>(&made.pid);
  // execve makes it SIGCHLD. Until then a held child is no sign that a run left something behind.
  args.exit_signal = options.held ? 0 : SIGCHLD;
  args.stack = reinterpret_cast<std::uint64_t>(area.stack());
  args.stack_size = SpawnArea::kStackBytes;
  long result = -ENOSYS;
  if (options.cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(options.cgroup_fd);
    result = RawClone3(args, ChildEntry, &plan);
    args.flags &= ~std::uint64_t{CLONE_INTO_CGROUP};
    args.cgroup = 0;
    made.refused_group = result < 0 && result != -ENOSYS && result != -EAGAIN && result != -ENOMEM;
  }
  if (options.cgroup_fd < 0 || (made.refused_group && !options.only_in_cgroup)) {
    result = RawClone3(args, ChildEntry, &plan);
  }
  if (result == -ENOSYS && !options.held) result = ClonePortably(plan, area, options, made.pidfd);
  made.pid = result > 0 ? static_cast<pid_t>(result) : 0;
  made.error_number = result < 0 ? static_cast<int>(-result) : 0;
}

Result<Spawned> SpawnResult(const RawSpawned& made, const SpawnOptions& options) {
  if (made.pid > 0) return Spawned{made.pid, UniqueFd(made.pidfd)};
  if (made.refused_group && options.only_in_cgroup) {
    return SystemError("starting a process in its control group", made.error_number);
  }
  if (made.error_number == ENOSYS && options.held) {
    return Error{ErrorCode::kUnimplemented, "starting a process: there is no clone3 here", {}};
  }
  return SystemError("starting a process", made.error_number);
}

Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options) {
  if (!area.valid()) return SystemError("memory for a child", ENOMEM);
  BeginSpawn(plan, area, options);
  RawSpawned made;
  CloneChild(plan, area, options, false, made);
  auto spawned = SpawnResult(made, options);
  // The child does this for itself as well. Done from here, mostly before it has run at all, it
  // wakes on its own CPU and need not be moved there from ours.
  if (spawned && !options.held) SetAffinity(spawned->pid, plan);
  return spawned;
}

void SendKill(const Spawned& process) {
  syscall(SYS_pidfd_send_signal, process.pidfd.get(), SIGKILL, nullptr, 0);
}

void KillAndWait(const Spawned& process) {
  SendKill(process);
  siginfo_t info{};
  waitid(P_PIDFD, static_cast<id_t>(process.pidfd.get()), &info, WEXITED | __WALL);
}

bool SetAffinity(pid_t pid, const ChildPlan& plan) {
  return RawSyscall(SYS_sched_setaffinity, pid, sizeof(plan.affinity), Word(plan.affinity)) >= 0;
}

void OpenGate(SpawnArea& area) {
  std::atomic_ref<std::uint32_t>(area.report().gate).store(1, std::memory_order_release);
  RawSyscall(SYS_futex, Word(&area.report().gate), FUTEX_WAKE, 1);
}

}  // namespace benchd
