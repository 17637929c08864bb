#include "daemon/runner/spawn.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "daemon/base/error.h"
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

extern "C" [[gnu::used]] void BenchdChildEntry(void* plan) {
  RunChild(*static_cast<const ChildPlan*>(plan));
}

int CloneEntry(void* plan) { RunChild(*static_cast<const ChildPlan*>(plan)); }

/// clone3 whose child goes on in BenchdChildEntry on the stack given in `args`.
/// @returns the child's pid, or the negative error number.
long Clone3(const clone_args& args, const ChildPlan& plan) {
#if defined(__x86_64__)
  long result = SYS_clone3;
  // The child has a new stack, where nothing of this frame is: it may use registers only, and must
  // never come back here.
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[plan], %%rdi\n\t"
      "call *%[entry]\n\t"
      "ud2\n"
      "1:"
      : "+a"(result)
      : "D"(&args), "S"(sizeof(args)), [plan] "r"(&plan), [entry] "r"(&BenchdChildEntry)
      : "rcx", "r11", "memory", "cc");
  return result;
#else
  (void)args;
  (void)plan;
  return -ENOSYS;
#endif
}

/// For machines where Clone3() does not exist or is forbidden (a container's filter): the runner is
/// suspended until the child has become its program.
long ClonePortably(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options, int& pidfd) {
  plan.join_cgroup = options.cgroup_fd;
  plan.must_join = options.only_in_cgroup;
  int flags = CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
  if (options.share_memory) flags |= CLONE_VM;
  char* const top = area.stack() + SpawnArea::kStackBytes;
  const int pid = clone(CloneEntry, top, flags, &plan, &pidfd);
  return pid < 0 ? -errno : pid;
}

void SetAffinity(long pid, const ChildPlan& plan) {
  RawSyscall(SYS_sched_setaffinity, pid, sizeof(plan.affinity), Word(plan.affinity));
}

void* Map(std::size_t bytes, int flags) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

SpawnArea::SpawnArea()
    : stack_(static_cast<char*>(Map(kStackBytes, MAP_PRIVATE | MAP_STACK))),
      report_(static_cast<ChildReport*>(Map(kReportBytes, MAP_SHARED))) {}

SpawnArea::~SpawnArea() {
  if (stack_ != nullptr) munmap(stack_, kStackBytes);
  if (report_ != nullptr) munmap(report_, kReportBytes);
}

void SpawnArea::Abandon() {
  stack_ = nullptr;
  report_ = nullptr;
}

Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options) {
  if (!area.valid()) return SystemError("memory for a child", ENOMEM);
  area.report() = ChildReport{};
  area.report().gate = options.held ? 0 : 1;
  area.report().died_waiting = options.held;
  plan.held = options.held;
  plan.report = &area.report();
  plan.parent = getpid();
  plan.join_cgroup = -1;

  int pidfd = -1;
  clone_args args{};
  args.flags = CLONE_PIDFD | (options.share_memory ? std::uint64_t{CLONE_VM} : 0);
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  // execve makes it SIGCHLD. Until then a held child is no sign that a run left something behind.
  args.exit_signal = options.held ? 0 : SIGCHLD;
  args.stack = reinterpret_cast<std::uint64_t>(area.stack());
  args.stack_size = SpawnArea::kStackBytes;
  long pid = -ENOSYS;
  if (options.cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(options.cgroup_fd);
    pid = Clone3(args, plan);
    args.flags &= ~std::uint64_t{CLONE_INTO_CGROUP};
    args.cgroup = 0;
  }
  const bool refused_cgroup = pid < 0 && pid != -ENOSYS && pid != -EAGAIN && pid != -ENOMEM;
  if (refused_cgroup && options.only_in_cgroup) {
    return SystemError("starting a process in its control group", static_cast<int>(-pid));
  }
  if (options.cgroup_fd < 0 || refused_cgroup) pid = Clone3(args, plan);
  if (pid == -ENOSYS && options.held) {
    return Error{ErrorCode::kUnimplemented, "starting a process: there is no clone3 here", {}};
  }
  if (pid == -ENOSYS) pid = ClonePortably(plan, area, options, pidfd);
  if (pid < 0) return SystemError("starting a process", static_cast<int>(-pid));
  // The child does this for itself as well. Done from here, mostly before it has run at all, it
  // wakes on its own CPU and need not be moved there from ours.
  if (!options.held) SetAffinity(pid, plan);
  return Spawned{static_cast<pid_t>(pid), UniqueFd(pidfd)};
}

void AwaitAtGate(SpawnArea& area) {
  constexpr timespec kPatience{0, 1'000'000};
  std::uint32_t* const at_gate = &area.report().at_gate;
  if (std::atomic_ref<std::uint32_t>(*at_gate).load(std::memory_order_acquire) != 0) return;
  RawSyscall(SYS_futex, Word(at_gate), FUTEX_WAIT, 0, Word(&kPatience));
}

void OpenGate(pid_t pid, const ChildPlan& plan, SpawnArea& area) {
  SetAffinity(pid, plan);
  std::atomic_ref<std::uint32_t>(area.report().gate).store(1, std::memory_order_release);
  RawSyscall(SYS_futex, Word(&area.report().gate), FUTEX_WAKE, 1);
}

}  // namespace benchd
