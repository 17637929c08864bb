#include "daemon/launch/spawn.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/base/result.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/raw_syscall.h"

// Older kernel and glibc headers do not define these constants.
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

namespace benchd {
namespace {

constexpr std::size_t kReportBytes = 4096;

/// The result of clone.
struct RawSpawned {
  pid_t pid = 0;  ///< 0: no process was created
  int pidfd = -1;
  int error_number = 0;
  bool refused_group = false;  ///< the kernel refused SpawnOptions::cgroup_fd
};

void ChildEntry(void* plan) { RunChild(*static_cast<const ChildPlan*>(plan)); }

int CloneEntry(void* plan) { RunChild(*static_cast<const ChildPlan*>(plan)); }

/// Replaces RawClone3() on machines that lack it or where a container's filter forbids it. Suspends
/// the runner until the child reaches execve.
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

namespace {

/// Prepares `plan` and `area` for the next child.
void BeginSpawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options) {
  area.report() = ChildReport{};
  area.report().gate = options.held ? 0 : 1;
  area.report().died_waiting = options.held;
  plan.held = options.held;
  plan.on_closed_gate = nullptr;
  plan.report = &area.report();
  plan.parent = getpid();
  plan.join_cgroup = -1;
}

/// Creates the child that BeginSpawn() prepared. It becomes a child of the calling process or, with
/// `sibling` (held children only), of that process's parent. The kernel writes the pid and the
/// pidfd into `made`, so they are valid even if the calling process is killed in the meantime.
/// Makes raw system calls only.
void CloneChild(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options, bool sibling,
                RawSpawned& made) {
  clone_args args{};
  args.flags = CLONE_PIDFD | CLONE_PARENT_SETTID;
  if (options.share_memory) args.flags |= CLONE_VM;
  if (sibling) args.flags |= CLONE_PARENT;
  args.pidfd = reinterpret_cast<std::uint64_t>(&made.pidfd);
  args.parent_tid = reinterpret_cast<std::uint64_t>(&made.pid);
  // execve resets the signal to SIGCHLD. Before that, a SIGCHLD would suggest that a run left a
  // process behind.
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

/// Converts `made` to the result of Spawn(), which owns the descriptor.
Result<Spawned> SpawnResult(const RawSpawned& made, const SpawnOptions& options) {
  if (made.pid > 0) return Spawned{made.pid, UniqueFd(made.pidfd)};
  if (made.refused_group && options.only_in_cgroup) {
    return SystemError("starting a process in its control group", made.error_number);
  }
  if (made.error_number == ENOSYS && options.held) {
    return Error{ErrorCode::kUnimplemented, "starting a process: clone3 is not available"};
  }
  return SystemError("starting a process", made.error_number);
}

}  // namespace

Result<Spawned> Spawn(ChildPlan& plan, SpawnArea& area, const SpawnOptions& options) {
  if (!area.valid()) return SystemError("allocating memory for a child", ENOMEM);
  BeginSpawn(plan, area, options);
  RawSpawned made;
  CloneChild(plan, area, options, false, made);
  auto spawned = SpawnResult(made, options);
  // The child also sets its own affinity. If the runner sets it before the child has run, the child
  // wakes on its own CPU and need not be moved from the runner's CPU.
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

// ---- the spawner ----
namespace {

enum Stage : std::uint32_t {
  kNothing,
  kOrdered,  ///< wait until SharedState::after has ended
  kDue,      ///< create the child now
  kMaking,
  kMade,
};

/// How long Take() polls before it sleeps, in nanoseconds. A wake-up takes longer than creating a
/// child.
constexpr std::int64_t kWatchfulness = 200'000;
/// How often a sleeping Take() checks that the spawner is alive.
constexpr timespec kCheckInterval{0, 10'000'000};
/// How long Take() waits, in nanoseconds, before it kills a spawner that does not respond, for
/// example because it was stopped.
constexpr std::int64_t kGiveUp = 1'000'000'000;
/// How long Notice() waits, in nanoseconds, for a child that is fetching the runner. Only a killed
/// or stopped one takes longer.
constexpr std::int64_t kGiveUpFetch = 100'000'000;

/// Who handles the end of a child: the lowest two bits of SharedState::handling. The others are the
/// pid of that child.
enum Handling : std::uint64_t {
  kNoticed = 1,   ///< the runner, wherever it is
  kFetching = 2,  ///< the runner, which the next child is moving to its own CPU
  kFetched = 3,   ///< the runner, which is on the CPU of the next child
};

constexpr std::uint64_t HandlingOf(pid_t pid, Handling handling) {
  return (static_cast<std::uint64_t>(pid) << 2U) | handling;
}
constexpr pid_t PidOf(std::uint64_t handling) { return static_cast<pid_t>(handling >> 2U); }

std::int64_t RawMonotonicNow() {
  timespec now{};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, Word(&now));
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A set of CPUs, as the kernel takes it.
struct CpuWords {
  unsigned long words[ChildPlan::kMaskWords] = {};
};

void Wake(const std::uint32_t& word) { RawSyscall(SYS_futex, Word(&word), FUTEX_WAKE, 1); }

void SleepWhile(const std::uint32_t& word, std::uint32_t value, const timespec* most = nullptr) {
  RawSyscall(SYS_futex, Word(&word), FUTEX_WAIT, value, Word(most));
}

}  // namespace

/// The state that the runner and the spawner share.
struct Spawner::SharedState {
  std::uint32_t state = kNothing;  ///< a futex
  std::uint32_t runner_sleeps = 0;
  ChildPlan* plan = nullptr;
  SpawnArea* area = nullptr;
  SpawnOptions options;
  pid_t after = 0;
  RawSpawned made;

  pid_t runner = 0;
  unsigned long affinity[ChildPlan::kMaskWords] = {};
  /// A duplicate descriptor of the child whose end is awaited. The runner closes the original
  /// descriptor, and its number may then be reused.
  int watched = -1;
  pid_t ended = 0;  ///< the last child whose end was seen, at `ended_at`
  std::int64_t ended_at = 0;
  bool roamed = false;  ///< the child may use several CPUs
  int ended_on = -1;    ///< the CPU on which the last roaming child ended; -1: unknown

  std::uint64_t handling = 0;  ///< a Handling and the pid of a child
  CpuWords home;               ///< the CPUs of the runner before it was fetched
  unsigned fetched_to = 0;     ///< the CPU to which it was fetched
  bool may_fetch = true;       ///< the kernel has never refused to move the runner

  std::atomic_ref<std::uint32_t> State() { return std::atomic_ref<std::uint32_t>(state); }

  /// Runs the main loop of the spawner. It shares the runner's memory, so it makes raw system calls
  /// only (child.h).
  [[noreturn]] void Serve();
  bool AwaitOrder();
  void Watch(int pidfd);
  void AwaitEnd(pid_t child);
  void Follow();
  static void FetchRunner(void* state);
  bool PrepareFetch(CpuWords& here);
  std::atomic_ref<std::uint64_t> Handler() { return std::atomic_ref<std::uint64_t>(handling); }
  static void Enter(void* state) { static_cast<SharedState*>(state)->Serve(); }
};

void Spawner::SharedState::Serve() {
  RawSyscall(SYS_prctl, PR_SET_NAME, Word("benchd-spawner"));
  RawSyscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  while (RawSyscall(SYS_getppid) == runner) {
    const bool on_end = AwaitOrder();
    // The order belongs to the spawner until Take().
    roamed = plan->roams;
    if (roamed) Follow();
    if (on_end && may_fetch && options.share_memory) {
      plan->context = this;
      plan->on_closed_gate = &FetchRunner;
    }
    CloneChild(*plan, *area, options, true, made);
    const pid_t child = made.pid;
    if (child > 0) Watch(made.pidfd);
    State().store(kMade);
    if (std::atomic_ref<std::uint32_t>(runner_sleeps).load() != 0) Wake(state);
    if (child > 0) AwaitEnd(child);
  }
  for (;;) RawSyscall(SYS_exit_group, 0);
}

/// Returns whether the end of `after` has started the order, instead of Take().
bool Spawner::SharedState::AwaitOrder() {
  for (;;) {
    std::uint32_t seen = State().load(std::memory_order_acquire);
    // If another process created `after`, the order starts only at Take().
    if (seen != kDue && !(seen == kOrdered && after == ended)) {
      SleepWhile(state, seen);
    } else if (State().compare_exchange_strong(seen, kMaking)) {
      return seen == kOrdered;
    }
  }
}

void Spawner::SharedState::Watch(int pidfd) {
  if (watched >= 0) {
    RawSyscall(SYS_dup3, pidfd, watched, O_CLOEXEC);
  } else {
    watched = static_cast<int>(RawSyscall(SYS_fcntl, pidfd, F_DUPFD_CLOEXEC, 0));
  }
}

void Spawner::SharedState::AwaitEnd(pid_t child) {
  pollfd end{watched, POLLIN, 0};
  // ppoll, because arm64 does not have the system call poll.
  if (watched < 0 || RawSyscall(SYS_ppoll, Word(&end), 1, 0, 0, 0) != 1) return;
  ended_at = RawMonotonicNow();
  std::atomic_ref<pid_t>(ended).store(child, std::memory_order_release);
  if (roamed) ended_on = RawLastCpuOf(child);
}

/// Moves the spawner to the CPU where the last child ended, if the next child may be created there.
/// execve or load balancing may have moved the last child, and the kernel reuses its stack for the
/// next process created on the CPU where it ended.
void Spawner::SharedState::Follow() {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  const auto cpu = static_cast<std::size_t>(ended_on);
  if (ended_on < 0 || cpu >= ChildPlan::kMaskWords * kBits) return;
  unsigned long there[ChildPlan::kMaskWords] = {};
  there[cpu / kBits] = 1UL << (cpu % kBits);
  if ((affinity[cpu / kBits] & there[cpu / kBits]) == 0) return;
  RawSyscall(SYS_sched_setaffinity, 0, sizeof(there), Word(there));
}

/// Fetches the runner if it has not noticed the end of the last child. Called by the next child,
/// which waits at its gate on this CPU, so that nothing is measured.
void Spawner::SharedState::FetchRunner(void* state) {
  auto& shared = *static_cast<SharedState*>(state);
  const pid_t ended = shared.ended;
  std::uint64_t seen = shared.Handler().load();
  CpuWords here{};
  if (PidOf(seen) == ended || !shared.PrepareFetch(here)) return;
  if (!shared.Handler().compare_exchange_strong(seen, HandlingOf(ended, kFetching))) return;
  shared.may_fetch =
      RawSyscall(SYS_sched_setaffinity, shared.runner, sizeof(here), Word(&here)) >= 0;
  // Unless the runner has been here and is home again.
  seen = HandlingOf(ended, kFetching);
  shared.Handler().compare_exchange_strong(
      seen, HandlingOf(ended, shared.may_fetch ? kFetched : kNoticed));
}

/// Returns false if the runner may run on this CPU anyway. Otherwise, records where it may run, and
/// sets `here` to this CPU.
bool Spawner::SharedState::PrepareFetch(CpuWords& here) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  unsigned cpu = 0;
  CpuWords now{};
  if (RawSyscall(SYS_getcpu, Word(&cpu)) < 0 || cpu >= ChildPlan::kMaskWords * kBits) return false;
  if (RawSyscall(SYS_sched_getaffinity, runner, sizeof(now), Word(&now)) < 0) return false;
  here.words[cpu / kBits] = 1UL << (cpu % kBits);
  if ((now.words[cpu / kBits] & here.words[cpu / kBits]) != 0) return false;
  home = now;
  std::atomic_ref<unsigned>(fetched_to).store(cpu);
  return true;
}

Spawner::Spawner() : shared_(std::make_unique<SharedState>()) {}

Result<std::unique_ptr<Spawner>> Spawner::Open(int cgroup_fd) {
  std::unique_ptr<Spawner> spawner(new Spawner);
  if (!spawner->area_.valid()) return SystemError("allocating memory for the spawner", ENOMEM);
  spawner->shared_->runner = getpid();
  int pidfd = -1;
  clone_args args{};
  // Shares the runner's descriptors, because the plans of children refer to them.
  args.flags = CLONE_VM | CLONE_FILES | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  args.stack = reinterpret_cast<std::uint64_t>(spawner->area_.stack());
  args.stack_size = SpawnArea::kStackBytes;
  if (cgroup_fd >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(cgroup_fd);
  }
  const long pid = RawClone3(args, SharedState::Enter, spawner->shared_.get());
  if (pid == -ENOSYS) return Error{ErrorCode::kUnimplemented, "spawner: clone3 is not available"};
  if (pid < 0) return SystemError("starting the spawner", static_cast<int>(-pid));
  spawner->process_ = {static_cast<pid_t>(pid), UniqueFd(pidfd)};
  // The spawner does not inherit the runner's real-time priority. Without the priority, it would
  // notice the end of a run too late if its CPU is busy.
  sched_param own{};
  if (sched_getparam(0, &own) == 0) {
    static_cast<void>(sched_setscheduler(spawner->pid(), sched_getscheduler(0), &own) == 0);
  }
  return spawner;
}

Spawner::~Spawner() {
  if (!process_.pidfd) return;
  KillAndWait(process_);
  // The end of the child may have been handled without Notice().
  fetched_ = fetched_ || (shared_->handling & kFetching) != 0;
  SendHome();
  if (shared_->watched >= 0) close(shared_->watched);
}

bool Spawner::Order(ChildPlan& plan, SpawnArea& area, SpawnOptions options, pid_t after) {
  if (!area.valid()) return false;
  if (!std::equal(std::begin(plan.made_on), std::end(plan.made_on), shared_->affinity)) {
    const long set =
        RawSyscall(SYS_sched_setaffinity, process_.pid, sizeof(plan.made_on), Word(plan.made_on));
    if (set < 0) return false;
    std::copy(std::begin(plan.made_on), std::end(plan.made_on), shared_->affinity);
  }
  options.held = true;
  BeginSpawn(plan, area, options);
  shared_->plan = &plan;
  shared_->area = &area;
  shared_->options = options;
  shared_->after = after;
  shared_->made = {};
  // Does not wake the spawner, because that would disturb the run in progress.
  shared_->State().store(kOrdered, std::memory_order_release);
  return true;
}

std::optional<std::int64_t> Spawner::EndOf(pid_t pid) const {
  if (std::atomic_ref<pid_t>(shared_->ended).load(std::memory_order_acquire) != pid) return {};
  return shared_->ended_at;
}

bool Spawner::Withdraw() {
  std::uint32_t expected = kOrdered;
  return shared_->State().compare_exchange_strong(expected, kNothing);
}

bool Spawner::HasEnded() const {
  siginfo_t info{};
  const auto id = static_cast<id_t>(process_.pidfd.get());
  return waitid(P_PIDFD, id, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 || info.si_pid != 0;
}

void Spawner::Notice(pid_t pid) {
  noticed_ = pid;
  std::atomic_ref<std::uint64_t> handler = shared_->Handler();
  std::uint64_t seen = handler.load();
  while (PidOf(seen) != pid) {
    if (!handler.compare_exchange_strong(seen, HandlingOf(pid, kNoticed))) continue;
    // A child may have fetched the runner after an earlier Notice() had given up waiting.
    fetched_ = fetched_ || (seen & kFetching) != 0;
    return;
  }
  // A child that is fetching the runner needs two system calls, unless something kills it. It gets
  // no CPU for the second one while the runner has a real-time priority and is already there.
  const std::int64_t begin = MonotonicNow();
  const std::atomic_ref<unsigned> there(shared_->fetched_to);
  while (seen == HandlingOf(pid, kFetching) && sched_getcpu() != static_cast<int>(there.load()) &&
         MonotonicNow() - begin < kGiveUpFetch) {
    seen = handler.load();
  }
  fetched_ = seen != HandlingOf(pid, kNoticed);
}

void Spawner::SendHome() {
  if (!std::exchange(fetched_, false)) return;
  // Before the move, because the runner may wait for its own CPU while the next child ends, and be
  // fetched again by the one after it.
  std::atomic_ref<std::uint64_t> handler = shared_->Handler();
  std::uint64_t seen = handler.load();
  while (PidOf(seen) == noticed_ &&
         !handler.compare_exchange_strong(seen, HandlingOf(noticed_, kNoticed))) {
  }
  RawSyscall(SYS_sched_setaffinity, 0, sizeof(shared_->home), Word(&shared_->home));
}

Result<Spawned> Spawner::Take() {
  std::uint32_t ordered = kOrdered;
  if (shared_->State().compare_exchange_strong(ordered, kDue)) Wake(shared_->state);
  const std::int64_t begin = MonotonicNow();
  std::atomic_ref<std::uint32_t> sleeps(shared_->runner_sleeps);
  for (;;) {
    const std::uint32_t seen = shared_->State().load();
    if (seen == kMade) break;
    const std::int64_t waited = MonotonicNow() - begin;
    if (waited < kWatchfulness) continue;
    sleeps.store(1);
    SleepWhile(shared_->state, seen, &kCheckInterval);
    if (waited > kGiveUp) SendKill(process_);
    if (HasEnded()) break;
  }
  sleeps.store(0);
  shared_->State().store(kNothing, std::memory_order_relaxed);
  if (shared_->made.pid == 0 && shared_->made.error_number == 0) {
    return Error{ErrorCode::kUnavailable, "the spawner was killed"};
  }
  return SpawnResult(shared_->made, shared_->options);
}

}  // namespace benchd
