// A hostile benchmark: it does one of the things by which a program could outlive its run, harm its
// host or disturb the next run. Its result is "n 1000" on stdout if the attempt had no effect.
//
//   hostile WHAT [NUMBER...]
//
// It limits all that it does, so that a failing test does no harm: processes by a shared count,
// memory and files by a number, and life by an alarm in each process.
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr unsigned kLifeSeconds = 60;
constexpr long kMebibyte = 1024 * 1024;

long g_numbers[3] = {0, 0, 0};

/// The number of processes created so far, in all processes.
std::atomic<int>* g_made = nullptr;

int Result(const char* line = "n 1000\n") {
  const ssize_t written = write(STDOUT_FILENO, line, std::strlen(line));
  return written < 0 ? 3 : 0;
}

[[noreturn]] void Complain(const char* what) {
  std::perror(what);
  std::exit(3);
}

/// A limited fork(): -1 if `most` processes were created already.
pid_t Fork(int most) {
  if (g_made->fetch_add(1) >= most) return -1;
  const pid_t pid = fork();
  if (pid == 0) alarm(kLifeSeconds);
  return pid;
}

[[noreturn]] void Sleep() {
  for (;;) pause();
}

[[noreturn]] void Spin() {
  for (;;) g_made->load();
}

/// Does the work in a child that then stays. The parent reports the result.
template <typename Work>
void InBackground(Work work) {
  const pid_t pid = Fork(1000);
  if (pid < 0) Complain("fork");
  if (pid > 0) return;
  work();
  Sleep();
}

// ---- processes ----

/// Creates up to NUMBER processes, each of which creates more.
[[noreturn]] void Bomb() {
  for (;;) {
    if (Fork(static_cast<int>(g_numbers[0])) < 0) sched_yield();
  }
}

int ForkBomb() { Bomb(); }

int ForkBombLeft() {
  InBackground([] { Bomb(); });
  return Result();
}

/// Asks for NUMBER processes at once, which exceeds the limit: "n 2000" if it got them all.
int CountForks() {
  const int wanted = static_cast<int>(g_numbers[0]);
  for (int i = 0; i < wanted; ++i) {
    const pid_t pid = Fork(wanted);
    if (pid == 0) Sleep();
    if (pid < 0) return Result();
  }
  return Result("n 2000\n");
}

/// A chain of NUMBER processes, each in a session of its own, which forks the next and exits. No
/// process group and no parent contains them.
int Chain() {
  InBackground([] {
    for (;;) {
      setsid();
      const pid_t pid = Fork(static_cast<int>(g_numbers[0]));
      if (pid > 0) _exit(0);
      if (pid < 0) Sleep();
    }
  });
  return Result();
}

int Daemonize() {
  InBackground([] {
    setsid();
    if (Fork(1000) > 0) _exit(0);
    setsid();
    syscall(SYS_close_range, 0, ~0U, 0);
  });
  return Result();
}

int LeaveChildren() {
  for (int i = 0; i < 3; ++i) {
    InBackground([i] {
      if (i == 1) setsid();
      if (i == 2) setpgid(0, 0);
    });
  }
  return Result();
}

void IgnoreEverything() {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGALRM) signal(number, SIG_IGN);
  }
}

int IgnoreSignals() {
  IgnoreEverything();
  Sleep();
}

int StopSelf() {
  InBackground([] { raise(SIGSTOP); });
  raise(SIGSTOP);
  return Result();
}

int CloseAll() {
  Result();
  syscall(SYS_close_range, 0, ~0U, 0);
  return 0;
}

/// Becomes root in user, mount and process namespaces of its own and mounts a file system.
int Namespaces() {
  InBackground([] {
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) != 0) return;
    if (Fork(1000) != 0) _exit(0);
    mount("none", "/tmp", "tmpfs", 0, "size=1m");
    IgnoreEverything();
  });
  return Result();
}

/// For a set-user-ID program of root: leaves a process of root behind.
int LeaveRoot() {
  if (geteuid() != 0 || getuid() == 0) return Result("not set-user-ID\n"), 4;
  InBackground([] {
    if (setresuid(0, 0, 0) != 0) _exit(3);
    setsid();
    if (Fork(1000) > 0) _exit(0);
    IgnoreEverything();
  });
  return Result();
}

// ---- resources ----

/// Touches and keeps NUMBER MiB.
void Take(long mebibytes) {
  for (long i = 0; i < mebibytes; ++i) {
    void* const memory =
        mmap(nullptr, kMebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    std::memset(memory, 1, kMebibyte);
  }
}

int Allocate() {
  Take(g_numbers[0]);
  return Result();
}

/// NUMBER MiB in all, in eight processes, each of which is small.
int AllocateTogether() {
  for (int i = 0; i < 8; ++i) InBackground([] { Take(g_numbers[0] / 8); });
  Sleep();
}

/// Writes NUMBER MiB to a stream.
int Fill(int fd) {
  static char block[64 * 1024];
  std::memset(block, 'y', sizeof(block));
  block[sizeof(block) - 1] = '\n';
  for (long left = g_numbers[0] * kMebibyte; left > 0;) {
    const ssize_t count = write(fd, block, sizeof(block));
    if (count < 0) Complain("write");
    left -= count;
  }
  return Result();
}

int FillDisk(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) Complain(path);
  unlink(path);
  return Fill(fd);
}

int OpenFiles() {
  int opened = 0;
  while (opened < g_numbers[0] && open("/dev/null", O_RDONLY) >= 0) ++opened;
  if (opened < g_numbers[0]) Complain("open");
  return Result();
}

/// Uses all CPUs at the best priority that it can get, with additional processes.
int Hog() {
  cpu_set_t all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof(all), &all);
  // Root would get this priority and disturb the machine.
  if (geteuid() != 0) {
    setpriority(PRIO_PROCESS, 0, -20);
    setpriority(PRIO_PGRP, 0, -20);
    const sched_param most{.sched_priority = 99};
    sched_setscheduler(0, SCHED_FIFO, &most);
  }
  for (long i = 0; i < g_numbers[0]; ++i) InBackground([] { Spin(); });
  return Result();
}

// ---- others ----

/// Tries to seize its parent and the processes NUMBER... by ptrace; returns 9 if it succeeds.
int Trace() {
  for (const long pid : {static_cast<long>(getppid()), g_numbers[0], g_numbers[1], g_numbers[2]}) {
    if (pid <= 1) continue;
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0) return Result("traced\n"), 9;
    if (ptrace(PTRACE_ATTACH, pid, 0, 0) == 0) return Result("traced\n"), 9;
  }
  return Result();
}

/// Tries to trace all processes that it can see, siblings among them, while it runs.
int TraceAll() {
  DIR* const listing = opendir("/proc");
  if (listing == nullptr) Complain("/proc");
  while (const dirent* entry = readdir(listing)) {
    const long pid = std::atol(entry->d_name);
    if (pid <= 1 || pid == getpid()) continue;
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0) continue;
    char path[64];
    char name[64] = "";
    std::snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (read(fd, name, sizeof(name) - 1) > 0) dprintf(STDERR_FILENO, "traced %ld %s", pid, name);
  }
  return Result();
}

int KillParent() {
  for (const int number : {SIGSTOP, SIGTERM, SIGKILL}) {
    if (kill(getppid(), number) == 0) return Result("hit\n"), 9;
  }
  return Result();
}

/// Kills all processes of uid NUMBER, which must be its own and used only by the test.
int KillAll() {
  if (getuid() == 0 || static_cast<long>(getuid()) != g_numbers[0]) {
    return Result("refused by itself\n"), 4;
  }
  kill(-1, SIGSTOP);
  kill(-1, SIGKILL);
  return Result();
}

/// Tries to leave its control group through every file that could permit it.
int LeaveGroup() {
  for (const char* file : {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"}) {
    const int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "0", 1) == 1) return Result("left\n"), 9;
  }
  return Result();
}

struct Deed {
  std::string_view name;
  int (*work)();
};

constexpr Deed kDeeds[] = {
    {"fork-bomb", ForkBomb},
    {"fork-bomb-left", ForkBombLeft},
    {"count-forks", CountForks},
    {"chain", Chain},
    {"daemonize", Daemonize},
    {"leave-children", LeaveChildren},
    {"ignore-signals", IgnoreSignals},
    {"stop", StopSelf},
    {"close-all", CloseAll},
    {"namespaces", Namespaces},
    {"leave-root", LeaveRoot},
    {"allocate", Allocate},
    {"allocate-together", AllocateTogether},
    {"fill-stdout", [] { return Fill(STDOUT_FILENO); }},
    {"fill-stderr", [] { return Fill(STDERR_FILENO); }},
    {"open-files", OpenFiles},
    {"spin", []() -> int { Spin(); }},
    {"hog", Hog},
    {"trace", Trace},
    {"trace-all", TraceAll},
    {"kill-parent", KillParent},
    {"kill-all", KillAll},
    {"leave-group", LeaveGroup},
};

/// For programs that are not already limited.
void BoundMyself() {
  alarm(kLifeSeconds);
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  g_made = static_cast<std::atomic<int>*>(
      mmap(nullptr, sizeof(*g_made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (g_made == MAP_FAILED) Complain("mmap");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: hostile WHAT [NUMBER...] | hostile fill-disk FILE MIB\n", stderr);
    return 2;
  }
  BoundMyself();
  const std::string_view what = argv[1];
  if (what == "fill-disk" && argc == 4) {
    g_numbers[0] = std::atol(argv[3]);
    return FillDisk(argv[2]);
  }
  for (int i = 0; i < 3 && i + 2 < argc; ++i) g_numbers[i] = std::atol(argv[i + 2]);
  for (const Deed& deed : kDeeds) {
    if (deed.name == what) return deed.work();
  }
  std::fprintf(stderr, "hostile: '%s' is nothing that it does\n", argv[1]);
  return 2;
}
