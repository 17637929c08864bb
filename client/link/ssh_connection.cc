#include "client/link/ssh_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "client/git/process.h"
#include "client/present/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

using SshClock = std::chrono::steady_clock;

// Uses the options that scp(1) uses, so that a configuration for interactive logins has no effect.
std::vector<std::string> SshWords(const SshTarget& target, const SshOptions& options) {
  const char* named = std::getenv("BENCHD_SSH");
  std::vector<std::string> words = {named != nullptr && named[0] != '\0' ? named : "ssh",
                                    "-T",
                                    "-x",
                                    "-oConnectTimeout=10",
                                    "-oServerAliveInterval=15",
                                    "-oClearAllForwardings=yes",
                                    "-oPermitLocalCommand=no",
                                    "-oRemoteCommand=none"};
  if (!options.may_prompt) words.push_back("-oBatchMode=yes");
  if (!target.user.empty()) words.insert(words.end(), {"-l", target.user});
  if (target.port) words.insert(words.end(), {"-p", std::to_string(*target.port)});
  words.insert(words.end(), {"--", target.host, "benchctl", "dial-stdio"});
  if (!options.may_start) words.push_back("--no-autostart");
  return words;
}

// Runs between vfork and execve, so it may only make system calls.
void BecomeSsh(int connection, int err, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(connection, STDIN_FILENO);
  dup2(connection, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
}

// Reads up to a newline and no further, because gRPC reads the rest. Returns 0 at the end of file.
ssize_t TakeLine(int fd, std::string* line) {
  std::array<char, 64 * 1024> bytes;
  ssize_t size = recv(fd, bytes.data(), bytes.size(), MSG_PEEK);
  if (size <= 0) return size;
  if (const void* end = std::memchr(bytes.data(), '\n', static_cast<std::size_t>(size))) {
    size = static_cast<const char*>(end) - bytes.data() + 1;
  }
  size = recv(fd, bytes.data(), static_cast<std::size_t>(size), 0);
  if (size > 0) line->append(bytes.data(), static_cast<std::size_t>(size));
  return size;
}

}  // namespace

Result<std::unique_ptr<SshConnection>> SshConnection::Open(const SshTarget& target,
                                                           const SshOptions& options) {
  std::unique_ptr<SshConnection> connection(new SshConnection(target));
  TRY_VOID(connection->Spawn(options));
  TRY_VOID(connection->AwaitGreeting(options.timeout));
  return connection;
}

SshConnection::~SshConnection() {
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

Result<void> SshConnection::Spawn(const SshOptions& options) {
  std::array<int, 2> ends{};
  err_ = UniqueFd(memfd_create("ssh", MFD_CLOEXEC));
  if (!err_ || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ConnectionError(std::string("ssh: ") + std::strerror(errno));
  }
  socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::vector<std::string> words = SshWords(target_, options);
  const std::vector<char*> arguments = ArgumentPointers(words);
  const pid_t parent = getpid();
  volatile int exec_error = 0;
  pid_ = vfork();
  if (pid_ == 0) {
    BecomeSsh(theirs.get(), err_.get(), parent);
    execvp(arguments.front(), arguments.data());
    exec_error = errno;
    _exit(1);
  }
  if (pid_ < 0) return ConnectionError(std::string("ssh: ") + std::strerror(errno));
  pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (exec_error == 0) return {};
  return ConnectionError(words.front() + ": " + std::strerror(exec_error),
                         "--host needs OpenSSH's client: install the package openssh-client");
}

Result<void> SshConnection::AwaitGreeting(std::chrono::seconds timeout) {
  constexpr std::size_t kMostNoise = 8 * 1024 * 1024;
  const auto deadline = SshClock::now() + timeout;
  std::size_t noise = 0;
  for (std::string line; noise < kMostNoise;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SshClock::now());
    pollfd waiting{socket_.get(), POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<long>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return ConnectionError(
          fmt::format("{}: no answer within {} s", target_.Text(), timeout.count()));
    }
    const ssize_t size = TakeLine(socket_.get(), &line);
    if (size <= 0) return Explain();
    if (!line.ends_with('\n')) {
      if (line.size() > kMostNoise) break;
      continue;
    }
    auto login = ParseGreeting(line);
    if (!login) return std::move(login).error().Within(target_.Text());
    if (*login) {
      login_ = *std::move(*login);
      end_.greeted = true;
      fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
      return {};
    }
    if (end_.unwelcome.size() < 1000) end_.unwelcome += line;
    noise += line.size();
    line.clear();
  }
  return ConnectionError(target_.Text() + ": the login shell does not stop printing",
                         "make its start-up files print nothing without a terminal");
}

// pread does not move the file position, at which ssh continues to write.
std::string SshConnection::ErrorOutput() const {
  std::string said(256 * 1024, '\0');
  const ssize_t size = pread(err_.get(), said.data(), said.size(), 0);
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, size)));
  return said;
}

std::string SshConnection::Messages() const {
  std::string told;
  for (const std::string& line : Lines(ErrorOutput())) {
    if (line.starts_with("benchctl: ")) told += Printable(line) + "\n";
  }
  return told;
}

bool SshConnection::AwaitEnd(std::chrono::milliseconds timeout) {
  if (pid_ < 0) return true;
  pollfd waiting{pidfd_.get(), POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return false;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  end_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  end_.err = ErrorOutput();
  return true;
}

Error SshConnection::Explain() {
  // Once either side has closed the connection, ssh exits within a round trip.
  constexpr auto kMoment = std::chrono::seconds(2);
  if (AwaitEnd(kMoment)) return ExplainSshEnd(target_, end_);
  return ConnectionError(target_.Text() + ": the connection was closed",
                         "check that the daemon there still runs; accepted sessions are kept");
}

}  // namespace benchd::client
