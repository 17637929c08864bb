#include "daemon/observe/cpu_accounting.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/cpu_list.h"
#include "daemon/kernel/kernel_paths.h"

namespace benchd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// The resolution of rusage.
constexpr std::int64_t kFinestNs = 1000;

std::int64_t NsOf(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }
std::int64_t NsOf(const timeval& time) { return time.tv_sec * kSecond + time.tv_usec * 1000; }

/// Alternates between user and kernel work every few microseconds, and exits after `cpu_ns` of CPU
/// time.
[[noreturn]] void WorkInTurns(std::int64_t cpu_ns) {
  std::array<char, 32 * 1024> bytes{};
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  timespec used{};
  do {
    volatile unsigned x = 1;
    for (int i = 0; i < 5000; ++i) x = x * 1664525 + 1013904223;
    for (int i = 0; i < 3; ++i) {
      if (read(zero, bytes.data(), bytes.size()) <= 0) _exit(1);
    }
  } while (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && NsOf(used) < cpu_ns);
  _exit(0);
}

/// Returns true if a process that is interrupted by one tick at most has both user and system time.
bool HasBothWithinATick(std::int64_t tick_ns, std::optional<int> cpu) {
  const pid_t pid = fork();
  if (pid < 0) return false;
  if (pid == 0) {
    if (cpu && !SetAffinity(0, {*cpu})) _exit(1);
    WorkInTurns(tick_ns * 6 / 10);
  }
  int status = 0;
  rusage usage{};
  pid_t ended = 0;
  do {
    ended = wait4(pid, &status, 0, &usage);
  } while (ended < 0 && errno == EINTR);
  if (ended != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return false;
  const std::int64_t user = NsOf(usage.ru_utime);
  const std::int64_t system = NsOf(usage.ru_stime);
  return 10 * std::min(user, system) > user + system;
}

/// Returns true if the kernel divides CPU time exactly. Tries several times, because on a CPU that
/// other programs also use, more than one tick may interrupt the process.
bool DividesExactly(std::int64_t tick_ns, std::optional<int> cpu) {
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    if (!HasBothWithinATick(tick_ns, cpu)) return false;
  }
  return true;
}

}  // namespace

std::int64_t KernelTickNs() {
  timespec resolution{};
  return clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) == 0 ? NsOf(resolution) : 0;
}

CpuAccounting CpuAccounting::Try(const KernelFiles& files) {
  CpuAccounting found(KernelTickNs(), {});
  if (found.tick_ns_ <= 0) return found;
  found.exact_everywhere_ = DividesExactly(found.tick_ns_, std::nullopt);
  if (found.exact_everywhere_) return found;
  const auto tickless = ReadCpus(files, paths::kTicklessCpus);
  const bool exact =
      tickless && !tickless->empty() && DividesExactly(found.tick_ns_, tickless->front());
  if (exact) found.exact_ = *tickless;
  return found;
}

std::int64_t CpuAccounting::StepNs(const std::vector<int>& cpus) const {
  if (tick_ns_ <= 0) return 0;
  const bool exact = exact_everywhere_ || (!cpus.empty() && CpusWithout(cpus, exact_).empty());
  return exact ? std::min(kFinestNs, tick_ns_) : tick_ns_;
}

}  // namespace benchd
