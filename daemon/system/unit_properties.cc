#include "daemon/system/unit_properties.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "core/base/cpu_list.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace benchd {
namespace {

using Clock = std::chrono::steady_clock;

/// Of each of its streams; the rest is read and dropped.
constexpr std::size_t kMaxOutputBytes = 16 * 1024;
/// After a kill: what is not dead then hangs in the kernel.
constexpr std::chrono::milliseconds kDying{1000};

Error NoSystemd() {
  return Error{ErrorCode::kUnavailable, "systemd: it does not run here",
               "a cpuset partition needs benchd-runner as a unit of systemd"};
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
  Pipe made{UniqueFd(ends[0]), UniqueFd(ends[1])};
  fcntl(made.read_end.get(), F_SETFL, O_NONBLOCK);
  return made;
}

/// Reads what is there; closes the descriptor at its end.
void Drain(UniqueFd& from, std::string& into) {
  char buffer[4096];
  while (from) {
    const ssize_t count = read(from.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return from.Reset();
    const std::size_t room = kMaxOutputBytes - into.size();
    into.append(buffer, std::min(room, static_cast<std::size_t>(count)));
  }
}

/// A descriptor set to be closed, dispositions and mask as after boot: the runner blocks signals.
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

/// A program that is waited for, with what it has said so far. Reaps it, or leaves it dying.
class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!pidfd_) return;
    syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
    if (Wait(kDying)) static_cast<void>(Reap());
  }

  Result<void> Start(const std::string& program, const std::vector<std::string>& words);
  /// @return false when it still runs after `limit`.
  bool Wait(std::chrono::milliseconds limit);
  /// @return its exit code, 128 + N when signal N killed it. Only after Wait().
  Result<int> Reap();

  const std::string& out() const { return out_text_; }
  const std::string& err() const { return err_text_; }

 private:
  UniqueFd pidfd_;
  UniqueFd out_;
  UniqueFd err_;
  std::string out_text_;
  std::string err_text_;
};

Result<void> Child::Start(const std::string& program, const std::vector<std::string>& words) {
  auto out = MakePipe();
  if (!out) return std::move(out).error();
  auto err = MakePipe();
  if (!err) return std::move(err).error();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char path[] = "PATH=/usr/bin:/bin";
  char language[] = "LC_ALL=C";
  char* environment[] = {path, language, nullptr};
  const SpawnRules rules(out->write_end.get(), err->write_end.get());
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, program.c_str(), rules.actions(), rules.attributes(),
                                 arguments.data(), environment);
  if (failed != 0) return SystemError(program, failed);
  // Nobody else reaps meanwhile: the process has one thread, and this is it.
  pidfd_.Reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd_) {
    Error error = SystemError("pidfd_open", errno);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return error;
  }
  out_ = std::move(out->read_end);
  err_ = std::move(err->read_end);
  return {};
}

bool Child::Wait(std::chrono::milliseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    // poll() leaves out descriptors of -1.
    pollfd waited[] = {{pidfd_.get(), POLLIN, 0}, {out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready =
        poll(waited, std::size(waited), static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    Drain(out_, out_text_);
    Drain(err_, err_text_);
    // Not until the pipes end: somebody else may hold them for as long as it likes.
    if (waited[0].revents != 0) return true;
    if (left <= 0) return false;
  }
}

Result<int> Child::Reap() {
  siginfo_t info{};
  const int failed = waitid(P_PIDFD, static_cast<id_t>(pidfd_.get()), &info, WEXITED | WNOHANG);
  const int reason = failed != 0 ? errno : ECHILD;
  pidfd_.Reset();
  if (failed != 0 || info.si_pid == 0) return SystemError("waitid", reason);
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

/// The program's path; empty where there is none.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  for (const char* folder : {"/usr/bin/", "/bin/"}) {
    std::string path = folder + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What systemctl said, for a message.
std::string Reason(const std::string& said, int code) {
  constexpr std::size_t kMaxBytes = 200;
  return said.empty() ? "exit code " + std::to_string(code) : FirstLine(said).substr(0, kMaxBytes);
}

std::string JoinedWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

Result<std::string> SystemctlProperties::Call(std::vector<std::string> arguments) const {
  // sd_booted(3) looks for the same folder.
  if (access((place_.run_folder + "/system").c_str(), F_OK) != 0) return NoSystemd();
  const std::string program = FindProgram(place_.program);
  if (program.empty()) {
    return Error{ErrorCode::kUnavailable, place_.program + ": there is no such program", {}};
  }
  arguments.insert(arguments.begin(), "systemctl");
  Child child;
  if (auto started = child.Start(program, arguments); !started) return std::move(started).error();
  if (!child.Wait(place_.limit)) {
    return Error{ErrorCode::kDeadlineExceeded,
                 JoinedWords(arguments) + ": no answer within " +
                     std::to_string(place_.limit.count()) + " ms",
                 {}};
  }
  const auto code = child.Reap();
  if (!code) return code.error();
  if (*code == 0) return child.out();
  return Error{ErrorCode::kFailedPrecondition,
               JoinedWords(arguments) + ": " + Reason(child.err(), *code),
               {}};
}

Result<std::string> SystemctlProperties::AllowedCpus(std::string_view unit) {
  auto answer = Call({"show", "--property=AllowedCPUs", "--value", std::string(unit)});
  if (!answer) return answer;
  // Ranges with blanks between them.
  std::string list = FirstLine(*answer);
  std::replace(list.begin(), list.end(), ' ', ',');
  const auto cpus = ParseCpuList(list);
  if (!cpus) return Error(cpus.error()).Within("AllowedCPUs of " + std::string(unit));
  return FormatCpuList(*cpus);
}

Result<void> SystemctlProperties::SetAllowedCpus(std::string_view unit, std::string_view cpus) {
  auto answer =
      Call({"set-property", "--runtime", std::string(unit), "AllowedCPUs=" + std::string(cpus)});
  if (!answer) return std::move(answer).error();
  if (cpus.empty()) RemoveDropIn(unit);
  return {};
}

/// systemd 252 writes one for the empty list, too. What the folders hold besides keeps them.
void SystemctlProperties::RemoveDropIn(std::string_view unit) const {
  const std::string control = place_.run_folder + "/system.control";
  // A unit without a file, such as init.scope, has its drop-ins with the transient ones.
  for (const std::string& parent : {control, place_.run_folder + "/transient"}) {
    const std::string folder = parent + "/" + std::string(unit) + ".d";
    unlink((folder + "/50-AllowedCPUs.conf").c_str());
    rmdir(folder.c_str());
  }
  rmdir(control.c_str());
}

Result<std::string> NoUnitProperties::AllowedCpus(std::string_view) { return NoSystemd(); }

Result<void> NoUnitProperties::SetAllowedCpus(std::string_view, std::string_view) {
  return NoSystemd();
}

}  // namespace benchd
