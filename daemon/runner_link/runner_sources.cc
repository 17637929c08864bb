#include "daemon/runner_link/runner_sources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/result.h"
#include "core/base/try.h"

namespace benchd {
namespace {

constexpr int kRunnerSocket = 3;

/// The signal settings and the process group of a new runner. All signals have their defaults,
/// regardless of the signals that benchd ignores or blocks. The runner has its own process group,
/// so that only benchd handles Ctrl-C on its terminal.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// The descriptors of a new runner: /dev/null as input, the log as output, and its socket as 3. All
/// others are closed.
class SpawnDescriptors {
 public:
  explicit SpawnDescriptors(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, kRunnerSocket);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kRunnerSocket + 1);
  }
  ~SpawnDescriptors() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnDescriptors(const SpawnDescriptors&) = delete;
  SpawnDescriptors& operator=(const SpawnDescriptors&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

Result<std::string> FindRunnerProgram(const std::filesystem::path& benchd) {
  const std::filesystem::path folder = benchd.parent_path();
  const std::array places{folder / "benchd-runner",
                          folder.parent_path() / "libexec" / "benchd" / "benchd-runner"};
  for (const std::filesystem::path& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place.string();
  }
  return Error{ErrorCode::kNotFound,
               "benchd-runner: neither " + places[0].string() + " nor " + places[1].string() +
                   " can be executed",
               "install benchd completely, or build it: ./dev build"};
}

/// One runner process, from its start until it is reaped.
struct SpawnedRunner::Process {
  Process(asio::any_io_executor executor, pid_t runner)
      : pid(runner), pidfd(executor), grace(executor) {}

  /// Reaps the runner if it has ended.
  void Reap() {
    siginfo_t info{};
    const auto id = static_cast<id_t>(pidfd.native_handle());
    if (waitid(P_PIDFD, id, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return;
    reaped = true;
    grace.cancel();
  }

  /// Waits until the runner has ended, and kills it after `timeout`.
  void WaitOut(std::chrono::milliseconds timeout) {
    pollfd ended{pidfd.native_handle(), POLLIN, 0};
    if (poll(&ended, 1, static_cast<int>(timeout.count())) <= 0) {
      kill(pid, SIGKILL);
      poll(&ended, 1, -1);
    }
    Reap();
  }

  pid_t pid;
  asio::posix::stream_descriptor pidfd;
  asio::steady_timer grace;
  bool reaped = false;
};

SpawnedRunner::SpawnedRunner(asio::any_io_executor executor, Options options)
    : executor_(std::move(executor)), options_(std::move(options)) {
  if (Result<std::vector<int>> cpus = ReadAffinity(0)) allowed_cpus_ = *std::move(cpus);
}

SpawnedRunner::~SpawnedRunner() {
  for (const std::shared_ptr<Process>& process : processes_) {
    if (!process->reaped) process->WaitOut(options_.grace);
    std::error_code ignored;
    process->pidfd.close(ignored);
    process->grace.cancel();
  }
}

Result<UniqueFd> SpawnedRunner::Connect() {
  std::erase_if(processes_, [](const auto& process) { return process->reaped; });
  std::string program = options_.program;
  if (program.empty()) {
    std::error_code failed;
    const auto benchd = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) return SystemError("/proc/self/exe", failed.value());
    TRY(auto found, FindRunnerProgram(benchd));
    program = std::move(found);
  }
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return SystemError("socketpair", errno);
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  TRY(auto pid, Spawn(program, theirs.get()));
  TRY_VOID(Adopt(pid));
  return ours;
}

Result<pid_t> SpawnedRunner::Spawn(const std::string& program, int socket) const {
  std::vector<std::string> words{program, "--socket", fmt::format("fd:{}", kRunnerSocket)};
  if (!options_.sysfs_root.empty()) {
    words.insert(words.end(), {"--sysfs-root", options_.sysfs_root});
  }
  if (!options_.config.empty()) words.insert(words.end(), {"--config", options_.config});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const SpawnAttributes attributes;
  const SpawnDescriptors descriptors(socket);
  // The child inherits the affinity of this thread, but benchd itself uses only the housekeeping
  // CPUs.
  const KeptAffinity own;
  static_cast<void>(SetAffinity(0, allowed_cpus_));
  pid_t pid = -1;
  const int failed =
      posix_spawn(&pid, program.c_str(), descriptors.get(), attributes.get(), argv.data(), environ);
  if (failed != 0) return SystemError("starting " + program, failed);
  return pid;
}

Result<void> SpawnedRunner::Adopt(pid_t pid) {
  auto process = std::make_shared<Process>(executor_, pid);
  // Called by its number, because the declaration in glibc 2.36 cannot be used from C++.
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  std::error_code failed(pidfd ? 0 : errno, std::system_category());
  if (!failed) process->pidfd.assign(pidfd.get(), failed);
  if (failed) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return SystemError("watching benchd-runner", failed.value());
  }
  pidfd.Release();
  processes_.push_back(process);
  process->pidfd.async_wait(asio::posix::stream_descriptor::wait_read,
                            [process](const std::error_code& stopped) {
                              if (!stopped && !process->reaped) process->Reap();
                            });
  return {};
}

void SpawnedRunner::Disconnected() {
  if (processes_.empty() || processes_.back()->reaped) return;
  const std::shared_ptr<Process> process = processes_.back();
  process->grace.expires_after(options_.grace);
  process->grace.async_wait([process](const std::error_code& stopped) {
    if (!stopped && !process->reaped) kill(process->pid, SIGKILL);
  });
}

std::string SpawnedRunner::Hint() const {
  return "submit the session again; see benchd's log for the cause";
}

ConnectedRunner::ConnectedRunner(std::string path)
    : ConnectedRunner(std::move(path), {0, geteuid()}) {}

ConnectedRunner::ConnectedRunner(std::string path, std::vector<uid_t> trusted_uids)
    : path_(std::move(path)), trusted_uids_(std::move(trusted_uids)) {}

Result<UniqueFd> ConnectedRunner::Connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.empty() || path_.size() >= sizeof(address.sun_path)) {
    return InvalidArgument(
        "runner socket",
        fmt::format("{} bytes; must be 1 to {} bytes", path_.size(), sizeof(address.sun_path) - 1));
  }
  std::memcpy(address.sun_path, path_.data(), path_.size());
  // Non-blocking, because a runner that does not accept connections must not block the loop.
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return SystemError("socket", errno);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    Error error = SystemError("benchd-runner: " + path_, errno);
    if (error.code != ErrorCode::kPermissionDenied) error.code = ErrorCode::kUnavailable;
    error.hint = "start it: systemctl start benchd-runner.socket";
    return error;
  }
  TRY_VOID(CheckPeer(socket.get()));
  return socket;
}

Result<void> ConnectedRunner::CheckPeer(int socket) const {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return SystemError("SO_PEERCRED of " + path_, errno);
  }
  if (std::find(trusted_uids_.begin(), trusted_uids_.end(), peer.uid) != trusted_uids_.end()) {
    return {};
  }
  return Error{
      ErrorCode::kPermissionDenied,
      fmt::format("benchd-runner: {} is served by uid {}, which is neither root nor benchd", path_,
                  peer.uid),
      "find out which program created the socket, remove the socket and restart "
      "benchd-runner.socket"};
}

std::string ConnectedRunner::Hint() const {
  return "submit the session again; see `journalctl -u benchd-runner` for the cause";
}

}  // namespace benchd
