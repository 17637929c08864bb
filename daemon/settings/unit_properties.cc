#include "daemon/settings/unit_properties.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/cpu_list.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd {
namespace {

using Clock = std::chrono::steady_clock;

/// The length up to which each output stream is read; the rest is ignored.
constexpr std::size_t kMaxOutputBytes = 16 * 1024;
/// The time that a process gets to exit after SIGKILL; one that takes longer hangs in the kernel.
constexpr std::chrono::milliseconds kDying{1000};

Error NoSystemd() {
  return Error{ErrorCode::kUnavailable, "systemd: not running here",
               "run benchd-runner as a systemd service to get a cpuset partition"};
}

/// Creates a file in memory for the program's output. The program never blocks when it writes to
/// it, so the output can be read after the program has ended.
Result<UniqueFd> OpenOutput() {
  UniqueFd file(memfd_create("systemctl", MFD_CLOEXEC));
  return file ? Result<UniqueFd>(std::move(file)) : SystemError("memfd_create", errno);
}

/// Returns the beginning of the output.
std::string PrintedIn(const UniqueFd& file) {
  std::string text(kMaxOutputBytes, '\0');
  const ssize_t count = pread(file.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

/// The attributes of a child: redirects its streams, closes all other descriptors, and resets
/// signal dispositions and the signal mask, because the runner blocks signals.
class SpawnRules {
 public:
  SpawnRules(int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes_, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes_, &set);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;
  ~SpawnRules() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// The result of a program that has ended.
struct Ended {
  int code = 0;  ///< its exit code; 128 + N if signal N killed it
  std::string out;
  std::string err;
};

/// Waits for a process to exit. @return false if it is still running after `limit`
bool WaitFor(const UniqueFd& pidfd, std::chrono::milliseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    pollfd waited{pidfd.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = poll(&waited, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

/// Runs a program until it exits, or kills it after `limit`. Reaps it unless it hangs in the
/// kernel.
/// @errors kDeadlineExceeded with an empty message; those of the system calls
Result<Ended> RunProgram(const std::string& program, const std::vector<std::string>& words,
                         std::chrono::milliseconds limit) {
  TRY(auto out, OpenOutput());
  TRY(auto err, OpenOutput());
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char path[] = "PATH=/usr/bin:/bin";
  char language[] = "LC_ALL=C";
  char* environment[] = {path, language, nullptr};
  const SpawnRules rules(out.get(), err.get());
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, program.c_str(), rules.actions(), rules.attributes(),
                                 arguments.data(), environment);
  if (failed != 0) return SystemError(program, failed);
  // The pid is still valid, because this process has only one thread, so no other code can have
  // reaped the child.
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    Error error = SystemError("pidfd_open", errno);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return error;
  }
  const bool in_time = WaitFor(pidfd, limit);
  if (!in_time) {
    kill(pid, SIGKILL);
    WaitFor(pidfd, kDying);
  }
  siginfo_t info{};
  const bool reaped =
      waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &info, WEXITED | WNOHANG) == 0;
  if (!in_time) return Error{ErrorCode::kDeadlineExceeded, {}};
  if (!reaped || info.si_pid == 0) return SystemError("waitid", reaped ? ECHILD : errno);
  const int code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return Ended{code, PrintedIn(out), PrintedIn(err)};
}

/// Returns the path of a program; empty if it does not exist.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  for (const char* folder : {"/usr/bin/", "/bin/"}) {
    std::string path = folder + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns the reason of a failure for a message: the first line of systemctl's output, or the exit
/// code.
std::string Reason(const std::string& said, int code) {
  constexpr std::size_t kMaxBytes = 200;
  return said.empty() ? fmt::format("exit code {}", code) : FirstLine(said).substr(0, kMaxBytes);
}

std::string JoinedWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

Result<std::string> SystemctlProperties::Call(std::vector<std::string> arguments) const {
  // The same check as sd_booted(3).
  if (access((place_.run_folder + "/system").c_str(), F_OK) != 0) return NoSystemd();
  const std::string program = FindProgram(place_.program);
  if (program.empty()) {
    return Error{ErrorCode::kUnavailable, place_.program + ": program not found"};
  }
  arguments.insert(arguments.begin(), "systemctl");
  auto ended = RunProgram(program, arguments, place_.limit);
  const std::string call = JoinedWords(arguments);
  if (!ended && ended.error().code == ErrorCode::kDeadlineExceeded) {
    return Error{ErrorCode::kDeadlineExceeded,
                 fmt::format("{}: no answer within {} ms", call, place_.limit.count())};
  }
  if (!ended) return std::move(ended).error();
  if (ended->code == 0) return std::move(ended->out);
  return Error{ErrorCode::kFailedPrecondition, call + ": " + Reason(ended->err, ended->code)};
}

Result<std::string> SystemctlProperties::AllowedCpus(std::string_view unit) {
  auto answer = Call({"show", "--property=AllowedCPUs", "--value", std::string(unit)});
  if (!answer) return answer;
  // systemd separates ranges with spaces.
  std::string list = FirstLine(*answer);
  std::replace(list.begin(), list.end(), ' ', ',');
  const auto cpus = ParseCpuList(list);
  if (!cpus) return Error(cpus.error()).Within("AllowedCPUs of " + std::string(unit));
  return FormatCpuList(*cpus);
}

Result<void> SystemctlProperties::SetAllowedCpus(std::string_view unit, std::string_view cpus) {
  TRY_VOID(
      Call({"set-property", "--runtime", std::string(unit), "AllowedCPUs=" + std::string(cpus)}));
  if (cpus.empty()) RemoveDropIn(unit);
  return {};
}

/// Removes the drop-in that systemd 252 writes even for the empty list, and its folders if they are
/// empty.
void SystemctlProperties::RemoveDropIn(std::string_view unit) const {
  const std::string control = place_.run_folder + "/system.control";
  // The drop-ins of a unit without a file, such as init.scope, are in the folder "transient".
  for (const std::string& parent : {control, place_.run_folder + "/transient"}) {
    const std::string folder = parent + "/" + std::string(unit) + ".d";
    unlink((folder + "/50-AllowedCPUs.conf").c_str());
    rmdir(folder.c_str());
  }
  rmdir(control.c_str());
}

Result<std::string> UnitProperties::AllowedCpus(std::string_view) { return NoSystemd(); }

Result<void> UnitProperties::SetAllowedCpus(std::string_view, std::string_view) {
  return NoSystemd();
}

}  // namespace benchd
