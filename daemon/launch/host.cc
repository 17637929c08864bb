#include "daemon/launch/host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/keyctl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <numeric>

#include "core/base/affinity.h"
#include "core/base/cpu_list.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_paths.h"

// The start of the program in memory and the end of its code (ld(1), end(3)).
extern "C" {
extern const char __executable_start;
extern const char etext;
}

namespace benchd {

void Log(LogLevel level, std::string_view text) {
  std::string line;
  if (getenv("JOURNAL_STREAM") != nullptr) {
    line = {'<', static_cast<char>(level), '>'};
  } else {
    line = "benchd-runner: ";
  }
  line.append(text).push_back('\n');
  // A single write, so that the lines of several processes do not mix. Errors are ignored, because
  // there is no place to report them.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

namespace {

void ReadCapabilities(Host& host) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  if (syscall(SYS_capget, &header, host.capabilities.data()) != 0) return;
  const auto has = [&host](unsigned capability) {
    return (host.capabilities[capability / 32].effective & (1U << (capability % 32))) != 0;
  };
  host.privileged = has(CAP_SETUID) && has(CAP_SETGID);
  for (__user_cap_data_struct& half : host.capabilities) {
    host.has_inheritable = host.has_inheritable || half.inheritable != 0;
    half.inheritable = 0;
  }
}

/// Opens benchd-helper. Looks in the folder of this program first, then in ../libexec/benchd.
Result<UniqueFd> OpenHelper() {
  char own[PATH_MAX];
  const ssize_t length = readlink(paths::kOwnProgram, own, sizeof(own));
  if (length < 0) return SystemError(paths::kOwnProgram, errno);
  const std::string_view path(own, static_cast<std::size_t>(length));
  const std::string folder(path.substr(0, path.rfind('/') + 1));
  for (const char* name : {"benchd-helper", "../libexec/benchd/benchd-helper"}) {
    UniqueFd helper(open((folder + name).c_str(), O_PATH | O_CLOEXEC));
    if (!helper) continue;
    // The descriptor must be above the numbers that a child assigns first.
    return UniqueFd(fcntl(helper.get(), F_DUPFD_CLOEXEC, 10));
  }
  return Error{ErrorCode::kNotFound, "benchd-helper: not found beside benchd-runner in " + folder,
               "install both programs in the same folder"};
}

/// Widens the inherited affinity to all CPUs of the runner's cpuset, and returns them.
std::vector<int> WidenAffinity() {
  std::vector<int> all(kMaxCpus);
  std::iota(all.begin(), all.end(), 0);
  static_cast<void>(SetAffinity(0, all));
  return ReadAffinity(0).value_or(std::vector<int>());
}

}  // namespace

bool Host::MayShareMemory(const Caller& caller) const {
  if (reset_oom_score) return false;
  if (!privileged || caller.uid == uid) return true;
  char value = '1';
  return suid_dumpable && pread(suid_dumpable.get(), &value, 1, 0) == 1 && value != '1';
}

void Host::ResetOwnPeak() const {
  // "5" resets the peak resident set size (proc(5), clear_refs). Without the reset, max_rss has a
  // higher floor.
  if (own_peak) [[maybe_unused]]
    const ssize_t written = pwrite(own_peak.get(), "5", 1, 0);
}

Result<Host> MinimalHost() {
  Host host;
  host.uid = geteuid();
  host.gid = getegid();
  host.usable_cpus = WidenAffinity();
  host.null.Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!host.null) return SystemError("/dev/null", errno);
  TRY(auto helper, OpenHelper());
  host.helper = std::move(helper);
  ReadCapabilities(host);
  host.cpus.housekeeping = host.usable_cpus;
  return host;
}

Result<Host> LookAround(const std::string& root) {
  TRY(auto minimal, MinimalHost());
  Host host = std::move(minimal);
  host.files = KernelFiles(root);
  const std::string_view score_file = std::string_view(paths::kOwnOomScore).substr(1);
  const std::string oom_score = KernelFiles("/").Read(score_file).value_or("0");
  host.reset_oom_score = oom_score != "0";
  // Children inherit the nice value, which saves a system call in each child.
  setpriority(PRIO_PROCESS, 0, 0);
  host.own_nice = getpriority(PRIO_PROCESS, 0);
  // If this file does not exist, rusage reports zeros (fs/proc/base.c, kernel/sys.c).
  host.counts_io = access(paths::kOwnIo, F_OK) == 0;

  host.own_peak.Reset(open(paths::kOwnClearRefs, O_WRONLY | O_CLOEXEC));
  if (host.privileged) {
    host.suid_dumpable.Reset(open(paths::kSuidDumpable, O_RDONLY | O_CLOEXEC));
  }
  return host;
}

void SettleOn(Host& host, ProfileCpus cpus) {
  host.cpus = std::move(cpus);
  if (SetAffinity(0, host.cpus.housekeeping)) return;
  Log(LogLevel::kWarning,
      "cannot move to the housekeeping CPUs " + FormatCpuList(host.cpus.housekeeping));
}

void ForgetCode() {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  // Drops the whole pages of the read-only part. The kernel reads them from the file again when
  // they are used (madvise(2)).
  const auto first = reinterpret_cast<std::uintptr_t>(&__executable_start) & ~(page - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(&etext) & ~(page - 1);
  madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

void JoinFreshKeyring(const Host& host) {
  if (!host.privileged) return;
  // This may fail because the kernel has no keyrings or because of a container's filter. In both
  // cases no keys are shared.
  [[maybe_unused]] const long joined = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
}

Result<void> CheckCaller(const Host& host, const Caller& caller) {
  // setresuid(2) leaves an id of -1 unchanged, so the child would remain root.
  constexpr std::uint32_t kNoId = UINT32_MAX;
  if (caller.uid == kNoId || caller.gid == kNoId) {
    return InvalidArgument("caller", "-1 is not a valid uid or gid");
  }
  if (host.privileged || (caller.uid == host.uid && caller.gid == host.gid)) return {};
  return Error{
      ErrorCode::kPermissionDenied,
      fmt::format(
          "benchd-runner: runs as uid {} gid {} and cannot start a program as uid {} gid {}",
          host.uid, host.gid, caller.uid, caller.gid),
      "use the system daemon, or a user daemon started by that user"};
}

}  // namespace benchd
