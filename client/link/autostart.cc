#include "client/link/autostart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "client/git/process.h"
#include "client/link/host.h"
#include "client/present/text.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr int kIdleExitSeconds = 600;

// Returns the environment of this process, without the variables that a service manager set for it.
std::vector<std::string> DaemonEnvironment(const std::string& notify_socket) {
  constexpr std::array<std::string_view, 6> kNotInherited = {
      "NOTIFY_SOCKET=", "WATCHDOG_USEC=", "WATCHDOG_PID=",
      "LISTEN_FDS=",    "LISTEN_PID=",    "LISTEN_FDNAMES="};
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::ranges::none_of(kNotInherited,
                             [text](std::string_view name) { return text.starts_with(name); })) {
      environment.emplace_back(text);
    }
  }
  environment.push_back("NOTIFY_SOCKET=" + notify_socket);
  return environment;
}

Result<pid_t> Spawn(const DaemonStart& start, const std::string& notify_socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, start.log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  std::vector<std::string> words = {start.program};
  words.insert(words.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> environment = DaemonEnvironment(notify_socket);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, start.program.c_str(), &actions, &attributes,
                  ArgumentPointers(words).data(), ArgumentPointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return ConnectionError("cannot start " + start.program + ": " + std::strerror(error));
  return pid;
}

// Returns the last lines written to the log since `offset`, joined into one line.
std::string EndOfLog(const std::string& path, off_t offset) {
  constexpr std::size_t kMost = 600;
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  lseek(file.get(), offset, SEEK_SET);
  std::string end = ReadAll(file.get(), path).value_or("");
  if (end.size() > kMost) {
    end.erase(0, end.size() - kMost);
    end.erase(0, end.find('\n') + 1);
  }
  return OneLine(end);
}

Error Ended(const DaemonStart& start, int status, off_t log_start) {
  std::string how = WIFSIGNALED(status) ? fmt::format("killed by signal {}", WTERMSIG(status))
                                        : fmt::format("exit code {}", WEXITSTATUS(status));
  const std::string log = EndOfLog(start.log_file, log_start);
  return ConnectionError("benchd did not start: " + how + (log.empty() ? "" : ": " + log),
                         "see its log: " + start.log_file);
}

}  // namespace

Result<std::string> FindDaemonProgram() {
  if (auto beside = ProgramBeside("benchd")) return *std::move(beside);
  std::vector<std::string> directories;
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string directory; std::getline(path, directory, ':');) {
    // With a relative entry, a benchd in the working directory could be started.
    if (directory.starts_with('/')) directories.push_back(directory);
  }
  directories.insert(directories.end(), {"/usr/sbin", "/usr/bin"});
  for (const std::string& directory : directories) {
    if (IsExecutable(directory + "/benchd")) return directory + "/benchd";
  }
  return ConnectionError("no daemon is running, and benchd is neither beside benchctl nor in PATH",
                         "install benchd, or start a daemon and name its socket: --socket PATH");
}

Result<DaemonStart> PlanUserDaemon() {
  TRY(auto program, FindDaemonProgram());
  const std::filesystem::path state = StateHome();
  std::error_code error;
  std::filesystem::create_directories(state, error);
  const std::string directory = (state / "benchd").string();
  if (!error && mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    error = {errno, std::generic_category()};
  }
  if (error) {
    return ConnectionError(directory + ": " + error.message(),
                           "the daemon keeps its data there; set XDG_STATE_HOME to another place");
  }
  DaemonStart start;
  start.program = std::move(program);
  start.log_file = directory + "/benchd.log";
  start.arguments = {"--user", "--idle-exit", std::to_string(kIdleExitSeconds), "--log-file",
                     start.log_file};
  return start;
}

Result<pid_t> StartDaemon(const DaemonStart& start) {
  TRY(auto notify, NotifySocket::Open());
  std::error_code ignored;
  const auto size = std::filesystem::file_size(start.log_file, ignored);
  const off_t log_start = ignored ? 0 : static_cast<off_t>(size);
  auto pid = Spawn(start, notify.address());
  if (!pid) return pid;
  const UniqueFd child(static_cast<int>(syscall(SYS_pidfd_open, *pid, 0)));
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(start.timeout_seconds);
  while (true) {
    pollfd waiting[] = {{notify.fd(), POLLIN, 0}, {child.get(), POLLIN, 0}};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    const int ready = poll(waiting, 2, std::max(0, static_cast<int>(left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready > 0 && waiting[0].revents != 0 && notify.TakeReady()) return pid;
    if (ready > 0 && waiting[1].revents != 0) {
      int status = 0;
      waitpid(*pid, &status, 0);
      return Ended(start, status, log_start);
    }
    if (ready <= 0) break;
  }
  kill(*pid, SIGTERM);
  return ConnectionError(
      fmt::format("benchd did not start: not ready after {} s", start.timeout_seconds),
      "see its log: " + start.log_file);
}

Result<NotifySocket> NotifySocket::Open() {
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int on = 1;
  // Binding the family alone makes the kernel choose a free abstract name (unix(7), "autobind").
  socklen_t length = sizeof(sa_family_t);
  if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      (length = sizeof address,
       getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length)) != 0) {
    return ConnectionError(std::string("cannot create the notification socket: ") +
                           std::strerror(errno));
  }
  const std::size_t name_length = length - offsetof(sockaddr_un, sun_path) - 1;
  return NotifySocket(std::move(fd), "@" + std::string(address.sun_path + 1, name_length));
}

bool NotifySocket::TakeReady() {
  std::array<char, 4096> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(fd_.get(), &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_CREDENTIALS) return false;
  ucred sender{};
  std::memcpy(&sender, CMSG_DATA(header), sizeof sender);
  if (sender.uid != getuid()) return false;
  const std::string lines = "\n" + std::string(text.data(), static_cast<std::size_t>(size)) + "\n";
  return lines.find("\nREADY=1\n") != std::string::npos;
}

}  // namespace benchd::client
